import type { UnusualDays } from '../../ledger/costs/unusualDays.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import { documentationPaths } from '../../ledger/pullRequests/documentation.ts';
import { listJobDays, newestDays } from '../../ledger/runs/reading.ts';
import { dayOf, sliceOfDays, type TimeSlice, type Window } from '../../platform/lib/days.ts';
import { sumOf as total } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { getWasteOfRuns, type WasteContext } from './getWaste.ts';
import type { Split } from './jobGroups.ts';
import type { WasteFilter, WorkflowName } from './queries.ts';
import type { Suggestion } from './suggest.ts';
import {
  countPullRequests as countByWorkflow,
  findPairs,
  findRanJobs,
  findStartedRuns,
  findStarts,
} from './unneeded.queries.ts';
import {
  countPullRequests,
  hasPurpose,
  hasSameJobs,
  isHabit,
  judgeDocumentation,
  judgeSchedule,
  mayIdle,
  newestFirst,
  possibleTwins,
  readsTexts,
  removable,
  runsAlike,
  runsOnAllChanges,
  type Every,
  type Judged,
  type RanJob,
  type StartedRun,
  type Starts,
  type UnneededKind,
} from './unneeded.ts';
import { alwaysCanceledText, documentationText, duplicateText, idleScheduleText } from './wording.ts';

/** What shows that nobody needs these runs, and what a change of the file has to know. */
export type Evidence = {
  runs: number;
  /** Of how many on these events. */
  ofRuns: number;
  events: readonly string[];
  /** How often is enough, for a schedule. */
  every: Every | null;
  /** The workflow that does the same. */
  twin: WorkflowName | null;
  /** How many, of runs for pull requests. */
  pullRequests: number | null;
  newest: readonly StartedRun[];
};

/** Runs of a workflow that nobody needs. */
export type Unneeded = {
  kind: UnneededKind;
  workflowId: string;
  suggestion: Omit<Suggestion, 'savingNanos'>;
  evidence: Evidence;
  /** Of the runs found, of which not all can be avoided. */
  costNanos: Nanos;
  /** By category, because other fixes of the workflow can save a part of it. */
  avoidable: Split;
  /** Which part of the avoidable cost is on days that are not marked unusual. */
  usual: { costNanos: Nanos; ofNanos: Nanos };
  /** The days that were read, which are the newest ones if there are very many jobs. */
  window: Window;
};

type Found = Judged & { kind: UnneededKind; starts: Starts; events: readonly string[] } & {
  every: Every | null;
  twinId: string | null;
};

const maxJobs = 500_000;
/** Of each kind, the most expensive ones. */
const maxCandidates = 50;
const maxJobsNamed = 10;
const maxNewest = 5;

type Asked = { window: Window; names: readonly WorkflowName[]; filter: WasteFilter; unusual: UnusualDays };

export async function findUnneeded(
  ctx: Pick<WasteContext, 'db' | 'actor' | 'providers'>,
  asked: Asked,
): Promise<Unneeded[]> {
  const { db, actor, providers } = ctx;
  const window = await readableWindow(ctx, asked.window);
  const slice = sliceOfDays(window.start, window.end);
  const isFiltered = asked.filter.workflowId !== undefined || asked.filter.repo !== undefined;
  const repositories = isFiltered ? [...new Set(asked.names.map(({ repository }) => repository))] : null;
  const all = await findStarts(db, actor.orgId, slice, repositories);
  // What no file of the repository starts, such as `dynamic/` workflows, nobody can change there.
  const starts = all.filter(
    ({ provider, path, ...each }) =>
      isHabit({ provider, path, ...each }) &&
      (path === null || providers.of(provider)?.workflowFiles?.isEntry(path) !== false),
  );
  const found = joined([
    ...(await idleSchedules(ctx, slice, starts)),
    ...(await alwaysCanceled(ctx, slice, starts)),
    ...(await duplicates(ctx, slice, starts)),
    ...(await documentationOnly(ctx, slice, starts)),
  ]);
  const newest = found.flatMap((each) => each.found.slice(0, 1).map(({ id }) => id));
  const jobs = await findRanJobs(db, actor.orgId, newest);
  const wanted = new Set(asked.names.map(({ id }) => id));
  const unneeded: Unneeded[] = [];
  for (const each of countedOnce(
    found.map((one) => ({ ...one, jobs: jobNames(jobs.get(one.found[0]?.id ?? '')) })),
  )) {
    const { workflowId } = each.starts;
    if (!wanted.has(workflowId) || each.avoidable.length === 0) continue;
    const leftOut = asked.unusual.get(workflowId) ?? [];
    const usual = each.avoidable.filter(({ createdAt }) => !leftOut.includes(dayOf(createdAt)));
    const ids = each.avoidable.map(({ id }) => id);
    const avoidable = await getWasteOfRuns(ctx, ids);
    // Some providers retry jobs within a run, which is no other attempt.
    if (each.kind === 'idle_schedule' && avoidable.rerun.jobs > 0n) continue;
    unneeded.push({
      kind: each.kind,
      workflowId,
      ...explain(each, all, providers),
      costNanos: total(each.found, 'costNanos'),
      avoidable,
      usual: { costNanos: total(usual, 'costNanos'), ofNanos: total(each.avoidable, 'costNanos') },
      window,
    });
  }
  return unneeded;
}

