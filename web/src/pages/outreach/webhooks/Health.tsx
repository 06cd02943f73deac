import { Alert, Code, Group, List, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { count, countOf, rowTime, sentence, share } from '../../../ui/figures.ts';
import { Panel } from '../../../ui/Panel.tsx';
import { plainError } from '../../../ui/plainError.ts';
import { Note, statusInWords, TextButton, When } from '../../../ui/text.tsx';
import { deliveriesQuery, type Delivery, type DetailedWebhook } from './queries.ts';
import { shownStatus } from './webhookColumns.tsx';
import {
  adviceFor,
  answerInWords,
  type LastError,
  lastErrorInWords,
  milliseconds,
  statusWords,
} from './words.ts';

/** Without deliveries there is nothing to measure. */
function isNewWebhook({ health: { deliveries, last_error: error } }: DetailedWebhook): boolean {
  const { success, failed, pending, held } = deliveries;
  return success + failed + pending + held === 0 && error === null;
}

export function Health({ webhook, onResendMany }: { webhook: DetailedWebhook; onResendMany: () => void }) {
  const { rotation } = webhook;
  const isNew = isNewWebhook(webhook);
  if (isNew && !rotation && webhook.status !== 'failing') return null;
  return (
    <Panel title="Health">
      {webhook.status === 'failing' ? (
        <Failing webhook={webhook} onResendMany={onResendMany} />
      ) : (
        !isNew && (
          <Stack gap={4}>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {reasonOf(webhook)}
            </Text>
            {webhook.status !== 'active' && <Note>{statusWords[webhook.status]}</Note>}
          </Stack>
        )
      )}
      {!isNew && <HealthFigures webhook={webhook} />}
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

/** An active webhook whose badge says more than its status needs a sentence that explains the badge. */
function reasonOf(webhook: DetailedWebhook): string {
  const { status, health } = webhook;
  const error = health.last_error as LastError | null;
  if (shownStatus(webhook) === status || error === null) return plainError(health.status_reason);
  return `The last attempt failed: ${lastErrorInWords(error)}.`;
}

function HealthFigures({ webhook }: { webhook: DetailedWebhook }) {
  const { health } = webhook;
  const { deliveries } = health;
  const ended = deliveries.success + deliveries.failed;
  const waiting = deliveries.pending + deliveries.held;
  const lastError = health.last_error as LastError | null;
  const isErrorAbove = webhook.status !== 'paused' && shownStatus(webhook) !== 'active';
  return (
    <Group className="webhook-health" align="flex-start">
      <HealthFigure
        label="Success rate"
        value={health.success_rate === null ? '–' : share(health.success_rate)}
        note={ended === 0 ? 'none has ended' : `of ${countOf(ended, 'delivery', 'deliveries')}`}
      />
      <HealthFigure
        label="Failed"
        value={count(deliveries.failed)}
        note={`${count(deliveries.success)} accepted`}
      />
      {waiting > 0 && (
        <HealthFigure
          label="Waiting"
          value={count(waiting)}
          note={`${count(deliveries.pending)} pending, ${count(deliveries.held)} held`}
        />
      )}
      {health.oldest_undelivered_at && (
        <HealthFigure
          label="Oldest undelivered"
          value={<When at={health.oldest_undelivered_at} />}
          note="waiting since then"
        />
      )}
      {health.next_attempt_at && (
        <HealthFigure
          label="Next attempt"
          value={<When at={health.next_attempt_at} isNext />}
          note="at the earliest"
        />
      )}
      {lastError && (
        <HealthFigure
          label="Last error"
          value={<When at={lastError.at} />}
          note={isErrorAbove ? answerInWords(lastError) : sentence(lastErrorInWords(lastError))}
        />
      )}
      {ended + waiting > 0 && <LatestDeliveries webhookId={webhook.id} />}
    </Group>
  );
}

function HealthFigure({ label, value, note }: { label: string; value: ReactNode; note: ReactNode }) {
  return (
    <Stack gap={0}>
      <Note>{label}</Note>
      <Text component="div" fw={600} fz="lg" style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      <Text component="div" size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {note}
      </Text>
    </Stack>
  );
}

type Props = { webhook: DetailedWebhook; onResendMany: () => void };

function Failing({ webhook: { health }, onResendMany }: Props) {
  const error = health.last_error as LastError | null;
  return (
    <Alert color="red" variant="outline" title="Deliveries are failing">
      <Stack gap="xs" maw={860} style={{ overflowWrap: 'anywhere' }}>
        <Text size="sm">
          Failing since <When at={health.failing_since} full />, when all five attempts of a delivery failed.
          {error && (
            <>
              {' '}
              Latest error, <When at={error.at} />: <strong>{lastErrorInWords(error)}</strong>.
            </>
          )}
        </Text>
        <Text size="sm">{statusWords.failing}</Text>
        <List size="sm" type="ordered" spacing={4}>
          {error && <List.Item>{adviceFor(error)}</List.Item>}
          <List.Item>Click a delivery below to see its attempts and responses.</List.Item>
          <List.Item>Click “Ping”. When it arrives, the webhook is active again.</List.Item>
          <List.Item>
            <TextButton onClick={onResendMany}>Resend</TextButton> the failed deliveries. We do not resend
            them automatically.
          </List.Item>
        </List>
      </Stack>
    </Alert>
  );
}

const shown = 60;
/** With fewer bars, the times of the first and last would overlap. */
const minEnds = 30;

/**
 * One bar per delivery, the newest on the right: the color shows the outcome, the height the response time. With fewer
 * deliveries, the free places are marked.
 */
function LatestDeliveries({ webhookId }: { webhookId: string }) {
  // The table beside it sends the same query more often.
  const query = deliveriesQuery(webhookId, { page: 1, per_page: shown });
  const { data } = useQuery({ ...query, refetchInterval: 30_000 });
  const now = new Date();
  const bars = (data?.deliveries ?? []).toReversed();
  // Keeps its place while deliveries load.
  if (bars.length === 0) return <div className="latest-deliveries" />;
  const slowest = Math.max(...bars.map(({ response_time_ms: time }) => time ?? 0));
  const failed = bars.filter(({ status }) => status === 'failed').length;
  const free = shown - bars.length;
  const hasEnds = bars.length >= minEnds;
  const words = `Latest ${bars.length === 1 ? 'delivery' : `${bars.length} deliveries`}: ${failed} failed${slowest > 0 ? `, slowest ${milliseconds(slowest)}` : ''}`;
  return (
    <Stack gap={4} className="latest-deliveries">
      <Note>{words}</Note>
      <div role="img" aria-label={words} className="delivery-bars">
        {Array.from({ length: free }, (_, index) => (
          <span key={index} />
        ))}
        {bars.map((delivery) => (
          <span
            key={delivery.id}
            data-status={delivery.status}
            title={barInWords(delivery, now)}
            style={{ height: `${Math.max(14, (100 * (delivery.response_time_ms ?? 0)) / (slowest || 1))}%` }}
          />
        ))}
      </div>
      <Note
        size="xs"
        className="delivery-ends"
        style={hasEnds ? { marginInlineStart: `${(100 * free) / shown}%` } : { justifyContent: 'flex-end' }}
      >
        {hasEnds && <span>{rowTime(new Date(bars[0]!.created_at), now)}</span>}
        <span>{rowTime(new Date(bars.at(-1)!.created_at), now)}</span>
      </Note>
    </Stack>
  );
}

function barInWords({ event, status, created_at: at, response_time_ms: time }: Delivery, now: Date): string {
  return [
    `${event}, ${statusInWords(status)}`,
    rowTime(new Date(at), now),
    ...(time === null ? [] : [milliseconds(time)]),
  ].join(' · ');
}
