import type { Context } from '../../context.ts';
import { previousWindowOf } from '../../ledger/costs/periods.ts';
import type { UnusualDays } from '../../ledger/costs/unusualDays.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { listJobDays, newestDays } from '../../ledger/runs/reading.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import {
  addDays,
  dayOf,
  slicesOf,
  windowBetween,
  type Day,
  type TimeSlice,
  type Window,
} from '../../platform/lib/days.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { compare, getOrCreate } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import {
  addGroup,
  addSplits,
  emptySplit,
  splitJobs,
  sumOf,
  type Category,
  type Groups,
  type JobGroup,
  type Split,
} from './jobGroups.ts';
import {
  findGroupsOfRuns,
  findJobGroups,
  findWorkflows,
  type WasteFilter,
  type WorkflowName,
} from './queries.ts';
import { jobsPerRead, withRollups, type Rollups } from './rollups.ts';
import { suggest, type Suggestion } from './suggest.ts';

export type WorkflowSplit = WorkflowName & { split: Split };
export type WorkflowWaste = WorkflowSplit & {
  suggestions: Suggestion[];
  /** The suggestions without the days marked unusual. */
  usual: { suggestions: Suggestion[]; leftOutDays: readonly Day[] };
};

/**
 * `period` is shorter than requested if the request exceeds the plan's history or 90 days, or has too many jobs without
 * saved sums. Only `shown` workflows have suggestions.
 */
export type Waste = {
  period: Window;
  split: Split;
  workflows: WorkflowSplit[];
  shown: WorkflowWaste[];
};

/** Selects the workflows to show from a list sorted by waste. */
type Show = (workflows: WorkflowSplit[]) => readonly WorkflowSplit[];

export type WasteContext = Pick<Context, 'db' | 'actor' | 'clock' | 'providers' | 'findUnusualThreshold'> & {
  plan: Plan;
};

export type AskedWaste = WasteFilter & { days: number; from?: Day | undefined; to?: Day | undefined };

const noUnusual: UnusualDays = new Map();

const maxDays = 90;

const maxJobs = 500_000;

export function getWaste(
  ctx: WasteContext,
  { days, from, to, unusual, ...filter }: AskedWaste & { unusual?: UnusualDays },
  show?: Show,
): Promise<Waste> {
  return readWaste(ctx, { window: wasteWindow(ctx, { days, from, to }), filter, show, unusual });
}

/** By workflow id. Null if the window is too long to read completely. */
export async function getWorkflowWaste(ctx: ReadContext, window: Window): Promise<Map<string, Nanos> | null> {
  if (window.days > maxDays) return null;
  const filter = { workflowId: undefined, repo: undefined };
  const { period, workflows } = await readWaste(ctx, { window, filter, show: () => [] });
  if (period.start !== window.start) return null;
  return new Map(workflows.map(({ id, split }) => [id, sumOf(split, 'waste').costNanos]));
}

/** The waste of the previous period, which may precede the plan's history. Null if it cannot be read completely. */
export async function getPreviousWaste(
  ctx: ReadContext,
  asked: WasteFilter & Parameters<typeof previousWindowOf>[0],
): Promise<Waste | null> {
  const { workflowId, repo } = asked;
  const window = previousWindowOf(asked);
  if (!window) return null;
  const waste = await readWaste(ctx, { window, filter: { workflowId, repo }, show: () => [] });
  return waste.period.start === window.start ? waste : null;
}

type ReadContext = Pick<WasteContext, 'db' | 'actor' | 'providers'>;

/** Without `show`, shows all workflows. */
type Asked = {
  window: Window;
  filter: WasteFilter;
  show?: Show | undefined;
  unusual?: UnusualDays | undefined;
};

async function readWaste(ctx: ReadContext, asked: Asked): Promise<Waste> {
  const names = await findWorkflows(ctx.db, ctx.actor.orgId, asked.filter);
  const named = new Map(names.map((name) => [name.id, name]));
  const waste = await withRollups(ctx, (rollups) => wasteOfRollups(rollups, ctx, { ...asked, named }));
  return waste ?? wasteOfJobs(ctx, { ...asked, names });
}

