import type { CostQuestion } from '../../ledger/costs/costQuestion.ts';
import { firstWholeDay } from '../../ledger/retention/retention.ts';
import { findRecordedDays } from '../../ledger/runs/reading.ts';
import {
  addDays,
  covering,
  dayOf,
  daysOf,
  sliceOfDays,
  startOfWeek,
  windowBetween,
  type Day,
  type TimeSlice,
  type Window,
} from '../../platform/lib/days.ts';
import { compare, sumOf as total } from '../../platform/lib/lists.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import type { Fix } from './fixes.ts';
import { idsOf, readSlices, wasteWindow, type AskedWaste, type WasteContext } from './getWaste.ts';
import {
  addSplits,
  emptySplit,
  splitJobs,
  sumOf,
  type Category,
  type Amounts,
  type Split,
} from './jobGroups.ts';
import { compareDays, type Compared, type Comparison, type Outcome } from './outcome.ts';
import {
  findDayGroups,
  findNamedRuns,
  findRunGroups,
  findWorkflows,
  type NamedRun,
  type WasteFilter,
  type WorkflowName,
} from './queries.ts';
import { withRollups } from './rollups.ts';
import { isCategory } from './suggest.ts';
import { findStartedCosts, type StartedCosts } from './unneeded.queries.ts';

const daysPerWeek = 7;

/** 52 weeks, so that the weekdays are the same. */
const daysPerYear = 52 * daysPerWeek;

/**
 * `window` can be shorter than a week at either end of the period. `previous` covers as many days of the compared week.
 */
type Week = { window: Window; split: Split; previous: Split | null };

export type Trend = { period: Window; weeks: Week[] };

/** This week and the ones before it, by UTC days. */
export async function getTrend(
  ctx: WasteContext,
  {
    weeks,
    weekStart = 'monday',
    compare: comparison,
    ...filter
  }: WasteFilter & { weeks: number } & Pick<CostQuestion, 'weekStart' | 'compare'>,
): Promise<Trend> {
  const today = dayOf(ctx.clock.now());
  const startOf = (day: Day) => startOfWeek(day, weekStart);
  const window = windowBetween(addDays(startOf(today), daysPerWeek * (1 - weeks)), today);
  const asked = planWindow(ctx.clock.now(), ctx.plan, window.days);
  const names = await findWorkflows(ctx.db, ctx.actor.orgId, filter);
  const shown = Math.ceil(windowBetween(startOf(asked.start), today).days / daysPerWeek);
  const distance = comparison === 'previous_year' ? daysPerYear : daysPerWeek * shown;
  const previousDay = (day: Day): Day => addDays(day, -distance);
  const previous =
    comparison === 'none' ? [] : [windowBetween(previousDay(asked.start), previousDay(asked.end))];
  const selection = { names, filter, sums: 'totals' } as const;
  const { periods, days } = await readDays(ctx, [asked, ...previous], selection);
  const [period, previousPeriod] = [periods[0]!, periods[1]];
  const sumOfDays = (own: Day[]) =>
    own.flatMap((day) => [...(days.get(day)?.values() ?? [])]).reduce(addSplits, emptySplit());
  const byWeek = Map.groupBy(daysOf(period), startOf);
  return {
    period,
    weeks: [...byWeek.values()].map((own) => ({
      window: windowBetween(own[0]!, own.at(-1)!),
      split: sumOfDays(own),
      previous:
        previousPeriod && previousPeriod.start <= previousDay(own[0]!)
          ? sumOfDays(own.map(previousDay))
          : null,
    })),
  };
}

/** By day and workflow id. */
type Days = Map<Day, Map<string, Split>>;

type Read = {
  days: Days;
  /** The days that were read of each window. */
  periods: readonly Window[];
  isAllRead: boolean;
};

async function readDays(
  ctx: WasteContext,
  windows: readonly Window[],
  selection: {
    names: readonly WorkflowName[];
    filter: WasteFilter;
    /** Whether to read sums per workflow or for all workflows together. */
    sums: 'days' | 'totals';
  },
  only: readonly string[] | null = idsOf(
    selection.names.map(({ id }) => id),
    selection.filter,
  ),
): Promise<Read> {
  const days: Days = new Map();
  const add = (day: Day, workflowId: string, split: Split): void => {
    const ofDay = days.get(day) ?? new Map<string, Split>();
    days.set(day, ofDay);
    ofDay.set(workflowId, addSplits(ofDay.get(workflowId) ?? emptySplit(), split));
  };
  if (windows.length === 0) return { days, periods: [], isAllRead: true };
  const isSummed = await withRollups(ctx, async (rollups) => {
    for (const window of windows)
      for (const { day, workflowId, split } of await rollups[selection.sums](window, only))
        add(day, workflowId, split);
    return true;
  });
  if (isSummed) return { days, periods: windows, isAllRead: true };
  const periods: Window[] = [];
  for (const window of windows) {
    const read = async (slice: TimeSlice): Promise<void> => {
      for (const group of await findDayGroups(ctx, ctx.actor.orgId, slice, only))
        add(group.day, group.workflowId, splitJobs(group));
    };
    periods.push(await readSlices(ctx, window, selection, read));
  }
  const isAllRead = periods.every(({ start }, index) => start === windows[index]!.start);
  return { days, periods, isAllRead };
}