async function readableWindow(ctx: Read, asked: Window): Promise<Window> {
  const days = await listJobDays(ctx, asked);
  return newestDays(asked, days.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed(), maxJobs);
}

const jobNames = (jobs: readonly RanJob[] = []): string[] =>
  [...new Set(jobs.map(({ name }) => name))].toSorted();

function explain(
  { kind, starts, events, every, twinId, found, of, jobs }: Found & { jobs: readonly string[] },
  all: readonly Starts[],
  providers: Providers,
): Pick<Unneeded, 'suggestion' | 'evidence'> {
  const yamlOf = providers.of(starts.provider)?.yaml;
  const other = all.find(({ workflowId }) => workflowId === twinId);
  const twin = other ? { id: other.workflowId, name: other.name, repository: other.repository } : null;
  const otherEvents = all
    .filter(({ workflowId, event }) => workflowId === starts.workflowId && !events.includes(event))
    .map(({ event }) => event)
    .toSorted();
  const counts = { found: found.length, of };
  const pullRequests = kind === 'documentation_only' ? countPullRequests(found) : null;
  const filtered = [...events, ...otherEvents.filter((event) => event === 'push')];
  const startOn = yamlOf?.startOn?.(otherEvents, events) ?? null;
  const what = {
    idle_schedule: () => ({
      action: 'run_less_often' as const,
      text: idleScheduleText(counts, every!),
      yaml: yamlOf?.runEvery?.(every!) ?? null,
    }),
    always_canceled: () => ({
      action: 'remove_trigger' as const,
      text: alwaysCanceledText(counts, events),
      yaml: startOn,
    }),
    duplicate_workflow: () => ({
      action: 'remove_duplicate' as const,
      text: duplicateText(counts, { events, jobs, twin: twin!.name }),
      yaml: startOn,
    }),
    documentation_only: () => ({
      action: 'skip_documentation' as const,
      text: documentationText(counts, pullRequests!),
      yaml: yamlOf?.ignorePaths?.(filtered, documentationPaths) ?? null,
    }),
  }[kind]();
  return {
    suggestion: { category: kind, ...what, jobs: jobs.slice(0, maxJobsNamed) },
    evidence: {
      runs: found.length,
      ofRuns: of,
      events,
      every,
      twin,
      pullRequests,
      newest: found.slice(0, maxNewest),
    },
  };
}

type Read = Pick<WasteContext, 'db' | 'actor'>;

async function idleSchedules(read: Read, slice: TimeSlice, all: readonly Starts[]): Promise<Found[]> {
  const candidates = all.filter(mayIdle).slice(0, maxCandidates);
  const runsOf = await readRuns(read, slice, candidates);
  return candidates.flatMap((starts): Found[] => {
    const judged = judgeSchedule(runsOf(starts));
    return judged ? [{ ...judged, kind: 'idle_schedule', starts, events: [starts.event], twinId: null }] : [];
  });
}

async function alwaysCanceled(read: Read, slice: TimeSlice, all: readonly Starts[]): Promise<Found[]> {
  const candidates = all.filter(({ runs, canceled }) => canceled === runs).slice(0, maxCandidates);
  const runsOf = await readRuns(read, slice, candidates);
  return candidates.map((starts) => ({
    ...allOf(starts, runsOf(starts)),
    kind: 'always_canceled',
    twinId: null,
  }));
}

