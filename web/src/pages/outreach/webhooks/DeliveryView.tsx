import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../../api/client.ts';
import { CodeBlock } from '../../../ui/CodeBlock.tsx';
import { CopyButton } from '../../../ui/CopyField.tsx';
import { Loaded } from '../../../ui/Loaded.tsx';
import { Note } from '../../../ui/Note.tsx';
import { AllowedButton } from '../../../ui/rights.tsx';
import { useChange } from '../../../ui/useChange.ts';
import { AttemptView } from './AttemptView.tsx';
import { deliveryQuery, webhookKey, type DetailedDelivery } from './queries.ts';

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
    <AllowedButton
      size="compact-sm"
      variant="default"
      reason={whyNot}
      loading={resend.isPending}
      onClick={() => resend.mutate(undefined)}
    >
      Resend
    </AllowedButton>
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
