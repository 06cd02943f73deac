import {
  baselineOf,
  dailyBaselines,
  isAnomaly,
  minRiseNanos,
  nanosPerPercent,
  windowsBefore,
} from '../../../ledger/costs/anomaly.ts';
import {
  dollars,
  dollarsApartFrom,
  exactPercent,
  percentApartFrom,
  toBillionths,
} from '../../../platform/lib/amountTexts.ts';
import { dayOf, windowEnding, type Day, type Window } from '../../../platform/lib/days.ts';
import { divideHalfEven, magnitude, type Nanos } from '../../../platform/lib/money.ts';
import { spenderOf, type AlertNotice, type AlertWords } from '../../channels/wording.ts';
import type { Frequency } from '../periods.ts';
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
  type Seen,
  type Suggestion,
  type Condition,
} from './rule.ts';

export type AnomalyRule = CommonRule & { type: 'anomaly' };

const nanosPerHundredth = nanosPerPercent / 100n;
const maxThreshold = 1_000_000;
/** A billion percent: higher rises do not fit into the database's integers. */
const maxShownRise = 1_000_000_000n * nanosPerPercent;

export const anomaly: AlertType<AnomalyRule> = {
  described: {
    title: 'Anomaly',
    noun: 'an anomaly',
    about:
      'Notifies you when a day costs much more than that weekday usually does, such as when a job runs away.',
    condition: 'spending rises by more than a percentage above normal, and by $1 or more',
    unit: 'percent',
    observed_unit: 'usd',
    max_threshold: maxThreshold,
    exceeds: 'up more than',
    value_title: 'Rise',
    subject: 'the cost of',
    in_short: 'spending',
    has_forecast: false,
    within: 'Within the threshold.',
    over: 'Spending rose by more than the threshold.',
    over_state: 'over threshold',
    pending: 'not checked yet',
    baseline_title: 'Normal',
    baseline_days: 'normal days',
    compared_with: {
      daily: { short: 'the same weekday', long: 'the same weekday of the previous 4 weeks' },
      weekly: { short: 'a normal week', long: 'the previous 4 weeks' },
      monthly: { short: 'a normal 30 days', long: 'the previous three 30-day periods' },
    },
    names: { day: 'Unusual day', week: 'Unusual week', month: 'Unusual month' },
  },
  metric: 'cost_increase_percent',
  // The allowance of the month would hide a rise at its start and make one at its end.
  otherMeasures: {},
  isByPeriod: false,
  marksUnusualDays: true,
  ruleOf: ({ period: _, ...settings }) => ({ type: 'anomaly', ...settings }),
  measure,
  baselineDaysByNow: ({ frequency }, at, history) =>
    possibleBaselines(frequency, windowOf(frequency, dayOf(at)), history).map(({ end }) => end),
  compareWithThreshold,
  explanationBaseline: (_rule, { baselineWindows }) => baselineWindows,
  suggest,
  forecast: () => null,
  message,
};

const windowDays = { daily: 1, weekly: 7, monthly: 30 } as const;

function measure(
  { frequency, thresholdNanos }: AnomalyRule,
  history: MeasuredHistory,
  at: Date,
  kind: CheckKind,
): Measured {
  const { costs, costsByNow = new Map() } = history;
  const window = windowOf(frequency, dayOf(lastInstantOf(at, kind)));
  const costOfWindow = (baseline: Window) => {
    const whole = costOf(costs, baseline);
    if (kind === 'scheduled') return whole;
    return whole - (costs.get(baseline.end) ?? 0n) + (costsByNow.get(baseline.end) ?? 0n);
  };
  const baseline = baselineOf(window, {
    costs,
    thresholdNanos,
    baselinesOf: (each) => possibleBaselines(frequency, each, history),
    costOf: costOfWindow,
  });
  return {
    observedNanos: costOf(costs, window),
    baselineNanos: baseline?.costNanos ?? null,
    baselineWindows: baseline?.windows ?? [],
    recurs: baseline?.recurs ?? null,
    window,
    countedWindow: window,
    baselineUntil: kind === 'scheduled' ? null : at,
  };
}

function windowOf(frequency: Frequency, lastDay: Day): Window {
  return windowEnding(lastDay, windowDays[frequency]);
}

/** A week or month that ended before the first day is not a baseline. */
function possibleBaselines(
  frequency: Frequency,
  window: Window,
  { costs, firstDay }: MeasuredHistory,
): Window[] {
  if (frequency === 'daily') return dailyBaselines(window.end, costs);
  if (firstDay === null) return [];
  return windowsBefore(window, frequency === 'weekly' ? 4 : 3, window.days).filter(
    ({ end }) => end >= firstDay,
  );
}

