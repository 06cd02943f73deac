import { useNow, useViewersZone } from './browserFacts.ts';
import { rowTime, timeFrom, timeInFull, timeText } from './figures.ts';

type Props = {
  at: string | null;
  full?: boolean;
  /** Whether it is one of many, under a head that names the zone. */
  inRow?: boolean;
  /** Whether it is due, so that now is `any moment`. */
  isNext?: boolean;
};

/** A time in the zone of the organization or relative to now; in full and in other zones on hover. */
export function When({ at, full = false, inRow = false, isNext = false }: Props) {
  const now = useNow();
  const viewersZone = useViewersZone();
  if (at === null) return <span>–</span>;
  const date = new Date(at);
  const isNear = Math.abs(now.getTime() - date.getTime()) < 60_000;
  const isOld = Math.abs(now.getTime() - date.getTime()) > 7 * 86_400_000;
  return (
    <time dateTime={at} aria-description={timeInFull(date, viewersZone)}>
      {inRow
        ? rowTime(date, now)
        : full || isOld
          ? timeText(date)
          : isNext && isNear
            ? 'any moment'
            : timeFrom(now, date)}
    </time>
  );
}
