import type { Day } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';

/** Which percentages of an amount have been told in a period. */
export type Told = { periodStart: Day; budgetNanos: Nanos; percentages: number[] };

const shares = [50, 75, 90, 100];

/**
 * The percentages of the budget that the spend of the period has reached and that were not told yet, ascending, and
 * what has been told with them. Each is told once per amount and period. When the amount is one that the period has not
 * had yet, percentages that are reached and were told of another amount count as told; the others are told when they
 * are crossed.
 */
export function crossThresholds(
  budgetNanos: Nanos,
  spendNanos: Nanos,
  told: readonly Told[],
  periodStart: Day,
): { crossed: number[]; next: Told[] } {
  const reached = shares.filter((share) => spendNanos * 100n >= BigInt(share) * budgetNanos);
  const ofPeriod = told.filter((entry) => entry.periodStart === periodStart);
  const ofAmount = ofPeriod.find((entry) => entry.budgetNanos === budgetNanos);
  const ofOthers = new Set(ofPeriod.flatMap(({ percentages }) => percentages));
  const kept = ofAmount?.percentages ?? reached.filter((share) => ofOthers.has(share));
  const crossed = reached.filter((share) => !kept.includes(share));
  const percentages = [...kept, ...crossed].toSorted((a, b) => a - b);
  const others = told.filter((entry) => entry !== ofAmount);
  return { crossed, next: [...others, { periodStart, budgetNanos, percentages }] };
}
