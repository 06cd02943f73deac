import type { Context } from '../../context.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { listJobDays, newestDays } from '../../ledger/runs/reading.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import {
  addDays,
  dayOf,
  historyDays,
  planWindow,
  slicesOf,
  windowBetween,
  type Day,
  type TimeSlice,
  type Window,
} from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { compare } from '../../platform/lib/lists.ts';
import { percentOf, usd, type Nanos } from '../../platform/lib/money.ts';
import {
  addSplits,
  categories,
  emptySplit,
  splitJobs,
  sumOf,
  type Category,
  type JobGroup,
  type Share,
  type Split,
} from './jobGroups.ts';
import {
  findGroupsOfRuns,
  findJobGroups,
  findWorkflows,
  type WasteFilter,
  type WorkflowName,
} from './queries.ts';
import { suggest, type Suggestion } from './suggest.ts';

export type WorkflowWaste = WorkflowName & { split: Split; suggestions: Suggestion[] };

/** `period` is shorter than asked for beyond the plan, beyond 90 days, or with too many jobs. */
export type Waste = { period: Window; split: Split; workflows: WorkflowWaste[] };

export type WasteReader = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan };

export type AskedWaste = WasteFilter & { days: number; from?: Day | undefined; to?: Day | undefined };

const maxDays = 90;

/** A read of this size blocks the embedded database for a fraction of a second. */
const jobsPerRead = 5_000;

const maxJobs = 500_000;

export function getWaste(ctx: WasteReader, { days, from, to, ...filter }: AskedWaste): Promise<Waste> {
  return readWaste(ctx, wasteWindow(ctx, { days, from, to }), filter);
}

/** By workflow id; null if the window is too long to read all of it. */
export async function getWorkflowWaste(reader: Reader, window: Window): Promise<Map<string, Nanos> | null> {
  if (window.days > maxDays) return null;
  const { period, workflows } = await readWaste(reader, window, { workflowId: undefined, repo: undefined });
  if (period.start !== window.start) return null;
  return new Map(workflows.map(({ id, split }) => [id, sumOf(split, 'waste').costNanos]));
}

type Reader = Pick<WasteReader, 'db' | 'actor' | 'providers'>;

async function readWaste(reader: Reader, asked: Window, filter: WasteFilter): Promise<Waste> {
  const { db, actor, providers } = reader;
  const names = await findWorkflows(db, actor.orgId, filter);
  const collected = collector(providers);
  const period = await readSlices(reader, asked, { names, filter }, async (slice, workflowIds) => {
    collected.add(await findJobGroups(reader, actor.orgId, slice, workflowIds));
  });
  const workflows = collected.workflows(names);
  return {
    period,
    split: workflows.map(({ split }) => split).reduce(addSplits, emptySplit()),
    workflows: workflows.toSorted(byWaste),
  };
}

/** The waste of these runs, all their attempts together. */
export async function getWasteOfRuns(reader: Reader, runIds: readonly string[]): Promise<Split> {
  const groups = await findGroupsOfRuns(reader, reader.actor.orgId, runIds);
  return groups.map(splitJobs).reduce(addSplits, emptySplit());
}

/** The days from `from` to `to`, or the last `days`, without those beyond the plan's history. */
export function wasteWindow(
  { clock, plan }: WasteReader,
  { days, from, to }: Pick<AskedWaste, 'days' | 'from' | 'to'>,
): Window {
  const today = dayOf(clock.now());
  const shown = planWindow(clock.now(), plan, historyDays[plan]);
  if (from === undefined && to === undefined) return planWindow(clock.now(), plan, Math.min(days, maxDays));
  if (from === undefined || to === undefined)
    throw invalid(
      `query.${from === undefined ? 'from' : 'to'}`,
      'must be given too: `from` and `to` are a pair',
    );
  if (from > to) throw invalid('query.from', 'must not be after `to`');
  if (to < shown.start || from > today)
    throw invalid('query.to', `must be a day from ${shown.start} to ${today}, which your plan shows`);
  const end = to < today ? to : today;
  const oldest = [shown.start, addDays(end, 1 - maxDays)].toSorted().at(-1)!;
  return windowBetween(from > oldest ? from : oldest, end);
}

/** Reads the window in slices, or its newest days with at most 500,000 jobs; returns the days that were read. */
export async function readSlices(
  { db, actor }: Pick<WasteReader, 'db' | 'actor'>,
  window: Window,
  { names, filter }: { names: readonly WorkflowName[]; filter: WasteFilter },
  read: (slice: TimeSlice, workflowIds: readonly string[] | null) => Promise<void>,
): Promise<Window> {
  const jobDays = await listJobDays({ db, actor }, window);
  const counts = jobDays.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed();
  const period = newestDays(window, counts, maxJobs);
  const isFiltered = filter.workflowId !== undefined || filter.repo !== undefined;
  const workflowIds = isFiltered ? names.map(({ id }) => id) : null;
  const days = jobDays.filter(({ day }) => day >= period.start);
  for (const slice of names.length === 0 ? [] : slicesOf(days, jobsPerRead)) await read(slice, workflowIds);
  return period;
}