/** Adds up saved sums. */
async function wasteOfRollups(
  rollups: Rollups,
  { providers }: ReadContext,
  { window, filter, show, named, unusual = noUnusual }: Asked & { named: ReadonlyMap<string, WorkflowName> },
): Promise<Waste> {
  const ids = idsOf(named.keys(), filter);
  const collected = collector(providers, unusual);
  // The sums of all jobs add up to those of the workflows.
  if (!show) {
    collected.add(await rollups.jobs(window, ids));
    if (unusual.size > 0) collected.addUsual(await rollups.jobs(window, [...unusual.keys()], unusual));
    return collected.waste(window, [...named.values()]);
  }
  const splits = await rollups.workflows(window, ids);
  const workflows = [...splits]
    .flatMap(([id, split]) => (named.has(id) ? [{ ...named.get(id)!, split }] : []))
    .toSorted(byWaste);
  const shown = show(workflows);
  const shownIds = shown.map(({ id }) => id);
  if (shownIds.length > 0) collected.add(await rollups.jobs(window, shownIds));
  return { period: window, ...summed(workflows), shown: shown.map(collected.withSuggestions) };
}

/** Reads individual jobs, at most 500,000. */
export async function wasteOfJobs(
  ctx: ReadContext,
  { window, filter, show, names, unusual = noUnusual }: Asked & { names: readonly WorkflowName[] },
): Promise<Waste> {
  const collected = collector(ctx.providers, unusual);
  const selection = { names, filter, isByDay: unusual.size > 0 };
  const period = await readSlices(ctx, window, selection, async (slice, workflowIds) => {
    const groups = await findJobGroups(ctx, ctx.actor.orgId, slice, workflowIds);
    collected.add(groups);
    collected.addUsual(
      groups.filter(({ workflowId }) => unusual.get(workflowId)?.includes(dayOf(slice.from)) === false),
    );
  });
  return collected.waste(period, names, show);
}

function summed(workflows: WorkflowSplit[]): Pick<Waste, 'split' | 'workflows'> {
  return { split: workflows.map(({ split }) => split).reduce(addSplits, emptySplit()), workflows };
}

/** The waste of these runs, including all attempts, or of their jobs that completed since a day. */
export async function getWasteOfRuns(
  ctx: ReadContext,
  runIds: readonly string[],
  since?: Day,
): Promise<Split> {
  const groups = await findGroupsOfRuns(ctx, ctx.actor.orgId, runIds, since);
  return groups.map(splitJobs).reduce(addSplits, emptySplit());
}

/** The days from `from` to `to`, or the last `days`, limited to the plan's history. */
export function wasteWindow(
  { clock, plan }: WasteContext,
  { days, from, to }: Pick<AskedWaste, 'days' | 'from' | 'to'>,
): Window {
  const today = dayOf(clock.now());
  const shown = planWindow(clock.now(), plan, historyDays[plan]);
  if (from === undefined && to === undefined) return planWindow(clock.now(), plan, Math.min(days, maxDays));
  if (from === undefined || to === undefined)
    throw invalid(from === undefined ? 'from' : 'to', 'must be given too: `from` and `to` are a pair');
  if (from > to) throw invalid('from', 'must not be after `to`');
  if (to < shown.start || from > today)
    throw invalid('to', `must be a day from ${shown.start} to ${today}, which your plan shows`);
  const end = to < today ? to : today;
  const oldest = [shown.start, addDays(end, 1 - maxDays)].toSorted().at(-1)!;
  return windowBetween(from > oldest ? from : oldest, end);
}

/**
 * Reads the window in slices, or only its newest days if it has more than 500,000 jobs. Returns the days that it has
 * read. With `isByDay`, no slice has two days.
 */
