import type { Context } from '../../context.ts';
import { inSnapshot, type Database } from '../../platform/db/database.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import {
  addDays,
  dayOf,
  daysOf,
  previousOf,
  startOfDay,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { divideHalfEven, type Nanos } from '../../platform/lib/money.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import { deductedOn, findDeductions, type Deductions } from '../pricing/netCost.ts';
import { deductedIn, findDeductedByWorkflow } from './netCosts.ts';
import { projectionHistoryDays, projectMonth, type Projection } from './projection.ts';
import {
  findDayTotals,
  findFirstDay,
  findPartCosts,
  findRecentRuns,
  findRunnerUse,
  type DayTotals,
  type PartOfDay,
  type RecentRun,
  type RunnerUse,
} from './queries.ts';
import { findUnusualRule, type UnusualRuleReader } from './unusualDays.ts';
import {
  findTopWorkflows,
  findWorkflowIds,
  findWorkflows,
  findWorkflowsOverview,
  type ListedWorkflow,
  type WorkflowConditions,
  type WorkflowFilter,
  type WorkflowsOverview,
  type WorkflowTotals,
} from './workflows.queries.ts';

export type DashboardContext = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan };

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

function findNetDays(
  { db, actor, providers }: Pick<DashboardContext, 'db' | 'actor' | 'providers'>,
  window: Pick<Window, 'start' | 'end'>,
): Promise<{ totals: DayTotals[]; deductions: Deductions }> {
  return inSnapshot(db, async (tx) => ({
    totals: await findDayTotals(tx, actor.orgId, window),
    deductions: await findDeductions({ db: tx, actor, providers }, window),
  }));
}

export async function getSummary(ctx: DashboardContext): Promise<Summary> {
  const window = windowEnding(dayOf(ctx.clock.now()), summaryDays);
  const previousDays = previousOf(window, 'day');
  const { totals, deductions } = await findNetDays(ctx, { ...window, start: previousDays.start });
  const current = sumWithin(window, totals);
  const previous = sumWithin(previousDays, totals);
  return {
    totalCostNanos: current.costNanos,
    netTotalCostNanos: current.costNanos - deductedIn(deductions, window),
    trendPercent: percentChange(current.costNanos, previous.costNanos),
    totalRuns: Number(current.runs),
    averageCostPerRunNanos:
      current.runs === 0n
        ? 0n
        : divideHalfEven(current.costNanos, current.runs * nanosPerMicro) * nanosPerMicro,
    periodDays: summaryDays,
  };
}

function sumWithin({ start, end }: Window, totals: DayTotals[]): { costNanos: bigint; runs: bigint } {
  const sum = { costNanos: 0n, runs: 0n };
  for (const { day, costNanos, runs } of totals) {
    if (day < start || day > end) continue;
    sum.costNanos += costNanos;
    sum.runs += runs;
  }
  return sum;
}

type Trends = {
  data: { day: Day; costNanos: Nanos; netCostNanos: Nanos; runs: number }[];
  period: Window;
};

export async function getTrends(ctx: DashboardContext, days: number): Promise<Trends> {
  const period = planWindow(ctx.clock.now(), ctx.plan, days);
  const { totals, deductions } = await findNetDays(ctx, period);
  const byDay = new Map(totals.map((total) => [total.day, total]));
  const data = daysOf(period).map((day) => {
    const { costNanos, runs } = byDay.get(day) ?? { costNanos: 0n, runs: 0n };
    return { day, costNanos, netCostNanos: costNanos - deductedOn(deductions, day), runs: Number(runs) };
  });
  return { data, period };
}

export type MonthProjection = Projection & { month: string; previousMonthNanos: Nanos };

