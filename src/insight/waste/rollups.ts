import { LRUCache } from 'lru-cache';
import type { Context } from '../../context.ts';
import type { UnusualDays } from '../../ledger/costs/unusualDays.ts';
import { firstWholeDay } from '../../ledger/retention/retention.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import { inSnapshot, type Database, type Transaction } from '../../platform/db/database.ts';
import { addDays, slicesOf, type Day, type Window } from '../../platform/lib/days.ts';
import {
  addGroup,
  addSplits,
  categories,
  emptySplit,
  splitJobs,
  type Groups,
  type JobGroup,
  type Split,
} from './jobGroups.ts';
import { findUnitGroups, type RunSlice, type UnitGroup } from './queries.ts';
import {
  findDayVersions,
  findStaleUnits,
  keyOfUnit,
  saveUnits,
  sumDays,
  sumJobs,
  type DayMeasures,
  type StaleUnit,
  type UnitSums,
  type WasteDay,
  type WasteJobs,
} from './rollups.queries.ts';

// A unit has the runs of a workflow that were created on a day, because a job is judged by the other jobs of its run
// and by newer runs of its workflow. Its sums are computed on demand, so recording only changes a version.

export type RollupContext = Pick<Context, 'db' | 'providers'> & { actor: Pick<Context['actor'], 'orgId'> };

type DaySplit = { day: Day; workflowId: string; split: Split };

/** Sums by day of completion within a window, for these workflows or for all if null. */
export type Rollups = {
  workflows: (window: Window, workflowIds: readonly string[] | null) => Promise<Map<string, Split>>;
  days: (window: Window, workflowIds: readonly string[] | null) => Promise<DaySplit[]>;
  /** All workflows together, with an empty `workflowId`. */
  totals: (window: Window, workflowIds: readonly string[] | null) => Promise<DaySplit[]>;
  /** Leaves out the unusual days of each workflow. */
  jobs: (window: Window, workflowIds: readonly string[] | null, without?: UnusualDays) => Promise<JobGroup[]>;
};

/** Limits the memory and the time of a read. */
export const jobsPerRead = 5_000;

/**
 * A request computes the sums of at most this many jobs. If there are more, background work must compute them first.
 */
const maxJobsMade = 200_000;

/**
 * Updates the sums, then runs `work` in a snapshot, which includes what has changed since. Returns null if too many
 * sums are missing, as after an upgrade.
 */
export async function withRollups<T>(
  ctx: RollupContext,
  work: (rollups: Rollups) => Promise<T>,
): Promise<T | null> {
  const { db } = ctx;
  const { orgId } = ctx.actor;
  const isMade = await coalesceMaking(orgId, async () => {
    const stale = await findStale(db, ctx);
    if (jobsOf(stale) > maxJobsMade) return false;
    await makeUnits(ctx, stale);
    return true;
  });
  if (!isMade) return null;
  return inSnapshot(db, async (tx) => {
    const changed = await findStale(tx, ctx);
    const sums: UnitSums[] = [];
    for (const batch of batchesOf(changed)) sums.push(...(await sumUnits(tx, ctx, batch)));
    return work(rollupsOf(tx, orgId, changed, sums));
  });
}

const coalesceMaking = createCoalescer<boolean>();

export function jobsOf(units: readonly StaleUnit[]): number {
  return units.reduce((sum, { jobs }) => sum + jobs, 0);
}

/** Computes missing and outdated sums, in short transactions. */
export async function makeUnits(ctx: RollupContext, units: readonly StaleUnit[]): Promise<void> {
  const { orgId } = ctx.actor;
  for (const batch of batchesOf(units)) {
    await ctx.db.transaction().execute(async (tx) => {
      const sums = await sumUnits(tx, ctx, batch);
      // Read last, because a removal may have deleted runs of older days in the meantime.
      const first = await firstWholeDay(tx, orgId);
      await saveUnits(
        tx,
        orgId,
        sums.filter(({ unit }) => first === null || unit.day >= first),
      );
    });
  }
}

