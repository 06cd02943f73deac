import { useNow, useViewersZone } from './browserFacts.ts';
import { clockIn } from './calendar.ts';
import { longDay, rowTime, timeFrom, timeInFull, timeText } from './figures.ts';

const dayMilliseconds = 86_400_000;

type Props = {
  at: string | null;
  full?: boolean;
  /** Whether it is one of many, under a head that names the zone. */
  inRow?: boolean;
  /** Whether it is due, so that now is `any moment`. */
  isNext?: boolean;
  /** Whether its time of day does not matter, such as that of an end in a year. */
  isRough?: boolean;
};

/** A time in the zone of the organization or relative to now; in full and in other zones on hover. */
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
