import { Alert, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count, countOf, share } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { When } from '../../../ui/When.tsx';
import { Failing } from './Failing.tsx';
import type { DetailedWebhook } from './queries.ts';
import { isRetrying, RetryAt } from './webhookColumns.tsx';
import { lastErrorInWords, statusWords, type LastError as LastErrorShown } from './words.ts';

export function shownStatus(webhook: DetailedWebhook): string {
  return isRetrying(webhook) ? 'retrying' : webhook.status;
}

/** Without deliveries there is nothing to measure. */
export function isNewWebhook({ health: { deliveries, last_error: error } }: DetailedWebhook): boolean {
  const { success, failed, pending, held } = deliveries;
  return success + failed + pending + held === 0 && error === null;
}

export function Health({ webhook, onResendMany }: { webhook: DetailedWebhook; onResendMany: () => void }) {
  const { health, rotation } = webhook;
  const isNew = isNewWebhook(webhook);
  if (isNew && !rotation && webhook.status !== 'failing') return null;
  return (
    <Panel title="Health" aside={!isNew && <StatusBadge status={shownStatus(webhook)} />}>
      {webhook.status === 'failing' ? (
        <Failing webhook={webhook} onResendMany={onResendMany} />
      ) : (
        !isNew && (
          <Stack gap={4}>
            <Text style={{ overflowWrap: 'anywhere' }}>{health.status_reason}</Text>
            <RetryAt webhook={webhook} />
            {webhook.status !== 'active' && (
              <Text size="sm" c="dimmed">
                {statusWords[webhook.status]}
              </Text>
            )}
          </Stack>
        )
      )}
      {!isNew && <Facts webhook={webhook} />}
      {rotation && (
        <Alert variant="outline" color="blue" p="xs" title="Secret rotation in progress">
          <Code>{rotation.next_secret_prefix}</Code> replaces <Code>{webhook.secret_prefix}</Code>{' '}
          <When at={rotation.promote_at} />. Until then, <Code>webhook-signature</Code> carries one signature
          for each secret.
        </Alert>
      )}
    </Panel>
  );
}

function Facts({ webhook: { health } }: { webhook: DetailedWebhook }) {
  const { deliveries } = health;
  const ended = deliveries.success + deliveries.failed;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} spacing="md">
      <Fact
        label="Success rate"
        value={health.success_rate === null ? '–' : share(health.success_rate)}
        note={ended === 0 ? 'none has ended' : `of ${countOf(ended, 'delivery', 'deliveries')}`}
      />
      <Fact label="Failed" value={count(deliveries.failed)} note={`${count(deliveries.success)} accepted`} />
      <Fact
        label="Waiting"
        value={count(deliveries.pending + deliveries.held)}
        note={`${count(deliveries.pending)} pending, ${count(deliveries.held)} held`}
      />
      <Fact
        label="Oldest undelivered"
        value={<When at={health.oldest_undelivered_at} />}
        note={health.oldest_undelivered_at ? 'waiting since then' : 'all delivered'}
      />
      <Fact
        label="Next attempt"
        value={<When at={health.next_attempt_at} isNext />}
        note={health.next_attempt_at ? 'at the earliest' : 'none scheduled'}
      />
      <LastError error={health.last_error} />
    </SimpleGrid>
  );
}

function LastError({ error }: { error: unknown }) {
  const last = error as LastErrorShown | null;
  if (!last) return <Fact label="Last error" value="–" note="none" />;
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
