import { clockIn } from '../api/calendar.ts';
import { useNow, useViewersZone } from './browserFacts.ts';
import { longDay, rowTime, timeFrom, timeInFull, timeText } from './figures.ts';

const dayMilliseconds = 86_400_000;

type Props = {
  at: string | null;
  full?: boolean;
  /** Whether it is in a column whose header names the zone. */
  inRow?: boolean;
  /** Whether it is a due time, so that now reads `any moment`. */
  isNext?: boolean;
  /** Whether the time of day does not matter, such as for an expiry in a year. */
  isRough?: boolean;
};

/** A time in the organization's zone or relative to now. Hovering shows it in full and in other zones. */
export function When({ at, full = false, inRow = false, isNext = false, isRough = false }: Props) {
  const now = useNow();
  const viewersZone = useViewersZone();
  if (at === null) return <span>–</span>;
  const date = new Date(at);
  const distance = Math.abs(now.getTime() - date.getTime());
  const isNear = distance < 60_000;
  const isOld = distance > (isRough ? 45 : 7) * dayMilliseconds;
  return (
    <time dateTime={at} aria-description={timeInFull(date, viewersZone)}>
      {inRow
        ? rowTime(date, now)
        : full || isOld
          ? isRough
            ? longDay(clockIn(date).day)
            : timeText(date)
          : isNext && isNear
            ? 'any moment'
            : timeFrom(now, date)}
    </time>
  );
}