function compareWithThreshold(
  { thresholdNanos }: AnomalyRule,
  { observedNanos, baselineNanos }: Measured,
): Condition {
  if (baselineNanos === null) return { state: 'insufficient_data', currentNanos: 0n };
  const rise = observedNanos - baselineNanos;
  const isOver = isAnomaly(observedNanos, baselineNanos, thresholdNanos);
  const shown = shownRise(rise, baselineNanos);
  // A rise over its threshold must not read as equal to it.
  const currentNanos = isOver && shown <= thresholdNanos ? thresholdNanos + 1n : shown;
  return { state: isOver ? 'triggered' : 'ok', currentNanos };
}

function shownRise(rise: Nanos, baselineNanos: Nanos): bigint {
  const hundredths = divideHalfEven(magnitude(rise) * 10_000n, baselineNanos);
  const shown = (rise < 0n ? -hundredths : hundredths) * nanosPerHundredth;
  return shown > maxShownRise ? maxShownRise : shown;
}

const minChecks = { daily: 7, weekly: 4, monthly: 2 };
const minSuggested = 10n * nanosPerPercent;

/**
 * A higher threshold can forgive fewer rises that come back each month, which makes the other rises higher. So it
 * looks for a threshold that is enough with the baselines that it has itself.
 */
function suggest(rule: AnomalyRule, seen: Seen): Suggestion | null {
  let thresholdNanos = minSuggested;
  for (;;) {
    const suggestion = suggestWithBaselinesAt({ ...rule, thresholdNanos }, seen);
    if (!suggestion) return null;
    if (suggestion.thresholdNanos <= thresholdNanos) return { ...suggestion, thresholdNanos };
    ({ thresholdNanos } = suggestion);
  }
}

/** The threshold of a daily alert decides which days are unusual, so its suggestion leaves out only outliers. */
function suggestWithBaselinesAt(
  rule: AnomalyRule,
  { history, usual, unusualDays, ticks }: Seen,
): Suggestion | null {
  const isDaily = rule.frequency === 'daily';
  const measured = ticks.map((at) => measure(rule, isDaily ? history : usual, at, 'scheduled'));
  const rises = measured.flatMap(riseOf);
  if (rises.length < minChecks[rule.frequency]) return null;
  const suggestion = suggestionOf(
    usualOf(rises, () => 50n * nanosPerPercent),
    { min: minSuggested, expected: 0n, max: BigInt(maxThreshold) * nanosPerPercent },
  );
  const { start } = measured[0]!.window;
  const leftOutDays = isDaily ? [] : unusualDays.filter((day) => day >= start);
  return suggestion && { ...suggestion, leftOutDays, isExceeded: false };
}

/** Rises in percent with two decimals. Falls are negative, and changes below a dollar count as 0. */
function riseOf({ observedNanos, baselineNanos }: Measured): bigint[] {
  if (baselineNanos === null) return [];
  const rise = observedNanos - baselineNanos;
  const hundredths = magnitude(rise) < minRiseNanos ? 0n : (rise * 10_000n) / baselineNanos;
  return [hundredths * nanosPerHundredth];
}

function message(notice: Omit<AlertNotice, 'words'>): AlertWords {
  const riseExact = toBillionths(notice.currentValue);
  const thresholdExact = toBillionths(notice.thresholdValue);
  const current = percentApartFrom(riseExact, thresholdExact);
  const threshold = exactPercent(thresholdExact);
  const spentExact = toBillionths(notice.observed);
  const baselineExact = notice.baseline === null ? null : toBillionths(notice.baseline);
  const spent = baselineExact === null ? dollars(spentExact) : dollarsApartFrom(spentExact, baselineExact);
  const usual = baselineExact === null ? null : dollarsApartFrom(baselineExact, spentExact);
  // A check on demand compares today so far with the same hours of earlier days.
  const byThen = notice.triggeredAt.slice(0, 10) <= notice.period.end ? ' by then' : '';
  const comparison = usual === null ? '' : ` instead of the usual ${usual}${byThen}`;
  return {
    title: 'Spending spike',
    current: `+${current}`,
    inShort: `+${current}, threshold ${threshold}`,
    summary: `${spenderOf(notice)} has spent ${spent}${comparison}: a rise of ${current}, over the threshold of ${threshold}.`,
    facts: [
      { label: 'Rise', value: current },
      { label: 'Threshold', value: threshold },
      { label: 'Spent', value: spent },
      ...(usual === null ? [] : [{ label: `Usually${byThen}`, value: usual }]),
    ],
  };
}
