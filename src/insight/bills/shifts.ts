import { addDays, type Day } from '../../platform/lib/days.ts';
import type { Cells } from './cells.ts';
import type { Cell, Shift } from './explainDay.ts';

/** By day: billionths of minutes, by `repository/sku`, of jobs that completed on it and had started the day before. */
export type Crossed = Map<Day, Map<string, bigint>>;

/**
 * With us a job stands on the day it completed. Where the bill has minutes too many the day before and too few on the
 * day itself, jobs that ran over that midnight explain as many as they took, and no more.
 */
export function shiftsOf(
  cells: Cells,
  crossed: Crossed,
  day: Day,
): (repository: string, cell: Cell) => Shift {
  const [dayBefore, dayAfter] = [addDays(day, -1), addDays(day, 1)];
  const cellAt = (at: Day, repository: string, sku: string) => cells.get(at)?.get(repository)?.get(sku);
  const shifted = (from: Day, to: Day, repository: string, sku: string): bigint => {
    const over = crossed.get(from)?.get(`${repository}/${sku}`);
    const late = over && cellAt(from, repository, sku);
    const early = late && cellAt(to, repository, sku);
    if (!early) return 0n;
    const tooMany = late.ours.minutesNanos - late.bill.minutesNanos;
    const tooFew = early.bill.minutesNanos - early.ours.minutesNanos;
    const least = [tooMany, tooFew, over].reduce((a, b) => (a < b ? a : b));
    return least > 0n ? least : 0n;
  };
  return (repository, { sku }) => ({
    toDayBefore: shifted(day, dayBefore, repository, sku),
    fromDayAfter: shifted(dayAfter, day, repository, sku),
  });
}