function* batchesOf(units: readonly StaleUnit[]): Generator<StaleUnit[]> {
  let [batch, jobs]: [StaleUnit[], number] = [[], 0];
  for (const unit of units) {
    if (batch.length > 0 && jobs + unit.jobs > jobsPerRead) {
      yield batch;
      [batch, jobs] = [[], 0];
    }
    batch.push(unit);
    jobs += unit.jobs;
  }
  if (batch.length > 0) yield batch;
}

/** Past days without outdated sums, with their versions. */
const freshDays = new WeakMap<Database, LRUCache<string, Map<Day, string>>>();
const maxOrganizations = 100;

/** Units with missing or outdated sums. Leaves out days with removed runs, whose sums stay. */
export async function findStale(
  db: Database | Transaction,
  ctx: RollupContext,
  asked: { from?: Day | null; until?: Day } = {},
): Promise<StaleUnit[]> {
  const { orgId } = ctx.actor;
  const { from = await firstWholeDay(db, orgId) } = asked;
  const days = await findDayVersions(db, orgId, { from, until: asked.until ?? null });
  const fresh = freshDaysOf(ctx.db, orgId);
  const versions = new Map(days.map(({ day, version }) => [day, version]));
  const keyOf = (day: Day): string => `${versions.get(day)} ${versions.get(addDays(day, 1))}`;
  const changed = days.map(({ day }) => day).filter((day) => fresh.get(day) !== keyOf(day));
  const stale = await findStaleUnits(db, orgId, changed);
  const staleDays = new Set(stale.map(({ day }) => day));
  // The latest days change all the time, and a worker may be saving older sums of them.
  const closed = new Set(days.slice(0, -2).map(({ day }) => day));
  for (const day of changed) if (closed.has(day) && !staleDays.has(day)) fresh.set(day, keyOf(day));
  return stale;
}

function freshDaysOf(db: Database, orgId: string): Map<Day, string> {
  const ofDatabase = freshDays.get(db) ?? new LRUCache<string, Map<Day, string>>({ max: maxOrganizations });
  freshDays.set(db, ofDatabase);
  const fresh = ofDatabase.get(orgId) ?? new Map<Day, string>();
  ofDatabase.set(orgId, fresh);
  return fresh;
}

export async function sumUnits(
  tx: Transaction,
  ctx: RollupContext,
  units: readonly StaleUnit[],
): Promise<UnitSums[]> {
  const sums = new Map(units.map((unit) => [keyOfUnit(unit), newSum(unit)]));
  for (const slices of readsOf(units)) {
    for (const group of await findUnitGroups(tx, ctx, ctx.actor.orgId, slices))
      addToUnit(sums.get(keyOfUnit({ day: group.createdOn, workflowId: group.workflowId }))!, group);
  }
  return [...sums.values()].map(unitSumsOf);
}

function* readsOf(units: readonly StaleUnit[]): Generator<RunSlice[]> {
  const slices = units.map(({ day, workflowId, jobs }) =>
    slicesOf([{ day, jobs: Math.max(jobs, 1) }], jobsPerRead).map((slice) => ({ workflowId, ...slice })),
  );
  yield slices.filter(({ length }) => length === 1).flat();
  for (const parts of slices.filter(({ length }) => length > 1)) for (const part of parts) yield [part];
}

type UnitSum = {
  unit: StaleUnit;
  readsNext: boolean;
  names: Set<string>;
  days: Map<Day, Groups>;
};

function newSum(unit: StaleUnit): UnitSum {
  return { unit, readsNext: false, names: new Set(), days: new Map() };
}

function addToUnit(sum: UnitSum, { day, createdOn: _, readsNext, ...group }: UnitGroup): void {
  sum.readsNext ||= readsNext;
  const groups = sum.days.get(day) ?? new Map<string, JobGroup>();
  sum.days.set(day, groups);
  addGroup(groups, sum.names, group);
}

function unitSumsOf({ unit, readsNext, days }: UnitSum): UnitSums {
  const place = { workflowId: unit.workflowId, createdOn: unit.day };
  return {
    unit,
    readsNext,
    days: [...days].map(([day, groups]) => ({ day, ...place, ...measuresOf(splitOfGroups(groups)) })),
    jobs: [...days].flatMap(([day, groups]) =>
      [...groups.values()].map((group, part) => ({ ...group, day, ...place, part })),
    ),
  };
}