export function ofCategory(workflows: readonly WorkflowWaste[], category: Category): WorkflowWaste[] {
  return workflows
    .filter(({ split }) => split[category].jobs > 0n)
    .toSorted(
      ({ split: { [category]: a } }, { split: { [category]: b } }) =>
        compare(b.costNanos, a.costNanos) || compare(b.jobs, a.jobs),
    );
}

function collector(providers: Providers) {
  const byWorkflow = new Map<string, { groups: Groups; names: Set<string> }>();
  return {
    add: (groups: readonly JobGroup[]): void => {
      for (const group of groups) {
        let known = byWorkflow.get(group.workflowId);
        if (!known) byWorkflow.set(group.workflowId, (known = { groups: new Map(), names: new Set() }));
        addGroup(known.groups, known.names, group);
      }
    },
    workflows: (names: readonly WorkflowName[]): WorkflowWaste[] =>
      names.flatMap((name) => {
        const groups = [...(byWorkflow.get(name.id)?.groups.values() ?? [])];
        if (groups.length === 0) return [];
        const split = groups.map(splitJobs).reduce(addSplits, emptySplit());
        return [{ ...name, split, suggestions: suggest(groups, providers) }];
      }),
  };
}

function byWaste(a: WorkflowWaste, b: WorkflowWaste): number {
  return (
    compare(sumOf(b.split, 'waste').costNanos, sumOf(a.split, 'waste').costNanos) ||
    compare(sumOf(b.split, 'all').costNanos, sumOf(a.split, 'all').costNanos) ||
    compare(a.repository.toLowerCase(), b.repository.toLowerCase()) ||
    compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
    compare(a.id, b.id)
  );
}

export type Groups = Map<string, JobGroup>;

/** Job names of a workflow that are listed: some workflows make up a new name each time. */
export const maxNames = 500;

export function addGroup(groups: Groups, names: Set<string>, group: JobGroup): void {
  if (names.size < maxNames) names.add(group.name);
  const name = names.has(group.name) ? group.name : '';
  const { rawConclusion, isRepeated, succeededLater, isOvertaken, isPush, isBilled } = group;
  const key = JSON.stringify([
    name,
    rawConclusion,
    isRepeated,
    succeededLater,
    isOvertaken,
    isPush,
    isBilled,
  ]);
  const known = groups.get(key);
  groups.set(key, known ? addUp(known, group) : { ...group, name });
}

function addUp(a: JobGroup, b: JobGroup): JobGroup {
  return {
    ...a,
    jobs: a.jobs + b.jobs,
    roundedJobs: a.roundedJobs + b.roundedJobs,
    costNanos: a.costNanos + b.costNanos,
    timeNanos: a.timeNanos + b.timeNanos,
    lateNanos: a.lateNanos + b.lateNanos,
    billedMs: a.billedMs + b.billedMs,
    timeMs: a.timeMs + b.timeMs,
    lateMs: a.lateMs + b.lateMs,
    mergeableJobs: a.mergeableJobs + b.mergeableJobs,
    mergeNanos: a.mergeNanos + b.mergeNanos,
    mergedMs: a.mergedMs > b.mergedMs ? a.mergedMs : b.mergedMs,
    longestMs: a.longestMs > b.longestMs ? a.longestMs : b.longestMs,
    nanosPerMinute: a.nanosPerMinute > b.nanosPerMinute ? a.nanosPerMinute : b.nanosPerMinute,
    waitingJobs: a.waitingJobs + b.waitingJobs,
    waitedMs: a.waitedMs + b.waitedMs,
  };
}

export function wasteView(waste: Waste, workflows: readonly WorkflowWaste[]) {
  return { ...totalsView(waste), workflows: workflows.map(workflowView) };
}

export function totalsView({ period, split }: Waste) {
  const total = sumOf(split, 'all');
  return {
    period,
    total_cost: usd(total.costNanos),
    useful_cost: usd(split.useful.costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    total_minutes: minutes(total.ms),
    useful_minutes: minutes(split.useful.ms),
    categories: categoryViews(split),
  };
}

function workflowView({ id, name, repository, split, suggestions }: WorkflowWaste) {
  return {
    workflow_id: id,
    name,
    repository,
    cost: usd(sumOf(split, 'all').costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    categories: categoryViews(split),
    suggestions: suggestions.map(suggestionView),
  };
}

export function suggestionView({ savingNanos, ...suggestion }: Suggestion) {
  return { ...suggestion, saving: usd(savingNanos) };
}

export function categoryViews(split: Split) {
  const { costNanos } = sumOf(split, 'all');
  return categories.map((category) => shareView(category, split[category], costNanos));
}

function shareView(category: Category, share: Share, totalNanos: Nanos) {
  return {
    category,
    cost: usd(share.costNanos),
    minutes: minutes(share.ms),
    jobs: Number(share.jobs),
    share_percent: percentOf(share.costNanos, totalNanos),
    waited_minutes: minutes(share.waitedMs),
  };
}

export function minutes(ms: bigint): number {
  return Number(ms) / 60_000;
}
