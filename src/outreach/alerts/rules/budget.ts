import { isShare, type CostMeasure } from '../../../ledger/costs/costMeasures.ts';
import { projectPeriod } from '../../../ledger/costs/projection.ts';
import {
  dollars,
  dollarsApartFrom,
  exactDollars,
  exactPercent,
  percentApartFrom,
  toBillionths,
} from '../../../platform/lib/amountTexts.ts';
import {
  addDays,
  dayOf,
  daysOf,
  longDay,
  previousOf,
  startOfDay,
  windowEnding,
} from '../../../platform/lib/days.ts';
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
  type OtherMeasure,
  type PeriodForecast,
  type Seen,
  type Suggestion,
} from './rule.ts';

export type BudgetRule = CommonRule & { type: 'budget'; period: Period };

const maxThreshold = 1_000_000_000;

const includedUsage = {
  title: 'Included usage',
  described: {
    title: 'Included usage',
    about: 'Notifies you once when jobs have used a part of what the plan includes per month.',
    condition: 'jobs have used more than a part of what the plan includes per month',
    unit: 'percent',
    observed_unit: 'percent',
    max_threshold: 10_000,
    value_title: 'Included usage',
    subject: 'the share of included usage of',
    in_short: 'included usage',
    within: 'Within the threshold.',
    over: 'More of the included usage is used up than the threshold.',
    over_state: 'over threshold',
    names: { day: 'Included usage', week: 'Included usage', month: 'Included usage' },
  },
  metric: 'included_usage_percent',
  periods: ['month'],
  scopeTypes: ['organization', 'cost_center'],
} satisfies OtherMeasure;

function shareOf(title: string, whatIs: string): OtherMeasure {
  const inText = `${title[0]!.toLowerCase()}${title.slice(1)}`;
  return {
    ...includedUsage,
    title,
    described: {
      ...includedUsage.described,
      title,
      value_title: title,
      about: `Notifies you once when a part of the month's ${inText} is used, ${whatIs}.`,
      condition: `more than a part of the month's ${inText} is used`,
      subject: `the share of ${inText} of`,
      in_short: inText,
      names: { day: title, week: title, month: title },
    },
  };
}

/** Bills say the repository of a line, and allowances are the organization's. */
function billedShareOf(title: string): OtherMeasure {
  return { ...shareOf(title, 'by the bill'), scopeTypes: ['organization'] };
}

export const budget: AlertType<BudgetRule> = {
  described: {
    title: 'Budget',
    noun: 'a budget',
    about: 'Notifies you once when a day, week or month goes over an amount.',
    condition: 'spending in a period exceeds an amount',
    unit: 'usd',
    observed_unit: 'usd',
    max_threshold: maxThreshold,
    exceeds: 'over',
    value_title: 'Spent',
    subject: 'the cost of',
    in_short: 'spending',
    has_forecast: true,
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
  otherMeasures: {
    net_cost: {
      title: 'Net cost',
      described: {
        title: 'Net budget',
        about: 'Notifies you once when the net cost of a day, week or month goes over an amount.',
        condition: 'the net cost of a period exceeds an amount',
        value_title: 'Net cost',
        subject: 'the net cost of',
        in_short: 'net cost',
        // It jumps when the included minutes are used up, so its own past does not say how it goes on.
        has_forecast: false,
        names: { day: 'Daily net budget', week: 'Weekly net budget', month: 'Monthly net budget' },
      },
      metric: 'period_net_cost_usd',
    },
    included_usage: includedUsage,
    included_gitlab_minutes: shareOf('Included GitLab minutes', 'by recorded jobs'),
    included_artifacts: billedShareOf('Included artifact storage'),
    included_packages: billedShareOf('Included package storage'),
    included_ai_credits: billedShareOf('Included AI credits'),
  },
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
  const isForecast = usual.usualNanos > 0n && hasForecast(rule.measure);
  const expected = isForecast ? expectedOf(rule, seen) : 0n;
  const suggestion = suggestionOf(usual, {
    min: 0n,
    expected,
    max: BigInt(budget.otherMeasures[rule.measure]?.described.max_threshold ?? maxThreshold) * 1_000_000_000n,
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

function hasForecast(of: CostMeasure): boolean {
  return budget.otherMeasures[of]?.described.has_forecast ?? true;
}

function forecast(
  { period, thresholdNanos, measure: of }: BudgetRule,
  history: MeasuredHistory,
  now: Date,
): PeriodForecast | null {
  if (!hasForecast(of)) return null;
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
  const { measure: of } = notice.alert;
  if (isShare(of)) return usageMessage(notice, budget.otherMeasures[of]!);
  const isNet = of === 'net_cost';
  const spentExact = toBillionths(notice.currentValue);
  const budgetExact = toBillionths(notice.thresholdValue);
  const current = dollarsApartFrom(spentExact, budgetExact);
  const threshold = exactDollars(budgetExact);
  const over = dollars(spentExact - budgetExact);
  const before = notice.isReachedBefore ? ` ${reachedBefore}` : '';
  const net = isNet ? ' net' : '';
  return {
    title: isNet ? 'Net budget exceeded' : 'Budget exceeded',
    current: `${current} of ${threshold}`,
    inShort: `${current}${net}, threshold ${threshold}`,
    summary: `${spenderOf(notice)} has spent ${current}${net}, which is ${over} over the budget of ${threshold}.${before}`,
    facts: [
      { label: isNet ? 'Net cost' : 'Spent', value: current },
      { label: 'Budget', value: threshold },
      { label: 'Over by', value: over },
    ],
  };
}

function usageMessage(notice: Omit<AlertNotice, 'words'>, { title, described }: OtherMeasure): AlertWords {
  const { usedUpOn = null } = notice;
  const usedExact = toBillionths(notice.currentValue);
  const thresholdExact = toBillionths(notice.thresholdValue);
  const current = percentApartFrom(usedExact, thresholdExact);
  const threshold = exactPercent(thresholdExact);
  const before = notice.isReachedBefore ? ` ${reachedBefore}` : '';
  const whose = notice.scope ? "the organization's" : 'the';
  const day = usedUpOn === null ? null : longDay(usedUpOn);
  const isPast = usedUpOn !== null && usedUpOn < notice.triggeredAt.slice(0, 10);
  const end =
    day === null
      ? 'At this pace, it lasts to the end of the month.'
      : isPast
        ? `It was used up on ${day}.`
        : `At this pace, it is used up on ${day}.`;
  return {
    title,
    current,
    inShort: `${current} used, threshold ${threshold}`,
    summary: `${spenderOf(notice)} has used ${current} of ${whose} ${described.in_short} of the month, over the threshold of ${threshold}. ${end}${before}`,
    facts: [
      { label: 'Used', value: current },
      { label: 'Threshold', value: threshold },
      {
        label: 'Used up',
        value: day === null ? 'not this month' : `${day}${isPast ? '' : ', at this pace'}`,
      },
    ],
  };
}