export async function readSlices(
  { db, actor }: Pick<WasteContext, 'db' | 'actor'>,
  window: Window,
  {
    names,
    filter,
    isByDay = false,
  }: { names: readonly WorkflowName[]; filter: WasteFilter; isByDay?: boolean },
  read: (slice: TimeSlice, workflowIds: readonly string[] | null) => Promise<void>,
): Promise<Window> {
  const jobDays = await listJobDays({ db, actor }, window);
  const counts = jobDays.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed();
  const period = newestDays(window, counts, maxJobs);
  const workflowIds = idsOf(
    names.map(({ id }) => id),
    filter,
  );
  const days = jobDays.filter(({ day }) => day >= period.start);
  const joinable = isByDay ? days.map((day) => [day]) : [days];
  const slices = joinable.flatMap((together) => slicesOf(together, jobsPerRead));
  for (const slice of names.length === 0 ? [] : slices) await read(slice, workflowIds);
  return period;
}

/** Null means all workflows. */
export function idsOf(ids: Iterable<string>, { workflowId, repo }: WasteFilter): string[] | null {
  return workflowId === undefined && repo === undefined ? null : [...ids];
}

export function ofCategory(workflows: readonly WorkflowSplit[], category: Category): WorkflowSplit[] {
  return workflows
    .filter(({ split }) => split[category].jobs > 0n)
    .toSorted(
      ({ split: { [category]: a } }, { split: { [category]: b } }) =>
        compare(b.costNanos, a.costNanos) || compare(b.jobs, a.jobs),
    );
}

type GroupsByWorkflow = Map<string, { groups: Groups; names: Set<string> }>;

function collector(providers: Providers, unusual: UnusualDays) {
  const byWorkflow: GroupsByWorkflow = new Map();
  const usual: GroupsByWorkflow = new Map();
  const groupsIn = (all: GroupsByWorkflow, id: string) => [...(all.get(id)?.groups.values() ?? [])];
  const groupsOf = (id: string) => groupsIn(byWorkflow, id);
  const addTo = (all: GroupsByWorkflow, groups: readonly JobGroup[]): void => {
    for (const group of groups) {
      const { groups: ofWorkflow, names } = getOrCreate(all, group.workflowId, () => ({
        groups: new Map(),
        names: new Set<string>(),
      }));
      addGroup(ofWorkflow, names, group);
    }
  };
  const suggestionsOf = (name: string, groups: readonly JobGroup[]): Suggestion[] => {
    const { costNanos } = sumOf(groups.map(splitJobs).reduce(addSplits, emptySplit()), 'waste');
    return suggest(name, groups, providers, costNanos);
  };
  const withSplit = (name: WorkflowName): WorkflowSplit[] => {
    const groups = groupsOf(name.id);
    if (groups.length === 0) return [];
    return [{ ...name, split: groups.map(splitJobs).reduce(addSplits, emptySplit()) }];
  };
  const withSuggestions = (workflow: WorkflowSplit): WorkflowWaste => {
    const suggestions = suggestionsOf(workflow.name, groupsOf(workflow.id));
    const leftOutDays = unusual.get(workflow.id) ?? [];
    const usualSuggestions =
      leftOutDays.length === 0 ? suggestions : suggestionsOf(workflow.name, groupsIn(usual, workflow.id));
    return { ...workflow, suggestions, usual: { suggestions: usualSuggestions, leftOutDays } };
  };
  return {
    add: (groups: readonly JobGroup[]) => addTo(byWorkflow, groups),
    /** Of workflows with unusual days: their jobs of all other days. */
    addUsual: (groups: readonly JobGroup[]) => addTo(usual, groups),
    withSuggestions,
    waste: (period: Window, names: readonly WorkflowName[], show?: Show): Waste => {
      const workflows = names.flatMap(withSplit).toSorted(byWaste);
      return { period, ...summed(workflows), shown: (show?.(workflows) ?? workflows).map(withSuggestions) };
    },
  };
}

function byWaste(a: WorkflowSplit, b: WorkflowSplit): number {
  return (
    compare(sumOf(b.split, 'waste').costNanos, sumOf(a.split, 'waste').costNanos) ||
    compare(sumOf(b.split, 'all').costNanos, sumOf(a.split, 'all').costNanos) ||
    compare(a.repository.toLowerCase(), b.repository.toLowerCase()) ||
    compare(a.name.toLowerCase(), b.name.toLowerCase()) ||
    compare(a.id, b.id)
  );
}
