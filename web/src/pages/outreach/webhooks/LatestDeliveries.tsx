import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../../ui/browserFacts.ts';
import { rowTime } from '../../../ui/figures.ts';
import { statusInWords } from '../../../ui/StatusBadge.tsx';
import { deliveriesQuery, type Delivery } from './queries.ts';
import { milliseconds } from './words.ts';

const shown = 60;
/** Fewer say no more than the table. */
export const minBars = 5;

/** A bar for each of the latest deliveries: its color is how it ended, its height how long the response took. */
export function LatestDeliveries({ webhookId }: { webhookId: string }) {
  // The table beside it asks the same route more often.
  const query = deliveriesQuery(webhookId, { page: 1, per_page: shown });
  const { data } = useQuery({ ...query, refetchInterval: 30_000 });
  const now = useNow();
  const bars = (data?.deliveries ?? []).toReversed();
  // Its place is kept while they load.
  if (bars.length === 0) return <div className="latest-deliveries" />;
  const slowest = Math.max(...bars.map(({ response_time_ms: time }) => time ?? 0));
  const failed = bars.filter(({ status }) => status === 'failed').length;
  const words = `Latest ${bars.length} deliveries: ${failed} failed${slowest > 0 ? `, slowest ${milliseconds(slowest)}` : ''}`;
  return (
    <Stack gap={4} className="latest-deliveries" maw={Math.max(240, bars.length * 14)}>
      <Text size="sm" c="dimmed">
        {words}
      </Text>
      <div role="img" aria-label={words} className="delivery-bars">
        {bars.map((delivery) => (
          <span
            key={delivery.id}
            data-status={delivery.status}
            title={barInWords(delivery, now)}
            style={{ height: `${Math.max(14, (100 * (delivery.response_time_ms ?? 0)) / (slowest || 1))}%` }}
          />
        ))}
      </div>
      <Text size="xs" c="dimmed" className="delivery-ends">
        <span>{rowTime(new Date(bars[0]!.created_at), now)}</span>
        <span>{rowTime(new Date(bars.at(-1)!.created_at), now)}</span>
      </Text>
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
