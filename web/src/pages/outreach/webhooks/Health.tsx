import { Alert, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, share } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';
import { Failing } from './Failing.tsx';
import type { DetailedWebhook } from './queries.ts';
import { RetryAt } from './WebhookTable.tsx';
import { lastErrorInWords, statusWords, type LastError as LastErrorShown } from './words.ts';

/** How a webhook is doing, why, and what waits. */
export function Health({ webhook, onSendMany }: { webhook: DetailedWebhook; onSendMany: () => void }) {
  const { health, rotation } = webhook;
  const { deliveries } = health;
  const ended = deliveries.success + deliveries.failed;
  return (
    <Panel title="Health" aside={<StatusBadge status={webhook.status} />}>
      {webhook.status === 'failing' ? (
        <Failing webhook={webhook} onSendMany={onSendMany} />
      ) : (
        <Stack gap={4}>
          <Text style={{ overflowWrap: 'anywhere' }}>{health.status_reason}</Text>
          <RetryAt webhook={webhook} />
          <Text size="sm" c="dimmed">
            {statusWords[webhook.status]}
          </Text>
        </Stack>
      )}
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="md">
        <Fact
          label="Success rate"
          value={health.success_rate === null ? '–' : share(health.success_rate)}
          note={ended === 0 ? 'nothing has ended yet' : `of the last ${count(ended)} that ended`}
        />
        <Fact
          label="Failed"
          value={count(deliveries.failed)}
          note={`beside ${count(deliveries.success)} accepted`}
        />
        <Fact
          label="Waiting"
          value={count(deliveries.pending + deliveries.held)}
          note={`${count(deliveries.pending)} pending, ${count(deliveries.held)} held`}
        />
        <Fact
          label="Oldest undelivered"
          value={<When at={health.oldest_undelivered_at} />}
          note={health.oldest_undelivered_at ? 'since it happened' : 'everything has arrived'}
        />
        <Fact
          label="Next attempt"
          value={<When at={health.next_attempt_at} />}
          note={health.next_attempt_at ? 'at the earliest' : 'none is to come'}
        />
        <LastError error={health.last_error} />
      </SimpleGrid>
      {rotation && (
        <Alert variant="outline" color="blue" p="xs" title="The secret is being changed">
          <Code>{rotation.next_secret_prefix}</Code> takes the place of <Code>{webhook.secret_prefix}</Code>{' '}
          <When at={rotation.promote_at} />. Until then <Code>webhook-signature</Code> holds one signature by
          each.
        </Alert>
      )}
    </Panel>
  );
}

function LastError({ error }: { error: unknown }) {
  const last = error as LastErrorShown | null;
  if (!last) return <Fact label="Last error" value="–" note="none is known" />;
  return <Fact label="Last error" value={<When at={last.at} />} note={lastErrorInWords(last)} />;
}

function Fact({ label, value, note }: { label: string; value: ReactNode; note: ReactNode }) {
  return (
    <Stack gap={0}>
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" fw={600} fz="lg" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      <Text component="div" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {note}
      </Text>
    </Stack>
  );
}
