import type { Context } from '../../context.ts';
import { findUnusualDays, findUnusualRule, type UnusualDays } from '../../ledger/costs/unusualDays.ts';
import { findRecordedDays, listJobDays, newestDays } from '../../ledger/runs/reading.ts';
import type { Plan as BillingPlan } from '../../platform/lib/actor.ts';
import {
  addDays,
  dayOf,
  slicesOf,
  sliceOfDays,
  startOfDay,
  windowBetween,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import { historyDays } from '../../tenancy/organizations/plans.ts';
import {
  findJobCells,
  findJobSums,
  findRepositoryNames,
  findRepositoryWorkflows,
  findRunCells,
  findStartCells,
  type JobCell,
  type JobSums,
  type RunCell,
  type StartCell,
} from './queries.ts';

export type History = {
  window: Window;
  jobs: readonly JobCell[];
  runs: readonly RunCell[];
  starts: readonly StartCell[];
  recordedJobs: number;
  /** Days that workflows marked unusual, on which the cells are those of a usual day. */
  leftOutDays: readonly Day[];
  /** The first day of each workflow, even if it is before the window. */
  firstDays: ReadonlyMap<string, Day>;
  /** The recorded provider of the runs. Null if there are none. */
  provider: string | null;
};

export type HistoryContext = Pick<
  Context,
  'db' | 'actor' | 'clock' | 'providers' | 'findUnusualThreshold'
> & {
  plan: BillingPlan;
};

const maxDays = 84;
/** Limits the memory and the time of a read. */
const jobsPerRead = 10_000;
const maxJobs = 500_000;

/** The last twelve weeks up to yesterday, or as many days as the plan shows. */
export async function readHistory(
  ctx: HistoryContext,
  of: { repository: string; provider: string },
): Promise<History> {
  const { db, actor, clock, plan } = ctx;
  const { orgId } = actor;
  const asked = windowEnding(addDays(dayOf(clock.now()), -1), Math.min(maxDays, historyDays[plan] - 1));
  const workflows = await findRepositoryWorkflows(db, orgId, of);
  const jobDays = await listJobDays({ db, actor }, asked);
  const counts = jobDays.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed();
  const recorded = await findRecordedDays({ db, actor });
  const newest = newestDays(asked, counts, maxJobs);
  const window =
    recorded && recorded.first > newest.start && recorded.first <= newest.end
      ? windowBetween(recorded.first, newest.end)
      : newest;
  const history: { jobs: JobCell[]; runs: RunCell[]; starts: StartCell[] } = {
    jobs: [],
    runs: [],
    starts: [],
  };
  const workflowIds = workflows.map(({ id }) => id);
  if (workflowIds.length > 0) {
    for (const slice of slicesOf(
      jobDays.filter(({ day }) => day >= window.start),
      jobsPerRead,
    )) {
      history.jobs.push(...(await findJobCells(db, orgId, { slice, workflowIds })));
    }
    const whole = { slice: sliceOfDays(window.start, window.end), workflowIds };
    history.runs = await findRunCells(db, orgId, whole);
    history.starts = await findStartCells(db, orgId, whole);
  }
  const rule = await findUnusualRule(ctx);
  const unusual = await findUnusualDays(db, orgId, workflowIds, { window, rule });
  return {
    window,
    jobs: withUsualDays(history.jobs, {
      placeOf: ({ workflowId, costDay }) => [workflowId, costDay],
      unusual,
      window,
    }),
    runs: withUsualDays(history.runs, {
      placeOf: ({ workflowId, day }) => [workflowId, day],
      unusual,
      window,
    }),
    starts: withUsualDays(history.starts, {
      placeOf: ({ event, day }) => [event, day],
      unusual: unusualOfEvents(history.runs, unusual),
      window,
    }),
    recordedJobs: history.jobs.reduce((sum, { jobs }) => sum + jobs, 0),
    leftOutDays: [...new Set([...unusual.values()].flat())].toSorted(),
    firstDays: new Map(workflows.map(({ id, firstRunAt }) => [id, dayOf(firstRunAt)])),
    provider: workflows[0]?.provider ?? null,
  };
}

/** A start belongs to several workflows, so its event has the unusual days of each workflow that it started then. */
function unusualOfEvents(runs: readonly RunCell[], unusual: UnusualDays): UnusualDays {
  const ofUnusual = runs.filter(
    ({ event, workflowId, day }) => event !== null && unusual.get(workflowId)?.includes(day),
  );
  const byEvent = Map.groupBy(ofUnusual, ({ event }) => event!);
  return new Map([...byEvent].map(([event, cells]) => [event, [...new Set(cells.map(({ day }) => day))]]));
}

type Cell = { day: Day; isStandIn?: true };
type Unusual<Each> = {
  /** Whose days are marked: a workflow's or an event's, and the day that counts. */
  placeOf: (cell: Each) => [id: string, day: Day];
  unusual: UnusualDays;
  window: Pick<Window, 'start' | 'end'>;
};

/** Each day that is marked unusual gets what the nearest usual day of the same weekday had. */
function withUsualDays<Each extends Cell>(
  cells: readonly Each[],
  { placeOf, unusual, window: { start, end } }: Unusual<Each>,
): Each[] {
  if (unusual.size === 0) return [...cells];
  const isUnusual = (id: string, day: Day) => unusual.get(id)?.includes(day) ?? false;
  const usual = cells.filter((cell) => !isUnusual(...placeOf(cell)));
  const byPlace = Map.groupBy(usual, (cell) => placeOf(cell).join(' '));
  const standIns = [...unusual].flatMap(([id, days]) =>
    days.flatMap((day) => {
      const distance = nearWeeks.find((weeks) => {
        const other = addDays(day, 7 * weeks);
        return other >= start && other <= end && !isUnusual(id, other);
      });
      if (distance === undefined) return [];
      const found = byPlace.get(`${id} ${addDays(day, 7 * distance)}`) ?? [];
      return found.map((cell): Each => ({ ...cell, day: addDays(cell.day, -7 * distance), isStandIn: true }));
    }),
  );
  return [...usual, ...standIns];
}

/** Before a day first: −1, 1, −2, 2, … */
const nearWeeks = Array.from({ length: maxDays / 7 }, (_, index) => [-1 - index, 1 + index]).flat();

export function readRepositoryNames({ db, actor }: HistoryContext): Promise<string[]> {
  return findRepositoryNames(db, actor.orgId);
}

const maxSums = 5_000;
const sumDays = 14;

/** Jobs of the whole organization in the last two weeks, for job names that are new in the repository. */
export async function readJobSums({ db, actor }: HistoryContext, { end }: Window): Promise<JobSums[]> {
  const days = await listJobDays({ db, actor }, windowEnding(end, sumDays));
  const counts = days.map(({ day, jobs }) => ({ day, runs: jobs })).toReversed();
  const { start } = newestDays(windowEnding(end, sumDays), counts, 100_000);
  return findJobSums(
    db,
    actor.orgId,
    { from: startOfDay(start), until: startOfDay(addDays(end, 1)) },
    maxSums,
  );
}