function splitOfGroups(groups: Groups): Split {
  return [...groups.values()].map(splitJobs).reduce(addSplits, emptySplit());
}

function measuresOf(split: Split): DayMeasures {
  const { rounding, failed, superseded, rerun, useful, skipped_after_queueing: skipped } = split;
  return {
    roundingNanos: rounding.costNanos,
    roundingMs: rounding.ms,
    roundingJobs: rounding.jobs,
    failedNanos: failed.costNanos,
    failedMs: failed.ms,
    failedJobs: failed.jobs,
    supersededNanos: superseded.costNanos,
    supersededMs: superseded.ms,
    supersededJobs: superseded.jobs,
    rerunNanos: rerun.costNanos,
    rerunMs: rerun.ms,
    rerunJobs: rerun.jobs,
    usefulNanos: useful.costNanos,
    usefulMs: useful.ms,
    usefulJobs: useful.jobs,
    skippedJobs: skipped.jobs,
    waitedMs: skipped.waitedMs,
  };
}

function splitOf(sum: DayMeasures): Split {
  const split = emptySplit();
  for (const part of [...categories, 'useful'] as const) {
    if (part === 'skipped_after_queueing') continue;
    split[part] = {
      ...split[part],
      costNanos: sum[`${part}Nanos`],
      ms: sum[`${part}Ms`],
      jobs: sum[`${part}Jobs`],
    };
  }
  const { skippedJobs: jobs, waitedMs } = sum;
  split.skipped_after_queueing = { ...split.skipped_after_queueing, jobs, waitedMs };
  return split;
}

/** The saved sums, and the computed sums of units that have changed since. */
function rollupsOf(
  tx: Transaction,
  orgId: string,
  except: readonly StaleUnit[],
  made: readonly UnitSums[],
): Rollups {
  const isAsked = (window: Window, workflowIds: readonly string[] | null) => {
    const wanted = workflowIds && new Set(workflowIds);
    return ({ day, workflowId }: Pick<WasteDay, 'day' | 'workflowId'>) =>
      day >= window.start && day <= window.end && (wanted?.has(workflowId) ?? true);
  };
  const daysOf = (window: Window, workflowIds: readonly string[] | null) =>
    made.flatMap(({ days }) => days).filter(isAsked(window, workflowIds));
  return {
    workflows: async (window, workflowIds) => {
      const stored = await sumDays(tx, orgId, { by: ['workflowId'], window, workflowIds, except });
      const splits = new Map<string, Split>();
      for (const sum of [...stored, ...daysOf(window, workflowIds)]) {
        const known = splits.get(sum.workflowId);
        splits.set(sum.workflowId, known ? addSplits(known, splitOf(sum)) : splitOf(sum));
      }
      return splits;
    },
    days: async (window, workflowIds) => {
      const stored = await sumDays(tx, orgId, { by: ['day', 'workflowId'], window, workflowIds, except });
      return [...stored, ...daysOf(window, workflowIds)].map((sum) => ({
        day: sum.day,
        workflowId: sum.workflowId,
        split: splitOf(sum),
      }));
    },
    totals: async (window, workflowIds) => {
      const stored = await sumDays(tx, orgId, { by: ['day'], window, workflowIds, except });
      return [...stored, ...daysOf(window, workflowIds)].map((sum) => ({
        day: sum.day,
        workflowId: '',
        split: splitOf(sum),
      }));
    },
    jobs: async (window, workflowIds, unusual = new Map<string, Day[]>()) => {
      const without = [...unusual].flatMap(([workflowId, days]) => days.map((day) => ({ day, workflowId })));
      const stored = await sumJobs(tx, orgId, { window, workflowIds, except, without });
      const isUsual = ({ day, workflowId }: WasteDay | WasteJobs) => !unusual.get(workflowId)?.includes(day);
      return [
        ...stored,
        ...made
          .flatMap(({ jobs }) => jobs)
          .filter(isAsked(window, workflowIds))
          .filter(isUsual),
      ];
    },
  };
}