/** Reads as much history as the forecast needs, even beyond the plan's. */
export async function getProjection(reader: UnusualRuleReader): Promise<MonthProjection> {
  const { db, actor, clock } = reader;
  const now = clock.now();
  const today = dayOf(now);
  const start = addDays(today, -projectionHistoryDays);
  const history = await getDayCosts(db, actor.orgId, { start, end: today });
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

export function getTopWorkflows(
  ctx: DashboardContext,
  { days, limit }: { days: number; limit: number },
): Promise<Net<WorkflowTotals>[]> {
  const window = planWindow(ctx.clock.now(), ctx.plan, days);
  return inSnapshot(ctx.db, async (tx) => {
    const workflows = await findTopWorkflows(tx, ctx.actor.orgId, window, limit);
    return withNet({ ...ctx, db: tx }, window, workflows);
  });
}

export function getWorkflows(
  ctx: DashboardContext,
  days: number,
  filter: WorkflowFilter,
): Promise<{ workflows: Net<ListedWorkflow>[]; total: number }> {
  const window = planWindow(ctx.clock.now(), ctx.plan, days);
  return inSnapshot(ctx.db, async (tx) => {
    const { workflows, total } = await findWorkflows(tx, ctx.actor.orgId, window, filter);
    return { workflows: await withNet({ ...ctx, db: tx }, window, workflows), total };
  });
}

type Net<Totals> = Totals & { netCostNanos: Nanos };

async function withNet<Totals extends WorkflowTotals>(
  ctx: DashboardContext,
  window: Window,
  workflows: readonly Totals[],
): Promise<Net<Totals>[]> {
  const ids = workflows.map(({ workflowId }) => workflowId);
  const deducted = await findDeductedByWorkflow(ctx, window, ids);
  return workflows.map((workflow) => ({
    ...workflow,
    netCostNanos: workflow.costNanos - (deducted.get(workflow.workflowId) ?? 0n),
  }));
}

export function getWorkflowsOverview(
  ctx: DashboardContext,
  days: number,
  conditions: WorkflowConditions,
): Promise<Net<WorkflowsOverview>> {
  const { actor, providers } = ctx;
  const { orgId } = actor;
  const window = planWindow(ctx.clock.now(), ctx.plan, days);
  const isWhole = Object.values(conditions).every((condition) => condition === undefined);
  return inSnapshot(ctx.db, async (tx) => {
    const within = { db: tx, actor, providers };
    const overview = await findWorkflowsOverview(tx, orgId, window, conditions);
    const deducted = isWhole
      ? deductedIn(await findDeductions(within, window), window)
      : sumOf(
          await findDeductedByWorkflow(within, window, await findWorkflowIds(tx, orgId, window, conditions)),
        );
    return { ...overview, netCostNanos: overview.costNanos - deducted };
  });
}

function sumOf(nanos: ReadonlyMap<unknown, Nanos>): Nanos {
  return [...nanos.values()].reduce((sum, each) => sum + each, 0n);
}

export function getRecentRuns(
  { db, actor, clock, plan }: DashboardContext,
  limit: number,
): Promise<RecentRun[]> {
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

export type CostHistory = {
  /** Has no entries for days without cost. */
  costs: ReadonlyMap<Day, Nanos>;
  firstDay: Day | null;
};

export async function getDayCosts(
  db: Database,
  orgId: string,
  window: Pick<Window, 'start' | 'end'>,
): Promise<CostHistory> {
  const totals = await findDayTotals(db, orgId, window);
  return {
    costs: new Map(totals.map(({ day, costNanos }) => [day, costNanos])),
    firstDay: await findFirstDay(db, orgId),
  };
}

/** What each day had cost by the time of day of `at`. It reads individual jobs, so pass only a few days. */
export async function getCostsByTime(
  db: Database,
  orgId: string,
  days: readonly Day[],
  at: Date,
): Promise<ReadonlyMap<Day, Nanos>> {
  if (days.length === 0) return new Map();
  const parts = await findPartCosts(
    db,
    orgId,
    days.map((day) => partUntil(day, at)),
  );
  return new Map(parts.map(({ day, costNanos }) => [day, costNanos]));
}

/** With `until`, the last day of each window counts only up to that time of day. */
export type UseWindows = { windows: readonly Window[]; until: Date | null };

/** Usage by runner kind and workflow in any of the windows. With `workflowIds`, only of these workflows. */
export function getRunnerUse(
  db: Database,
  orgId: string,
  asked: UseWindows,
  workflowIds?: readonly string[],
): Promise<RunnerUse[]> {
  return findRunnerUse(db, orgId, { ...cutWindows(asked), workflowIds });
}

export function cutWindows({ windows, until }: UseWindows): {
  windows: readonly Window[];
  parts: PartOfDay[];
} {
  if (until === null) return { windows, parts: [] };
  return {
    windows: windows
      .filter(({ days }) => days > 1)
      .map(({ end, days }) => windowEnding(addDays(end, -1), days - 1)),
    parts: windows.map(({ end }) => partUntil(end, until)),
  };
}

export function wholeDays(window: Window): PartOfDay[] {
  const lastInstantOf = (day: Day) => new Date(startOfDay(addDays(day, 1)).getTime() - 1);
  return daysOf(window).map((day) => ({ day, until: lastInstantOf(day) }));
}

export function partUntil(day: Day, at: Date): PartOfDay {
  const sinceMidnight = at.getTime() - startOfDay(dayOf(at)).getTime();
  return { day, until: new Date(startOfDay(day).getTime() + sinceMidnight) };
}
