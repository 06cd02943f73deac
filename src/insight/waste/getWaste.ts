import type { Context } from '../../context.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { listJobDays, newestDays } from '../../ledger/runs/reading.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { planWindow, slicesOf, type Window } from '../../platform/lib/days.ts';
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
import { findJobGroups, findWorkflows, type WasteFilter, type WorkflowName } from './queries.ts';
import { suggest, type Suggestion } from './suggest.ts';

export type WorkflowWaste = WorkflowName & { split: Split; suggestions: Suggestion[] };

/** `period` is shorter than asked for beyond the plan, beyond 90 days, or with too many jobs. */
export type Waste = { period: Window; split: Split; workflows: WorkflowWaste[] };

type Reader = Pick<Context, 'db' | 'actor' | 'clock' | 'providers'> & { plan: Plan };

const maxDays = 90;

/** A read of this size blocks the embedded database for a fraction of a second. */
const jobsPerRead = 5_000;

const maxJobs = 500_000;

export async function getWaste(
  { db, actor, clock, providers, plan }: Reader,
  { days, ...filter }: WasteFilter & { days: number },
): Promise<Waste> {
  const asked = planWindow(clock.now(), plan, Math.min(days, maxDays));
  const { orgId } = actor;
  const jobDays = await listJobDays({ db, actor }, asked);
  const counts = jobDays.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed();
  const period = newestDays(asked, counts, maxJobs);
  const read = jobDays.filter(({ day }) => day >= period.start);
  const names = await findWorkflows(db, orgId, filter);
  const isFiltered = filter.workflowId !== undefined || filter.repo !== undefined;
  const workflowIds = isFiltered ? names.map(({ id }) => id) : null;
  const collected = collector(providers);
  for (const slice of names.length === 0 ? [] : slicesOf(read, jobsPerRead)) {
    collected.add(await findJobGroups({ db, providers }, orgId, slice, workflowIds));
  }
  const workflows = collected.workflows(names);
  return {
    period,
    split: workflows.map(({ split }) => split).reduce(addSplits, emptySplit()),
    workflows: workflows.toSorted(byWaste),
  };
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

export function wasteView({ period, split }: Waste, workflows: readonly WorkflowWaste[]) {
  const total = sumOf(split, 'all');
  return {
    period,
    total_cost: usd(total.costNanos),
    useful_cost: usd(split.useful.costNanos),
    waste_cost: usd(sumOf(split, 'waste').costNanos),
    total_minutes: minutes(total.ms),
    useful_minutes: minutes(split.useful.ms),
    categories: categoryViews(split),
    workflows: workflows.map(workflowView),
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
    suggestions: suggestions.map(({ savingNanos, ...suggestion }) => ({
      ...suggestion,
      saving: usd(savingNanos),
    })),
  };
}

function categoryViews(split: Split) {
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

function minutes(ms: bigint): number {
  return Number(ms) / 60_000;
}
