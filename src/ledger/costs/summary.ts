import type { Context } from '../../context.ts';
import { inSnapshot } from '../../platform/db/database.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import {
  addDays,
  dayOf,
  daysOf,
  previousOf,
  windowBetween,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { sumOf } from '../../platform/lib/lists.ts';
import { divideHalfEven, type Nanos } from '../../platform/lib/money.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import type { CostContext } from './costs.ts';
import { projectionHistoryDays, projectMonth, type Projection } from './projection.ts';
import { findRecentRuns, type RecentRun } from './queries.ts';
import { percentChange } from './ratios.ts';
import { createScopeReader, type Watched } from './scopes.ts';
import { readSums } from './sums.ts';
import { findUnusualRule, type UnusualRuleContext } from './unusualDays.ts';

export type PlanContext = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan };

export type PlanCostContext = PlanContext & CostContext;

type Summary = {
  totalCostNanos: Nanos;
  netTotalCostNanos: Nanos;
  trendPercent: number;
  totalRuns: number;
  averageCostPerRunNanos: Nanos;
  periodDays: number;
};

const summaryDays = 30;
const nanosPerMicro = 1_000n;
const ofDays = ['costNanos', 'netCostNanos', 'runs'] as const;

export async function getSummary(ctx: PlanCostContext): Promise<Summary> {
  const window = windowEnding(dayOf(ctx.clock.now()), summaryDays);
  const both = windowBetween(previousOf(window, 'day').start, window.end);
  const { sums } = await readSums(ctx, { window: both, by: 'day', sums: ofDays });
  const [current, previous] = [true, false].map((isCurrent) =>
    [...sums].filter(([day]) => day! >= window.start === isCurrent).map(([, sum]) => sum),
  );
  const [total, runs] = [sumOf(current!, 'costNanos'), sumOf(current!, 'runs')];
  return {
    totalCostNanos: total,
    netTotalCostNanos: sumOf(current!, 'netCostNanos'),
    trendPercent: percentChange(total, sumOf(previous!, 'costNanos')),
    totalRuns: Number(runs),
    averageCostPerRunNanos: runs === 0n ? 0n : divideHalfEven(total, runs * nanosPerMicro) * nanosPerMicro,
    periodDays: summaryDays,
  };
}

type Trends = {
  data: { day: Day; costNanos: Nanos; netCostNanos: Nanos; runs: number }[];
  period: Window;
};

export async function getTrends(ctx: PlanCostContext, days: number): Promise<Trends> {
  const period = planWindow(ctx.clock.now(), ctx.plan, days);
  const { sums } = await readSums(ctx, { window: period, by: 'day', sums: ofDays });
  const data = daysOf(period).map((day) => {
    const { costNanos, netCostNanos, runs } = sums.get(day) ?? noDay;
    return { day, costNanos, netCostNanos, runs: Number(runs) };
  });
  return { data, period };
}

const noDay = { costNanos: 0n, netCostNanos: 0n, runs: 0n };

const total: Watched = { scope: [], measure: 'list_cost' };

export type MonthProjection = Projection & {
  month: string;
  previousMonthNanos: Nanos;
  /** Whether the previous month was recorded from its beginning, so that months can be compared. */
  isPreviousMonthWhole: boolean;
};

/** Reads as much history as the forecast needs, even beyond the plan's. */
export async function getProjection(
  ctx: UnusualRuleContext & Pick<CostContext, 'providers'>,
): Promise<MonthProjection> {
  const { db, actor, clock, providers } = ctx;
  const now = clock.now();
  const today = dayOf(now);
  const start = addDays(today, -projectionHistoryDays);
  const sum = await inSnapshot(db, (tx) =>
    createScopeReader(tx, actor.orgId, providers).costs([total], { start, end: today }),
  );
  const history = (await sum())(total);
  const previous = monthOf(addDays(`${monthOf(today)}-01`, -1));
  return {
    ...projectMonth(now, { ...history, unusualRule: await findUnusualRule(ctx) }),
    month: monthOf(today),
    previousMonthNanos: costOfMonth(history.costs, previous),
    // Nothing may run on a weekend.
    isPreviousMonthWhole: history.firstDay !== null && history.firstDay <= `${previous}-03`,
  };
}

function monthOf(day: Day): string {
  return day.slice(0, 7);
}

function costOfMonth(costs: ReadonlyMap<Day, Nanos>, month: string): Nanos {
  return [...costs].reduce((sum, [day, nanos]) => (monthOf(day) === month ? sum + nanos : sum), 0n);
}

export function getRecentRuns({ db, actor, clock, plan }: PlanContext, limit: number): Promise<RecentRun[]> {
  const { start } = planWindow(clock.now(), plan, historyDays[plan]);
  return findRecentRuns(db, actor.orgId, start, limit);
}