async function duplicates(read: Read, slice: TimeSlice, all: readonly Starts[]): Promise<Found[]> {
  const { orgId } = read.actor;
  const candidates = all
    .filter(({ name, path }) => !hasPurpose([name, path]))
    .map((one) => ({ ...one, twinIds: possibleTwins(one, all) }))
    .filter(({ twinIds }) => twinIds.length > 0)
    .slice(0, maxCandidates);
  const pairs = Map.groupBy(await findPairs(read.db, orgId, slice, candidates), placeOf);
  const alike = [...pairs.values()].flatMap((own) => {
    const sampled = new Set(own.map(({ runId }) => runId)).size;
    const byTwin = Map.groupBy(own, ({ twinId }) => twinId);
    byTwin.delete(null);
    return [...byTwin.values()].filter((shared) => runsAlike(sampled, shared));
  });
  const runIds = alike.flat().flatMap(({ runId, twinRunId }) => [runId, twinRunId!]);
  const jobs = await findRanJobs(read.db, orgId, [...new Set(runIds)]);
  const twins = alike
    .filter((shared) => hasSameJobs(shared, jobs))
    .map(([first]) => ({ workflowId: first!.workflowId, twinId: first!.twinId!, event: first!.event }));
  const removed = removable(twins, all);
  const runsOf = await readRuns(read, slice, removed);
  const byPlace = new Map(all.map((starts) => [placeOf(starts), starts]));
  return removed.map(({ twinId, ...place }) => ({
    ...allOf(byPlace.get(placeOf(place))!, runsOf(place)),
    kind: 'duplicate_workflow',
    twinId,
  }));
}

async function documentationOnly(read: Read, slice: TimeSlice, all: readonly Starts[]): Promise<Found[]> {
  const event = 'pull_request';
  const named = all
    .filter(
      (one) => one.event === event && !hasPurpose([one.name, one.path]) && !readsTexts([one.name, one.path]),
    )
    .slice(0, maxCandidates);
  const repositories = [...new Set(named.map(({ repository }) => repository))];
  const counts = await countByWorkflow(read.db, read.actor.orgId, slice, { event, repositories });
  const candidates = named.filter(({ workflowId, repository }) => {
    const own = counts.find((each) => each.workflowId === workflowId);
    const any = counts.find((each) => each.workflowId === null && each.repository === repository);
    return own && any && runsOnAllChanges(own, any);
  });
  const asked = candidates.map((starts) => ({ ...starts, changes: 'documentation' }));
  const runsOf = await readRuns(read, slice, asked);
  return candidates.flatMap((starts): Found[] => {
    const judged = judgeDocumentation(runsOf(starts), starts.runs);
    return judged ? [{ ...allOf(starts, judged.found), kind: 'documentation_only', twinId: null }] : [];
  });
}

type Place = Pick<Starts, 'workflowId' | 'event'>;
const placeOf = ({ workflowId, event }: Place): string => `${workflowId} ${event}`;

async function readRuns(
  { db, actor }: Read,
  slice: TimeSlice,
  places: readonly (Place & { twinId?: string; changes?: string })[],
): Promise<(place: Place) => StartedRun[]> {
  const asked = places.map(({ workflowId, event, twinId = null, changes = null }) => ({
    workflowId,
    event,
    twinId,
    changes,
  }));
  const runs = Map.groupBy(await findStartedRuns(db, actor.orgId, slice, asked), placeOf);
  return (place) => (runs.get(placeOf(place)) ?? []).toSorted(newestFirst);
}

function allOf(starts: Starts, runs: readonly StartedRun[]) {
  return { starts, events: [starts.event], every: null, found: runs, avoidable: runs, of: starts.runs };
}

/** One finding for each workflow and kind, with all its events. */
function joined(found: readonly Found[]): Found[] {
  const byFix = Map.groupBy(found, ({ kind, starts }) => `${starts.workflowId}.${kind}`);
  return [...byFix.values()].map((all) => ({
    ...all[0]!,
    events: all.flatMap(({ events }) => events).toSorted(),
    found: all.flatMap((each) => each.found).toSorted(newestFirst),
    avoidable: all.flatMap((each) => each.avoidable).toSorted(newestFirst),
    of: all.reduce((sum, each) => sum + each.of, 0),
  }));
}

/** A run that two kinds find is avoided by the first. What the jobs of a schedule are for may speak against it. */
function countedOnce<Each extends Found & { jobs: readonly string[] }>(found: readonly Each[]): Each[] {
  const counted = new Set<string>();
  return found
    .filter(({ kind, jobs }) => kind === 'always_canceled' || !hasPurpose(jobs))
    .filter(({ kind, jobs }) => kind !== 'documentation_only' || !readsTexts(jobs))
    .map((each) => {
      const avoidable = each.avoidable.filter(({ id }) => !counted.has(id));
      for (const { id } of avoidable) counted.add(id);
      return { ...each, avoidable };
    });
}
