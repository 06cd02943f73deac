import { addDays, type Day } from '../lib/days.ts';
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
): (day: Day, repository: string, cell: Cell) => Shift {
  const cellAt = (day: Day, repository: string, sku: string) =>
    cells
      .get(day)
      ?.get(repository)
      ?.find((cell) => cell.sku === sku);
  /** From the day to the one before. */
  const shifted = (day: Day, repository: string, sku: string): bigint => {
    const late = cellAt(day, repository, sku);
    const early = cellAt(addDays(day, -1), repository, sku);
    const over = crossed.get(day)?.get(`${repository}/${sku}`) ?? 0n;
    if (!late || !early) return 0n;
    const tooMany = late.ours.minutesNanos - late.bill.minutesNanos;
    const tooFew = early.bill.minutesNanos - early.ours.minutesNanos;
    const least = [tooMany, tooFew, over].reduce((a, b) => (a < b ? a : b));
    return least > 0n ? least : 0n;
  };
  return (day, repository, { sku }) => ({
    toDayBefore: shifted(day, repository, sku),
    fromDayAfter: shifted(addDays(day, 1), repository, sku),
  });
}
