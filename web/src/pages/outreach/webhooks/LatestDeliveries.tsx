import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../../ui/browserFacts.ts';
import { rowTime } from '../../../ui/figures.ts';
import { Note } from '../../../ui/Note.tsx';
import { statusInWords } from '../../../ui/StatusBadge.tsx';
import { deliveriesQuery, type Delivery } from './queries.ts';
import { milliseconds } from './words.ts';

const shown = 60;
/** With fewer bars, the times of the first and last would overlap. */
const minEnds = 30;

/**
 * One bar per delivery, the newest on the right: the color shows the outcome, the height the response time. With fewer
 * deliveries, the free places are marked.
 */
export function LatestDeliveries({ webhookId }: { webhookId: string }) {
  // The table beside it sends the same query more often.
  const query = deliveriesQuery(webhookId, { page: 1, per_page: shown });
  const { data } = useQuery({ ...query, refetchInterval: 30_000 });
  const now = useNow();
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
      <Text
        size="xs"
        c="dimmed"
        className="delivery-ends"
        style={hasEnds ? { marginInlineStart: `${(100 * free) / shown}%` } : { justifyContent: 'flex-end' }}
      >
        {hasEnds && <span>{rowTime(new Date(bars[0]!.created_at), now)}</span>}
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
