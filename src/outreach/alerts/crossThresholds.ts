import { addDays, dayOf, startOfDay, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { isByPeriod, measure, ruleOf } from './alertTypes.ts';
import { budgetPeriod } from './periods.ts';
import type { AlertRow } from './queries.ts';
import type { MeasuredHistory } from './rules/rule.ts';
import { isSameScope } from './scope.ts';
import type { Announced } from './tables.ts';

const thresholdPercentages = [50, 75, 90, 100] as const;
type Percentage = (typeof thresholdPercentages)[number];

export type Budget = Pick<
  AlertRow,
  | 'alertType'
  | 'measure'
  | 'scope'
  | 'thresholdNanos'
  | 'checkFrequency'
  | 'period'
  | 'enabled'
  | 'announced'
  | 'announcedSince'
>;

export type Crossed = {
  /** The first day whose period counts from now on. */
  since: Day;
  crossed: { percentage: Percentage; spendNanos: Nanos }[];
  announced: Announced[];
};

/**
 * The percentages crossed in the current period and, if the budget already existed, in the previous one, whose costs
 * can arrive late. With `isNew`, the current period has those that the new rule had already reached.
 */
export function findCrossedThresholds(
  budget: Budget,
  history: MeasuredHistory,
  { now, isNew }: { now: Date; isNew: boolean },
): Crossed {
  const rule = ruleOf(budget);
  const current = measure(rule, history, now, 'on_demand');
  const previous = measure(rule, history, startOfDay(current.window.start), 'scheduled');
  const wasThere = budget.announcedSince !== null && budget.announcedSince <= previous.window.start;
  const periods = wasThere ? [previous, current] : [current];
  const since = periods[0]!.window.start;
  let announced = announcedOf(budget).filter((entry) => isStillNeeded(entry, budget, { since, now }));
  const crossed = periods.flatMap((measured) => {
    const { observedNanos: spendNanos, window } = measured;
    const result = crossThresholds(budget, spendNanos, announced, { periodStart: window.start, isNew });
    announced = result.next;
    if (isNew && measured !== current) return [];
    return result.crossed.map((percentage) => ({ percentage, spendNanos }));
  });
  return { since, crossed, announced };
}

const maxPeriodDays = 31;

/** A budget can get back its former period or scope while that period lasts. */
function isStillNeeded(entry: Announced, budget: Budget, { since, now }: { since: Day; now: Date }): boolean {
  return entry.periodStart >= (isOf(entry, budget) ? since : addDays(dayOf(now), -maxPeriodDays));
}

/**
 * With `isNew`, the budget was created, changed or turned on since its percentages were last checked. Then it crosses
 * no percentage that was settled in this period for another amount.
 */
export function crossThresholds(
  budget: Pick<Budget, 'thresholdNanos' | 'period' | 'scope' | 'measure'>,
  spendNanos: Nanos,
  announced: readonly Announced[],
  { periodStart, isNew }: { periodStart: Day; isNew: boolean },
): { crossed: Percentage[]; next: Announced[] } {
  const { thresholdNanos: budgetNanos, period, scope, measure: of } = budget;
  const inPeriod = announced.filter((entry) => entry.periodStart === periodStart && isOf(entry, budget));
  const ofAmount = inPeriod.find((entry) => entry.budgetNanos === budgetNanos);
  const known = ofAmount?.percentages ?? [];
  const reached = thresholdPercentages.filter(
    (percentage) => spendNanos * 100n >= BigInt(percentage) * budgetNanos,
  );
  const fresh = reached.filter((percentage) => !known.includes(percentage));
  const settled = isNew ? inPeriod.flatMap(({ percentages }) => percentages) : [];
  const next = {
    periodStart,
    budgetNanos,
    percentages: inOrder([...known, ...fresh]),
    before: inOrder([...(ofAmount?.before ?? []), ...(isNew ? fresh : [])]),
    period,
    scope,
    measure: of,
  };
  return {
    crossed: fresh.filter((percentage) => !settled.includes(percentage)),
    next: [...announced.filter((entry) => entry !== ofAmount), next],
  };
}

function isOf(entry: Announced, budget: Pick<Budget, 'period' | 'scope' | 'measure'>): boolean {
  const { period, measure: of, scope } = budget;
  return entry.period === period && entry.measure === of && isSameScope(entry.scope, scope);
}

function inOrder(percentages: number[]): number[] {
  return percentages.toSorted((a, b) => a - b);
}

type Stored = Omit<Announced, 'budgetNanos'> & { budgetNanos: string };

/** Entries of older versions lack `before` and the rule, which is the one that the budget has until it changes. */
export function announcedOf({ announced, period, scope, measure: of }: Budget): Announced[] {
  const older = { before: [], period, scope, measure: of };
  return (announced as Stored[]).map((entry) => ({
    ...older,
    ...entry,
    budgetNanos: BigInt(entry.budgetNanos),
  }));
}

export type ReachedThreshold = { percentage: number; isBefore: boolean };

/** The percentages of its present amount that a budget has reached in the period of that day. */
export function reachedThresholds(budget: Budget, day: Day): ReachedThreshold[] {
  if (!isByPeriod(budget)) return [];
  const { start } = budgetPeriod(startOfDay(day), budget.period);
  const ofAmount = announcedOf(budget).find(
    (entry) =>
      entry.periodStart === start && entry.budgetNanos === budget.thresholdNanos && isOf(entry, budget),
  );
  return (ofAmount?.percentages ?? []).map((percentage) => ({
    percentage,
    isBefore: ofAmount!.before.includes(percentage),
  }));
}
