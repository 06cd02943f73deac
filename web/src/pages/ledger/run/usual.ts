import { addDays } from '../../../analysis/ranges.ts';
import { receiptDollars } from './receiptDollars.ts';

const minRuns = 5;

const usualDays = 30;

/** Up to the day of the run, because costs of later runs say little about an old one. */
export function usualPeriod(created: string): { from: string; to: string } {
  const to = created.slice(0, 10);
  return { from: addDays(to, 1 - usualDays), to };
}

/**
 * For example `usually $1.024 to $1.270`, from the 10th to the 90th percentile of runs with a cost. Null if there are too
 * few.
 */
export function usualInWords(costs: readonly number[]): string | null {
  const sorted = costs.filter((cost) => cost > 0).toSorted((a, b) => a - b);
  if (sorted.length < minRuns) return null;
  const at = (part: number) => receiptDollars(sorted[Math.round(part * (sorted.length - 1))]!);
  const [low, high] = [at(0.1), at(0.9)];
  return low === high ? `usually ${low}` : `usually ${low} to ${high}`;
}
