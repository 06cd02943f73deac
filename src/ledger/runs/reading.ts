import type { Context } from '../../context.ts';
import type { Plan } from '../../platform/lib/actor.ts';
import { addDays, dayOf, windowBetween, type Day, type Window } from '../../platform/lib/days.ts';
import { invalid, notFound } from '../../platform/lib/errors.ts';
import { onPage, rowsOf, type Page } from '../../platform/lib/lists.ts';
import { historyDays, planWindow } from '../../tenancy/organizations/plans.ts';
import type { ActorKind } from '../actors/actorPattern.ts';
import { readActorKinds } from '../actors/patterns.ts';
import { nameBooks, type BookNames } from '../pricing/books.ts';
import { sumAmounts, type Amount } from './amounts.ts';
import { findJobs, findRun, type NamedRun } from './history.queries.ts';
import type { StoredJob } from './history.ts';
import {
  countRunsAwaitingApproval,
  countRunsByDay,
  findAndCountRuns,
  findFirstAndLastDay,
  findJobDays,
  findPullRequestRuns,
  findRuns,
  findUnpricedRunners,
  findWorkflowFile,
  findWorkflowIds,
  sumPullRequestRuns,
  type ListedRun,
  type NamedPullRequest,
  type PullRequest,
  type PullRequestActivity,
  type PullRequestRun,
  type RunSelection,
  type UnpricedSums,
  type WorkflowFile,
} from './reading.queries.ts';

export type { PullRequestActivity } from './reading.queries.ts';

type ReadContext = Pick<Context, 'db' | 'actor' | 'clock'> & { plan: Plan };

export type RunFilter = Pick<RunSelection, 'status' | 'conclusion' | 'branch'> & {
  /** A flag on a job, or `incomplete`: created before yesterday (UTC) and not reported as completed. */
  flag: string | undefined;
  days: number;
  /** Replaces `days`. */
  createdOn: Day | undefined;
  /** Replaces `days`. */
  completedOn: Day | undefined;
  workflowId: string | undefined;
  repo: string | undefined;
};

type OfKind = { actorKind: ActorKind | null };

export type ListedOfKind = ListedRun & OfKind;

/** The maximum number of runs or jobs to scan if the rollups do not have the count. */
const maxExaminedRuns = 10_000;
const maxExaminedJobs = 50_000;

/**
 * A page of the runs created in the period, newest first, and their total. A flag is about a cost, so it asks for the
 * runs with a flagged job that completed in the period. `period` is shorter than requested if the plan shows less or
 * there are too many runs to scan. Refuses a single day outside the plan's history.
 */
export async function listRuns(
  ctx: ReadContext,
  filter: RunFilter,
  page: Page,
): Promise<{ runs: ListedOfKind[]; total: number; period: Window }> {
  const { runs, ...found } = await findListed(ctx, filter, page);
  const kinds = await readActorKinds(ctx.db, ctx.actor.orgId);
  return { ...found, runs: runs.map((run) => ({ ...run, actorKind: kinds.of(run) })) };
}

async function findListed(
  { db, actor: { orgId }, clock, plan }: ReadContext,
  filter: RunFilter,
  page: Page,
): Promise<{ runs: ListedRun[]; total: number; period: Window }> {
  const now = clock.now();
  const asked = windowOf(filter, now, plan);
  const workflowIds = await workflowIdsOf(db, orgId, filter);
  const { status, conclusion, branch, createdOn } = filter;
  const doubt =
    filter.flag === 'incomplete'
      ? { flag: undefined, incompleteBefore: addDays(dayOf(now), -1) }
      : { flag: filter.flag, incompleteBefore: undefined };
  const shown = rowsOf(page);
  const completedIn = await completionOf(db, orgId, { ...filter, flag: doubt.flag }, asked);
  const common = { workflowIds, status, conclusion, branch, completedIn, ...doubt };
  if (completedIn !== undefined) {
    const window = createdOn === undefined ? null : asked;
    return { ...(await findAndCountRuns(db, orgId, { ...common, window }, shown)), period: completedIn };
  }
  const byDay = await countRunsByDay(db, orgId, asked, workflowIds);
  const asksMore = [status, conclusion, branch, filter.flag].some((value) => value !== undefined);
  const window = asksMore ? newestDays(asked, byDay, maxExaminedRuns) : asked;
  const selection: RunSelection = { ...common, window };
  if (asksMore) return { ...(await findAndCountRuns(db, orgId, selection, shown)), period: window };
  const total = byDay.reduce((sum, { runs }) => sum + runs, 0);
  const runs = shown.offset < total ? await findRuns(db, orgId, selection, shown) : [];
  return { runs, total, period: window };
}

/** The days of completion, if they decide. Jobs over a time limit have an index, and others are scanned. */
async function completionOf(
  db: Context['db'],
  orgId: string,
  { flag, createdOn, completedOn }: Pick<RunFilter, 'flag' | 'createdOn' | 'completedOn'>,
  asked: Window,
): Promise<Window | undefined> {
  if (completedOn !== undefined) return windowBetween(completedOn, completedOn);
  if (flag === undefined || createdOn !== undefined) return undefined;
  if (flag === 'over_time_limit') return asked;
  const byDay = await findJobDays(db, orgId, asked);
  const latestFirst = byDay.toReversed().map(({ day, jobs }) => ({ day, runs: jobs }));
  return newestDays(asked, latestFirst, maxExaminedJobs);
}

