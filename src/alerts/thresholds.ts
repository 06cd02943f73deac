import type { Day } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';

/** Which percentages of a budget have been told in a period. */
export type Told = { periodStart: Day; budgetNanos: Nanos; sent: number[] };

const percentages = [50, 75, 90, 100];

/**
 * The percentages of the budget that the spend of the period has reached and that were not told yet, ascending, and
 * what has been told with them. Each is told once per budget and period. When the amount has changed, those of the new
 * amount that are not reached any more are forgotten, so that they are told when they are crossed later.
 */
export function crossThresholds(
  budgetNanos: Nanos,
  spendNanos: Nanos,
  previous: Told | null,
  periodStart: Day,
): { crossed: number[]; next: Told } {
  const reached = percentages.filter((percentage) => spendNanos * 100n >= BigInt(percentage) * budgetNanos);
  const sent = previous?.periodStart === periodStart ? previous.sent : [];
  const isSameAmount = previous?.budgetNanos === budgetNanos;
  const kept = isSameAmount ? sent : sent.filter((percentage) => reached.includes(percentage));
  const crossed = reached.filter((percentage) => !kept.includes(percentage));
  return {
    crossed,
    next: { periodStart, budgetNanos, sent: [...kept, ...crossed].toSorted((a, b) => a - b) },
  };
}
