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
import type { CostReader } from './costs.ts';
import { projectionHistoryDays, projectMonth, type Projection } from './projection.ts';
import { findRecentRuns, type RecentRun } from './queries.ts';
import { createScopeReader } from './scopes.ts';
import { readSums } from './sums.ts';
import { findUnusualRule, type UnusualRuleReader } from './unusualDays.ts';

export type PlanContext = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan };

export type DashboardContext = PlanContext & CostReader;

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

export async function getSummary(ctx: DashboardContext): Promise<Summary> {
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

export async function getTrends(ctx: DashboardContext, days: number): Promise<Trends> {
  const period = planWindow(ctx.clock.now(), ctx.plan, days);
  const { sums } = await readSums(ctx, { window: period, by: 'day', sums: ofDays });
  const data = daysOf(period).map((day) => {
    const { costNanos, netCostNanos, runs } = sums.get(day) ?? noDay;
    return { day, costNanos, netCostNanos, runs: Number(runs) };
  });
  return { data, period };
}

const noDay = { costNanos: 0n, netCostNanos: 0n, runs: 0n };

export type MonthProjection = Projection & { month: string; previousMonthNanos: Nanos };

/** Reads as much history as the forecast needs, even beyond the plan's. */
export async function getProjection(reader: UnusualRuleReader): Promise<MonthProjection> {
  const { db, actor, clock } = reader;
  const now = clock.now();
  const today = dayOf(now);
  const start = addDays(today, -projectionHistoryDays);
  const sum = await inSnapshot(db, (tx) =>
    createScopeReader(tx, actor.orgId).costs([[]], { start, end: today }),
  );
  const history = (await sum())([]);
  const previous = monthOf(addDays(`${monthOf(today)}-01`, -1));
  return {
    ...projectMonth(now, { ...history, unusualRule: await findUnusualRule(reader) }),
    month: monthOf(today),
    previousMonthNanos: costOfMonth(history.costs, previous),
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

/**
 * The percent change from `previous` to `current`, rounded half away from zero to one decimal. If `previous` is zero,
 * the change is 0 if `current` is zero too, else 100.
 */
export function percentChange(current: bigint, previous: bigint): number {
  if (previous === 0n) return current === 0n ? 0 : 100;
  const scaled = (current - previous) * 2_000n;
  const half = previous < 0n ? -previous : previous;
  const tenths = (scaled + (scaled < 0n ? -half : half)) / (2n * previous);
  return Number(tenths) / 10;
}

function fraction(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

export function successRate(totals: {
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
}): number {
  return fraction(totals.successfulRuns, totals.completedRuns - totals.skippedRuns);
}

export function wholeAverage(total: bigint, count: bigint): number {
  return count === 0n ? 0 : Number((2n * total + count) / (2n * count));
}
