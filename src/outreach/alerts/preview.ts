import { unusualDays, usualCosts, type AnomalyRule, type Recurrence } from '../../ledger/costs/anomaly.ts';
import { projectionHistoryDays } from '../../ledger/costs/projection.ts';
import { createScopeReader } from '../../ledger/costs/scopes.ts';
import { findUnusualRule } from '../../ledger/costs/unusualDays.ts';
import { inSnapshot } from '../../platform/db/database.ts';
import { addDays, dayOf, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { historyDays } from '../../tenancy/organizations/plans.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { readRule, type AlertSettings } from './alerts.ts';
import { kindOf, measure, ruleOf, typeOf, type Kind, type Rule } from './alertTypes.ts';
import { decideSignals, type PastTriggers } from './decide.ts';
import { nextTick, type Frequency } from './periods.ts';
import { measuredDays, prepareCosts, readCostsByNow } from './readCosts.ts';
import type { MeasuredHistory, PeriodForecast, Seen, Suggestion } from './rules/rule.ts';

export type Preview = {
  days: number;
  kind: Kind;
  firings: Firing[];
  series: PreviewedCheck[];
  suggestion: Suggestion | null;
  forecast: PeriodForecast | null;
};

export type CheckedValue = {
  window: Window;
  currentNanos: bigint;
  observedNanos: Nanos;
  baselineNanos: Nanos | null;
  recurs: Recurrence | null;
  isSoFar: boolean;
};
type Firing = CheckedValue & { at: Date; thresholdNanos: bigint; resolvedAt: Date | null };
type PreviewedCheck = CheckedValue & { at: Date; isInsufficient: boolean; isOver: boolean };

const maxDays = 90;

/**
 * When an alert with these settings would have triggered over the last 90 days (or the plan's history) and
 * today so far. Stores nothing.
 */
export async function previewAlert(
  ctx: Pick<NotificationContext, 'db' | 'actor' | 'clock' | 'log' | 'providers' | 'findUnusualThreshold'>,
  settings: AlertSettings,
): Promise<Preview> {
  const { db, actor, clock, providers } = ctx;
  const now = clock.now();
  const { plan } = await getOrganization(ctx);
  const days = Math.min(maxDays, historyDays[plan]);
  const { kind, ...read } = await readRule(ctx, settings);
  const rule = ruleOf({
    ...kind,
    ...read,
    checkFrequency: settings.check_frequency ?? 'daily',
    enabled: true,
  });
  const span = { now, days: Math.max(days + measuredDays, projectionHistoryDays) };
  await prepareCosts(ctx, actor.orgId, [rule.scope], span);
  const unusualRule = await findUnusualRule(ctx);
  const history = await inSnapshot(db, (tx) =>
    readCostsByNow(createScopeReader(tx, actor.orgId, providers), rule, span),
  );
  return previewRule(rule, history, { now, days, unusualRule });
}

/**
 * Replays the rule over its scheduled checks of the last `days` days and a check now. It needs costs from
 * `days + measuredDays` days ago, and for a forecast from `projectionHistoryDays` ago.
 */
export function previewRule(
  rule: Rule,
  history: MeasuredHistory,
  { now, days, unusualRule }: { now: Date; days: number; unusualRule: AnomalyRule },
): Preview {
  const firings: Firing[] = [];
  const series: PreviewedCheck[] = [];
  let open: PastTriggers['open'] = null;
  const announced = new Set<Day>();
  const today = dayOf(now);
  const from = addDays(today, -days);
  const ticks = ticksBetween(from, today, rule.frequency).map((at) => ({ at, kind: 'scheduled' as const }));
  for (const { at, kind } of [...ticks, { at: now, kind: 'on_demand' as const }]) {
    const measured = measure(rule, history, at, kind);
    const { window, observedNanos, baselineNanos, recurs } = measured;
    const announcedNanos = announced.has(window.start) ? rule.thresholdNanos : null;
    const { currentNanos, thresholdNanos, state, signals } = decideSignals(rule, measured, {
      open,
      announcedNanos,
    });
    const isSoFar = kind === 'on_demand';
    const value = { at, window, currentNanos, observedNanos, baselineNanos, recurs, isSoFar };
    series.push({
      ...value,
      isInsufficient: state === 'insufficient_data',
      isOver: state === 'triggered',
    });
    // There is no real check now, so an open trigger stays open unless it would trigger again.
    if (isSoFar && signals.every((signal) => signal.kind === 'resolve')) continue;
    for (const signal of signals) {
      if (signal.kind === 'resolve') {
        firings.at(-1)!.resolvedAt = at;
        open = null;
      } else if (signal.kind === 'reopen') {
        firings.at(-1)!.resolvedAt = null;
        open = { periodStart: window.start };
      } else {
        firings.push({ ...value, thresholdNanos, resolvedAt: null });
        open = { periodStart: window.start };
        announced.add(window.start);
      }
    }
  }
  const { costs, firstDay } = history;
  const unusual = unusualDays(
    { start: addDays(today, -projectionHistoryDays), end: today },
    costs,
    unusualRule,
  );
  const seen: Seen = {
    history,
    usual: { costs: usualCosts(costs, unusual), firstDay },
    unusualDays: unusual,
    ticks: ticks.map(({ at }) => at),
    now,
    from,
    knownFrom: addDays(from, -measuredDays),
  };
  return {
    days,
    kind: kindOf(rule),
    firings,
    series,
    suggestion: typeOf(rule).suggest(rule, seen),
    forecast: typeOf(rule).forecast(rule, { ...history, unusualRule }, now),
  };
}

/** Leaves out a tick at the very start, which would check the day before. */
function ticksBetween(from: Day, today: Day, frequency: Frequency): Date[] {
  const ticks: Date[] = [];
  let tick = nextTick(startOfDay(from), frequency);
  while (dayOf(tick) <= today) {
    ticks.push(tick);
    tick = nextTick(tick, frequency);
  }
  return ticks;
}