function windowOf({ days, createdOn, completedOn }: RunFilter, now: Date, plan: Plan): Window {
  const { start, end } = planWindow(now, plan, historyDays[plan]);
  for (const [name, day] of Object.entries({ created_on: createdOn, completed_on: completedOn })) {
    if (day !== undefined && (day < start || day > end)) {
      throw invalid(name, `must be a day from ${start} to ${end}, which your plan shows`);
    }
  }
  return createdOn === undefined ? planWindow(now, plan, days) : windowBetween(createdOn, createdOn);
}

async function workflowIdsOf(
  db: Context['db'],
  orgId: string,
  { workflowId, repo }: RunFilter,
): Promise<string[] | null> {
  if (repo === undefined) return workflowId === undefined ? null : [workflowId];
  const ids = await findWorkflowIds(db, orgId, repo);
  return workflowId === undefined ? ids : ids.filter((id) => id === workflowId);
}

/** The newest days of the window with at most `maxRuns` runs in total, but at least the newest day that has runs. */
export function newestDays(
  window: Window,
  byDay: readonly { day: Day; runs: number }[],
  maxRuns: number,
): Window {
  let sum = 0;
  const tooMany = byDay.findIndex(({ runs }) => (sum += runs) > maxRuns);
  if (tooMany === -1) return window;
  const start = tooMany === 0 ? byDay[0]!.day : addDays(byDay[tooMany]!.day, 1);
  return windowBetween(start, window.end);
}

const maxShownJobs = 2_000;

export type DetailedRun = {
  run: NamedRun & OfKind;
  jobs: (StoredJob & OfKind)[];
  jobCount: number;
  amounts: Amount[];
  bookNames: BookNames;
};

export async function getRun(
  { db, actor, providers }: Pick<Context, 'db' | 'actor' | 'providers'>,
  id: string,
): Promise<DetailedRun> {
  const run = await findRun(db, actor.orgId, id);
  if (!run) throw notFound('run');
  const { jobs, jobCount } = await findJobs(db, actor.orgId, id, maxShownJobs);
  const kinds = await readActorKinds(db, actor.orgId);
  return {
    run: { ...run, actorKind: kinds.of(run) },
    jobs: jobs.map((job) => ({ ...job, actorKind: kinds.of({ ...run, actor: job.actor }) })),
    jobCount,
    amounts: await sumAmounts({ db, actor }, [id]),
    bookNames: await nameBooks({ db, providers }, actor.orgId, jobs),
  };
}

const maxPullRequestRuns = 2_000;

/** With the kind of who started it, as opposed to who ran it again. */
export type StartedRun = PullRequestRun & { starterKind: ActorKind | null };

/** Newest first. An ordinary pull request has far fewer than the 2,000 runs that we read. */
export async function listPullRequestRuns(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  pullRequest: PullRequest,
): Promise<StartedRun[]> {
  const runs = await findPullRequestRuns(db, actor.orgId, pullRequest, maxPullRequestRuns);
  const kinds = await readActorKinds(db, actor.orgId);
  return runs.map((run) => ({ ...run, starterKind: kinds.of({ ...run, actor: run.startedBy }) }));
}

export function countPullRequestRuns(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  pullRequests: readonly NamedPullRequest[],
): Promise<PullRequestActivity[]> {
  return sumPullRequestRuns(db, actor.orgId, pullRequests);
}

/** Where a workflow's file is. Undefined if all of its runs were removed. */
export function getWorkflowFile(
  { db, actor }: Pick<ReadContext, 'db' | 'actor'>,
  workflowId: string,
): Promise<WorkflowFile | undefined> {
  return findWorkflowFile(db, actor.orgId, workflowId);
}

export function countAwaitingApproval(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  days: Pick<Window, 'start' | 'end'>,
): Promise<number> {
  return countRunsAwaitingApproval(db, actor.orgId, days);
}

export function listJobDays(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  window: Window,
): Promise<{ day: Day; jobs: number }[]> {
  return findJobDays(db, actor.orgId, window);
}

export function findRecordedDays({
  db,
  actor,
}: Pick<Context, 'db' | 'actor'>): Promise<{ first: Day; last: Day } | null> {
  return findFirstAndLastDay(db, actor.orgId);
}

/** `hasNewLabel`: the provider's own runners took its jobs, so this version of Runcost does not know its label yet. */
type UnpricedRunner = UnpricedSums & { hasNewLabel: boolean };

type UnpricedRunners = {
  runners: UnpricedRunner[];
  total: number;
  jobs: number;
  minutes: number;
};

export async function listUnpriced(
  { db, actor, clock, providers }: Pick<Context, 'db' | 'actor' | 'clock' | 'providers'>,
  { days, ...page }: { days: number } & Page,
): Promise<UnpricedRunners> {
  const runners = await findUnpricedRunners(db, actor.orgId, addDays(dayOf(clock.now()), 1 - days));
  return {
    runners: onPage(runners, page).map((runner) => ({
      ...runner,
      hasNewLabel: providers.isNewLabel(runner),
    })),
    total: runners.length,
    jobs: Number(runners.reduce((sum, { jobs }) => sum + jobs, 0n)),
    minutes: Number(runners.reduce((sum, { minutes }) => sum + minutes, 0n)),
  };
}
