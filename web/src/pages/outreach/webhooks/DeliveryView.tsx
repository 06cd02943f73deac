import { Badge, Box, Card, Code, Group, Progress, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { CodeBlock } from '../../../ui/Command.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';
import { sentence } from '../../../ui/figures.ts';
import { Loaded } from '../../../ui/Loaded.tsx';
import { SmallButton } from '../../../ui/rights.tsx';
import { Note, When } from '../../../ui/text.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { type Attempt, deliveryQuery, type DetailedDelivery, webhookKey } from './queries.ts';
import { lastErrorInWords, milliseconds, outcomeWords } from './words.ts';

type Props = { webhookId: string; deliveryId: string; reason: string | null };

export function DeliveryView({ webhookId, deliveryId, reason }: Props) {
  const query = useQuery(deliveryQuery(webhookId, deliveryId));
  return (
    <Loaded query={query} height={200}>
      {(delivery) => (
        <Stack gap="md">
          <Group justify="space-between" gap="xs">
            <Note style={{ overflowWrap: 'anywhere' }}>
              Delivery <Code>{delivery.id}</Code> of event <Code>{delivery.event_id}</Code>
            </Note>
            <ResendButton webhookId={webhookId} delivery={delivery} reason={reason} />
          </Group>
          <Attempts delivery={delivery} />
          <Body text={delivery.body} />
        </Stack>
      )}
    </Loaded>
  );
}

function ResendButton({
  webhookId,
  delivery,
  reason,
}: Omit<Props, 'deliveryId'> & { delivery: DetailedDelivery }) {
  const resend = useChange({
    act: async () => {
      const path = { id: webhookId, delivery_id: delivery.id };
      await api.POST('/api/v1/webhooks/{id}/deliveries/{delivery_id}/resend', { params: { path } });
    },
    done: 'Resend scheduled.',
    refresh: [webhookKey(webhookId)],
  });
  const whyNot = reason ?? (delivery.body === null ? 'The body is no longer stored.' : null);
  return (
    <SmallButton reason={whyNot} loading={resend.isPending} onClick={() => resend.mutate(undefined)}>
      Resend
    </SmallButton>
  );
}

function Attempts({ delivery }: { delivery: DetailedDelivery }) {
  const shown = delivery.attempts_log;
  if (shown.length === 0) {
    return (
      <Text size="sm">
        {delivery.status === 'held' ? 'Held until the webhook is active again.' : 'No attempts yet.'}
      </Text>
    );
  }
  return (
    <Stack gap="xs">
      {delivery.attempts > shown.length && (
        <Note>
          The latest {shown.length} of {delivery.attempts} attempts
        </Note>
      )}
      {shown.toReversed().map((attempt) => (
        <AttemptView key={attempt.number} attempt={attempt} isPing={delivery.event === 'webhook.ping'} />
      ))}
    </Stack>
  );
}

function Body({ text }: { text: string | null }) {
  if (text === null) {
    return <Note>The body is no longer stored.</Note>;
  }
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Text size="sm">Body (formatted)</Text>
        <CopyButton text={text} what="the exact body" />
      </Group>
      <CodeBlock label="Body of the event">{formatted(text)}</CodeBlock>
    </Stack>
  );
}

function formatted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

const colors = { in_flight: 'blue', success: 'green', failure: 'red', unknown: 'gray' };

type AttemptProps = {
  attempt: Attempt;
  /** Whether it is a ping: someone just requested it, and it is not retried. */
  isPing?: boolean;
};

export function AttemptView({ attempt, isPing = false }: AttemptProps) {
  const { outcome, error_class: errorClass } = attempt;
  return (
    <Card withBorder p="sm" component="article" aria-label={`Attempt ${attempt.number}`}>
      <Stack gap="xs">
        <Group gap="xs" justify="space-between">
          <Group gap="xs">
            <Text fw={600}>Attempt {attempt.number}</Text>
            <Badge variant="dot" color={colors[outcome]} tt="none">
              {outcomeWords[outcome]}
            </Badge>
            {attempt.response_code !== null && <Text>{attempt.response_code}</Text>}
          </Group>
          <Note>
            {attempt.reason === 'resend' && !isPing ? 'manual resend · ' : ''}
            <When at={attempt.started_at} />
          </Note>
        </Group>
        {(errorClass !== null || attempt.message !== null) && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            {sentence(lastErrorInWords({ ...attempt, at: attempt.started_at }))}
          </Text>
        )}
        <Phases attempt={attempt} />
        <Note style={{ overflowWrap: 'anywhere' }}>Sent to {attempt.url}</Note>
        {attempt.response_body && (
          <Stack gap={4}>
            <Text size="sm">{attempt.response_truncated ? 'Response (truncated)' : 'Response'}</Text>
            <CodeBlock label={`Response to attempt ${attempt.number}`} mah={160}>
              {attempt.response_body}
            </CodeBlock>
          </Stack>
        )}
      </Stack>
    </Card>
  );
}

const phasesColors = ['blue.4', 'violet.4', 'grape.4', 'teal.6', 'gray.5'];

function phasesOf(attempt: Attempt): { name: string; took: number; color: string }[] {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms } = attempt;
  const known = [
    { name: 'DNS', took: dns_ms },
    { name: 'Connect', took: connect_ms },
    { name: 'TLS', took: tls_ms },
    { name: 'Wait', took: first_byte_ms },
  ];
  const measured = known.reduce((sum, { took }) => sum + (took ?? 0), 0);
  const rest = total_ms === null ? null : Math.max(0, total_ms - measured);
  return [...known, { name: 'Other', took: rest }].flatMap(({ name, took }, index) =>
    took === null ? [] : [{ name, took, color: phasesColors[index]! }],
  );
}

function Phases({ attempt }: { attempt: Attempt }) {
  const phases = phasesOf(attempt);
  const total = attempt.total_ms;
  if (total === null || phases.length === 0) return null;
  return (
    <Stack gap={4} maw={560}>
      <Progress.Root size="md" radius="sm" aria-hidden>
        {phases.map(({ name, took, color }) => (
          <Progress.Section
            key={name}
            value={total === 0 ? 0 : (100 * took) / total}
            color={color}
            withAria={false}
          />
        ))}
      </Progress.Root>
      <Group gap="xs">
        {phases.map(({ name, took, color }) => (
          <Note key={name}>
            <Box component="span" display="inline-block" w={10} h={10} mr={6} bg={color} />
            {name} {milliseconds(took)}
          </Note>
        ))}
        <Text size="sm" fw={600}>
          {milliseconds(total)} total
        </Text>
      </Group>
    </Stack>
  );
}
