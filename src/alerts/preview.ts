import { addDays, dayOf, startOfDay, type Day, type Window } from '../lib/days.ts';
import type { Nanos } from '../lib/money.ts';
import { evaluate, type Previous } from './evaluate.ts';
import { measure, type DayCosts } from './measure.ts';
import { nextTick } from './periods.ts';
import type { Rule } from './rule.ts';
import { suggestThreshold } from './suggestThreshold.ts';

export type Preview = {
  /** How many days were looked at. */
  days: number;
  /** When it would have triggered, oldest first. */
  firings: Firing[];
  /** What every scheduled check would have seen, oldest first. */
  series: PreviewedCheck[];
  suggestedThresholdNanos: bigint | null;
};

type Judged = {
  at: Date;
  window: Window;
  currentNanos: bigint;
  observedNanos: Nanos;
  baselineNanos: Nanos | null;
};
type Firing = Judged & { thresholdNanos: bigint; resolvedAt: Date | null };
type PreviewedCheck = Judged & { isInsufficient: boolean };

/**
 * What the rule would have done at each of its scheduled checks of the last `days` days, up to the midnight that begins
 * `today`, had it existed all that time. Costs are needed from `days + measuredDays` days ago.
 */
export function previewRule(
  rule: Rule,
  costs: DayCosts,
  { today, days, firstDay }: { today: Day; days: number; firstDay: Day | null },
): Preview {
  const firings: Firing[] = [];
  const series: PreviewedCheck[] = [];
  let open: Previous['open'] = null;
  const told = new Set<Day>();
  const from = addDays(today, -days);
  for (const at of ticksBetween(from, today, rule.frequency)) {
    const measured = measure(rule, { costs, firstDay }, at, 'scheduled');
    const { window, observedNanos, baselineNanos } = measured;
    const toldNanos = told.has(window.start) ? rule.thresholdNanos : null;
    const { currentNanos, thresholdNanos, state, signals } = evaluate(rule, measured, { open, toldNanos });
    const judged = { at, window, currentNanos, observedNanos, baselineNanos };
    series.push({ ...judged, isInsufficient: state === 'insufficient_data' });
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
  const suggestedThresholdNanos = suggestThreshold(rule, { costs, series, from, today, firstDay });
  return { days, firings, series, suggestedThresholdNanos };
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
