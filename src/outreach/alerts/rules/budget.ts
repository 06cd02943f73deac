import { projectPeriod } from '../../../ledger/costs/projection.ts';
import { dollars, dollarsApartFrom, exactDollars, toBillionths } from '../../../platform/lib/amountTexts.ts';
import { addDays, dayOf, daysOf, previousOf, startOfDay, windowEnding } from '../../../platform/lib/days.ts';
import type { Nanos } from '../../../platform/lib/money.ts';
import { spenderOf, type AlertNotice, type AlertWords } from '../../channels/wording.ts';
import { budgetPeriod, type Period } from '../periods.ts';
import {
  costOf,
  lastInstantOf,
  suggestionOf,
  usualOf,
  type AlertType,
  type CheckKind,
  type CommonRule,
  type Measured,
  type MeasuredHistory,
  type PeriodForecast,
  type Seen,
  type Suggestion,
} from './rule.ts';

export type BudgetRule = CommonRule & { type: 'budget'; period: Period };

const maxThreshold = 1_000_000_000;

export const budget: AlertType<BudgetRule> = {
  described: {
    title: 'Budget',
    noun: 'a budget',
    about: 'Notifies you once when a day, week or month goes over an amount.',
    condition: 'spending in a period exceeds an amount',
    unit: 'usd',
    max_threshold: maxThreshold,
    exceeds: 'over',
    value_title: 'Spent',
    within: 'Within budget.',
    over: 'Over budget.',
    over_state: 'over budget',
    pending: 'triggers at its next check',
    baseline_title: 'Previous period',
    baseline_days: 'the same days of the previous period',
    compared_with: null,
    names: { day: 'Daily budget', week: 'Weekly budget', month: 'Monthly budget' },
  },
  metric: 'period_cost_usd',
  isByPeriod: true,
  marksUnusualDays: false,
  ruleOf: (settings) => ({ type: 'budget', ...settings }),
  measure,
  baselineDaysByNow: () => [],
  compareWithThreshold: ({ thresholdNanos }, { observedNanos }) => ({
    state: observedNanos > thresholdNanos ? 'triggered' : 'ok',
    currentNanos: observedNanos,
  }),
  explanationBaseline: ({ period }, { countedWindow }) => [previousOf(countedWindow, period)],
  suggest,
  forecast,
  message,
};

function measure({ period }: BudgetRule, { costs }: MeasuredHistory, at: Date, kind: CheckKind): Measured {
  const lastInstant = lastInstantOf(at, kind);
  const window = budgetPeriod(lastInstant, period);
  const lastDay = dayOf(lastInstant);
  // A late check or a preview has costs of days after its tick.
  const counted = daysOf(window).filter((day) => day <= lastDay).length;
  const countedWindow = windowEnding(lastDay, counted);
  return {
    observedNanos: costOf(costs, countedWindow),
    baselineNanos: null,
    window,
    countedWindow,
    baselineWindows: [],
    recurs: null,
    baselineUntil: null,
  };
}

const minPeriods = { day: 7, week: 4, month: 2 };

/**
 * Suggests 10% above the highest usual period and 10% above the current forecast, so that growth does not trigger it
 * at once. Ignores periods without cost.
 */
function suggest(rule: BudgetRule, seen: Seen): Suggestion | null {
  const periods = completePeriods(rule, seen);
  if (periods.length < minPeriods[rule.period]) return null;
  const usual = usualOf(
    periods.map(({ observedNanos }) => observedNanos).filter((cost) => cost > 0n),
    (middle) => middle / 2n,
  );
  const expected = usual.usualNanos > 0n ? expectedOf(rule, seen) : 0n;
  const suggestion = suggestionOf(usual, {
    min: 0n,
    expected,
    max: BigInt(maxThreshold) * 1_000_000_000n,
  });
  const { start } = periods.at(-1)!.window;
  const current = measure(rule, seen.history, seen.now, 'on_demand');
  return (
    suggestion && {
      ...suggestion,
      leftOutDays: seen.unusualDays.filter((day) => day >= start),
      isExceeded: current.observedNanos > suggestion.thresholdNanos,
    }
  );
}

/** The latest first. */
function completePeriods(rule: BudgetRule, { usual, from, now }: Seen): Measured[] {
  const { firstDay } = usual;
  const today = dayOf(now);
  const periods: Measured[] = [];
  let measured = measure(rule, usual, startOfDay(today), 'scheduled');
  while (measured.window.end >= from) {
    const { start, end } = measured.window;
    if (end < today && firstDay !== null && firstDay <= start) periods.push(measured);
    measured = measure(rule, usual, startOfDay(start), 'scheduled');
  }
  return periods;
}

function expectedOf({ period }: BudgetRule, { usual, now, knownFrom }: Seen): Nanos {
  const { costs, firstDay } = usual;
  const endOfToday = new Date(startOfDay(addDays(dayOf(now), 1)).getTime() - 1);
  const known = firstDay !== null && firstDay < knownFrom ? knownFrom : firstDay;
  return projectPeriod(endOfToday, daysOf(budgetPeriod(now, period)), { costs, firstDay: known })
    .projectedNanos;
}

function forecast(
  { period, thresholdNanos }: BudgetRule,
  history: MeasuredHistory,
  now: Date,
): PeriodForecast {
  const window = budgetPeriod(now, period);
  const { daily, ...projection } = projectPeriod(now, daysOf(window), history);
  let reached = 0n;
  const over = daily.find((day) => {
    reached += day.projectedNanos ?? day.costNanos!;
    return reached > thresholdNanos;
  });
  return { ...projection, window, daily, overOn: over?.day ?? null };
}

const reachedBefore = 'The budget was already reached when it was created, changed or turned on.';

function message(notice: Omit<AlertNotice, 'words'>): AlertWords {
  const spentExact = toBillionths(notice.currentValue);
  const budgetExact = toBillionths(notice.thresholdValue);
  const current = dollarsApartFrom(spentExact, budgetExact);
  const threshold = exactDollars(budgetExact);
  const over = dollars(spentExact - budgetExact);
  const before = notice.isReachedBefore ? ` ${reachedBefore}` : '';
  return {
    title: 'Budget exceeded',
    current,
    inShort: `${current}, threshold ${threshold}`,
    summary: `${spenderOf(notice)} has spent ${current}, which is ${over} over the budget of ${threshold}.${before}`,
    facts: [
      { label: 'Spent', value: current },
      { label: 'Budget', value: threshold },
      { label: 'Over by', value: over },
    ],
  };
}
