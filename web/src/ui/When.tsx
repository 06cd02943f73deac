import { Text } from '@mantine/core';
import { timeFrom, timeInFull, utcTime } from './figures.ts';

/** A time in UTC or relative to now; in full and in the viewer's zone on hover. */
export function When({ at, full = false }: { at: string | null; full?: boolean }) {
  if (at === null)
    return (
      <Text span inherit>
        –
      </Text>
    );
  const date = new Date(at);
  const isOld = Math.abs(Date.now() - date.getTime()) > 7 * 86_400_000;
  return (
    <Text span inherit aria-description={timeInFull(date)}>
      <time dateTime={at}>{full || isOld ? utcTime(date) : timeFrom(new Date(), date)}</time>
    </Text>
  );
}