/** The costs of each done fix's category before and after the fix. */
export async function getOutcomes(ctx: WasteContext, fixes: readonly Fix[]): Promise<Map<string, Outcome>> {
  const done = fixes.filter(({ status }) => status === 'done');
  if (done.length === 0) return new Map();
  const today = dayOf(ctx.clock.now());
  const recorded = (await findRecordedDays(ctx))?.first ?? null;
  const { start: shown } = planWindow(ctx.clock.now(), ctx.plan, historyDays[ctx.plan]);
  const firstDay = recorded !== null && recorded < shown ? shown : recorded;
  // Sums keep the waste of removed runs, but nothing keeps what started them.
  const firstRuns = (await firstWholeDay(ctx.db, ctx.actor.orgId)) ?? firstDay;
  const compared = done.map((fix) => {
    const first = !isCategory(fix.category) && firstRuns && firstDay ? later(firstRuns, firstDay) : firstDay;
    return { fix, found: compareDays(dayOf(fix.decision!.decidedAt), today, first) };
  });
  const windows = compared.flatMap(({ found }) => ('weeks' in found ? [found.before, found.since] : []));
  const workflows = compared.flatMap(({ fix, found }) => ('weeks' in found ? [fix.workflow] : []));
  const { days, isAllRead } = await readDays(
    ctx,
    stretchesOf(windows),
    { names: workflows, filter: { workflowId: undefined, repo: undefined }, sums: 'days' },
    [...new Set(workflows.map(({ id }) => id))],
  );
  const started = await readStarted(ctx, compared);
  const outcomeOf = (fix: Fix, comparison: Comparison) =>
    isAllRead ? compareCosts({ days, started }, fix, comparison) : ({ state: 'too_many_jobs' } as const);
  return new Map(
    compared.map(({ fix, found }) => [
      fix.id,
      {
        ...('weeks' in found ? outcomeOf(fix, found) : found),
        promisedNanos: fix.decision!.promisedNanos,
      },
    ]),
  );
}

const later = (a: Day, b: Day): Day => (a > b ? a : b);

/** By workflow id and day, for fixes that are about runs instead of a category. */
type Started = Map<string, StartedCosts>;
const keyOf = (day: Day, workflowId: string) => `${day} ${workflowId}`;

async function readStarted(
  { db, actor }: WasteContext,
  compared: readonly { fix: Fix; found: ReturnType<typeof compareDays> }[],
): Promise<Started> {
  const asked = compared.flatMap(({ fix, found }) =>
    'weeks' in found && !isCategory(fix.category) ? [{ id: fix.workflow.id, ...found }] : [],
  );
  if (asked.length === 0) return new Map();
  const { start, end } = covering(asked.flatMap(({ before, since }) => [before, since]));
  const ids = [...new Set(asked.map(({ id }) => id))];
  const costs = await findStartedCosts(db, actor.orgId, sliceOfDays(start, end), ids);
  return new Map(costs.map((each) => [keyOf(each.day, each.workflowId), each]));
}

const measures = {
  idle_schedule: 'scheduledNanos',
  always_canceled: 'canceledNanos',
  duplicate_workflow: 'costNanos',
  documentation_only: 'pullRequestNanos',
} as const;

/** The days of all windows without overlaps, as consecutive stretches. */
function stretchesOf(windows: readonly Window[]): Window[] {
  const days = [...new Set(windows.flatMap(daysOf))].toSorted();
  const starts = days.filter((day, index) => days[index - 1] !== addDays(day, -1));
  return starts.map((start, index) => {
    const next = starts[index + 1];
    return windowBetween(
      start,
      days.findLast((day) => next === undefined || day < next)!,
    );
  });
}

function compareCosts(
  { days, started }: { days: Days; started: Started },
  { workflow, category }: Fix,
  comparison: Comparison,
) {
  const sum = (window: Window): Compared => {
    const splits = daysOf(window).flatMap((day) => days.get(day)?.get(workflow.id) ?? []);
    const all = splits.reduce(addSplits, emptySplit());
    const costNanos = isCategory(category)
      ? all[category].costNanos
      : total(
          daysOf(window).flatMap((day) => started.get(keyOf(day, workflow.id)) ?? []),
          measures[category],
        );
    return { costNanos, workflowNanos: sumOf(all, 'all').costNanos };
  };
  return {
    state: 'compared' as const,
    before: sum(comparison.before),
    since: sum(comparison.since),
    comparison,
  };
}

type WastefulRun = { runId: string; amounts: Amounts };

export async function getWastefulRuns(
  ctx: WasteContext,
  asked: AskedWaste & { workflowId: string; category: Category; limit: number },
): Promise<{ period: Window; runs: (NamedRun & { amounts: Amounts })[] }> {
  const { workflowId, category, limit } = asked;
  const { orgId } = ctx.actor;
  const names = await findWorkflows(ctx.db, orgId, asked);
  const byRun = new Map<string, Split>();
  const period = await readSlices(ctx, wasteWindow(ctx, asked), { names, filter: asked }, async (slice) => {
    for (const group of await findRunGroups(ctx, orgId, slice, workflowId))
      byRun.set(group.runId, addSplits(byRun.get(group.runId) ?? emptySplit(), splitJobs(group)));
  });
  const worst = [...byRun]
    .map(([runId, split]) => ({ runId, amounts: split[category] }))
    .filter(({ amounts }) => amounts.jobs > 0n)
    .toSorted(byCost)
    .slice(0, limit);
  const runs = await findNamedRuns(
    ctx.db,
    orgId,
    worst.map(({ runId }) => runId),
  );
  return {
    period,
    runs: worst.flatMap(({ runId, amounts }) => {
      const run = runs.get(runId);
      return run ? [{ ...run, amounts }] : [];
    }),
  };
}

function byCost(a: WastefulRun, b: WastefulRun): number {
  return (
    compare(b.amounts.costNanos, a.amounts.costNanos) ||
    compare(b.amounts.waitedMs, a.amounts.waitedMs) ||
    compare(a.runId, b.runId)
  );
}
