import type { Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** Which percentages of an amount have been announced in a period, or had been reached before there was such a budget. */
export type Told = { periodStart: Day; budgetNanos: Nanos; percentages: number[] };

const shares = [50, 75, 90, 100] as const;
type Share = (typeof shares)[number];

/**
 * The percentages of the budget that the spend of the period has reached and that are not announced yet, ascending, and
 * what is announced with them. Each is announced once per amount and period.
 */
export function crossThresholds(
  budgetNanos: Nanos,
  spendNanos: Nanos,
  told: readonly Told[],
  periodStart: Day,
): { crossed: Share[]; next: Told[] } {
  const ofAmount = told.find(
    (entry) => entry.periodStart === periodStart && entry.budgetNanos === budgetNanos,
  );
  const known = ofAmount?.percentages ?? [];
  const reached = shares.filter((share) => spendNanos * 100n >= BigInt(share) * budgetNanos);
  const crossed = reached.filter((share) => !known.includes(share));
  const percentages = [...known, ...crossed].toSorted((a, b) => a - b);
  const others = told.filter((entry) => entry !== ofAmount);
  return { crossed, next: [...others, { periodStart, budgetNanos, percentages }] };
}
