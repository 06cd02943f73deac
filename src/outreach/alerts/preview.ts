import { addDays, dayOf, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { evaluate, type Previous } from './evaluate.ts';
import { measure, measuredDays, type MeasuredHistory } from './measure.ts';
import { nextTick } from './periods.ts';
import type { Rule } from './rule.ts';
import { suggestThreshold, type Suggestion } from './suggestThreshold.ts';

export type Preview = {
  /** How many days were looked at, besides today. */
  days: number;
  /** When it would have triggered, oldest first. */
  firings: Firing[];
  /** What every scheduled check would have seen, oldest first, and at last what a check now sees. */
  series: PreviewedCheck[];
  suggestion: Suggestion | null;
};

type Judged = {
  at: Date;
  window: Window;
  currentNanos: bigint;
  observedNanos: Nanos;
  baselineNanos: Nanos | null;
  /** Whether it counts today so far, as a check now does. */
  isSoFar: boolean;
};
type Firing = Judged & { thresholdNanos: bigint; resolvedAt: Date | null };
type PreviewedCheck = Judged & { isInsufficient: boolean };

/**
 * What the rule would have done at each of its scheduled checks of the last `days` days, had it existed all that time, and
 * what it does with today so far: a check now. Costs are needed from `days + measuredDays` days ago.
 */
export function previewRule(
  rule: Rule,
  history: MeasuredHistory,
  { now, days }: { now: Date; days: number },
): Preview {
  const firings: Firing[] = [];
  const series: PreviewedCheck[] = [];
  let open: Previous['open'] = null;
  const told = new Set<Day>();
  const today = dayOf(now);
  const from = addDays(today, -days);
  const ticks = ticksBetween(from, today, rule.frequency).map((at) => ({ at, how: 'scheduled' as const }));
  for (const { at, how } of [...ticks, { at: now, how: 'on_demand' as const }]) {
    const measured = measure(rule, history, at, how);
    const { window, observedNanos, baselineNanos } = measured;
    const toldNanos = told.has(window.start) ? rule.thresholdNanos : null;
    const { currentNanos, thresholdNanos, state, signals } = evaluate(rule, measured, { open, toldNanos });
    const isSoFar = how === 'on_demand';
    const judged = { at, window, currentNanos, observedNanos, baselineNanos, isSoFar };
    series.push({ ...judged, isInsufficient: state === 'insufficient_data' });
    // Nobody has checked now: what is open stays so, unless it would trigger again.
    if (isSoFar && signals.every(({ kind }) => kind === 'resolve')) continue;
    for (const { kind } of signals) {
      if (kind === 'resolve') {
        firings.at(-1)!.resolvedAt = at;
        open = null;
      } else {
        firings.push({ ...judged, thresholdNanos, resolvedAt: null });
        open = { periodStart: window.start };
        told.add(window.start);
      }
    }
  }
  const scheduled = series.filter(({ isSoFar }) => !isSoFar);
  const knownFrom = addDays(from, -measuredDays);
  const suggestion = suggestThreshold(rule, { history, series: scheduled, now, from, knownFrom });
  return { days, firings, series, suggestion };
}

/** The tick at the very start would judge the day before. */
function ticksBetween(from: Day, today: Day, frequency: Rule['frequency']): Date[] {
  const ticks: Date[] = [];
  let tick = nextTick(startOfDay(from), frequency);
  while (dayOf(tick) <= today) {
    ticks.push(tick);
    tick = nextTick(tick, frequency);
  }
  return ticks;
}
