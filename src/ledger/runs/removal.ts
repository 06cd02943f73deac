import type { Transaction } from '../../platform/db/database.ts';
import { addDays, startOfDay, type Day } from '../../platform/lib/days.ts';
import { earliest } from '../../platform/lib/time.ts';
import { reportsOfRun } from './decideFields.ts';
import { takeFew } from './deleteRuns.ts';
import { findRunsToRemove } from './deletion.queries.ts';
import { runIdOf, type RunHistory } from './history.ts';
import { renewCreationDays, renewDays } from './queries.ts';
import { findRemovedIds, removeRunRows } from './removal.queries.ts';
import type { JobReport, RunReport } from './report.ts';

export { countRunsBefore, hasRunsBefore } from './removal.queries.ts';

/** `lastDay` is the day on which the newest of them was created. */
export type OldRuns = { ids: string[]; jobs: number; lastDay: Day | null; hasMore: boolean };

export async function findOldRuns(
  tx: Transaction,
  orgId: string,
  { before, limit }: { before: Day; limit: number },
): Promise<OldRuns> {
  const found = await findRunsToRemove(tx, orgId, { to: addDays(before, -1) }, limit + 1);
  const runs = takeFew(found, limit);
  return {
    ids: runs.map(({ id }) => id),
    jobs: runs.reduce((sum, { jobs }) => sum + jobs, 0),
    lastDay: runs.at(-1)?.day ?? null,
    hasMore: runs.length < found.length,
  };
}

/**
 * Removes runs with their jobs, but keeps the sums of their days. Unlike a deletion, it keeps the names of their
 * workflows, and the runs are never recorded again. The caller holds the organization's lock.
 */
export async function removeOldRuns(tx: Transaction, orgId: string, ids: string[]): Promise<void> {
  await renewDays(tx, orgId, ids);
  await renewCreationDays(tx, orgId, ids);
  await removeRunRows(tx, orgId, ids);
}

type Reported = {
  reports: readonly RunReport[];
  known: ReadonlyMap<string, RunHistory>;
  detailsFrom: Day | null;
};

/** Reported runs from before the first day whose runs are kept. Their costs are final. */
export async function findRemoved(
  tx: Transaction,
  orgId: string,
  { reports, known, detailsFrom }: Reported,
): Promise<ReadonlySet<string>> {
  if (detailsFrom === null) return new Set();
  const start = startOfDay(detailsFrom);
  const isBefore = (report: RunReport) => {
    const run = known.get(runIdOf(report))?.run;
    const createdAt = report.state?.createdAt ?? (run && exactCreation(run)) ?? estimate(run, report.jobs);
    return (createdAt !== null && createdAt < start) || (run !== undefined && run.createdAt < start);
  };
  const ids = [...new Set(reports.map(runIdOf))];
  const removed = await findRemovedIds(
    tx,
    orgId,
    ids.filter((id) => !known.has(id)),
  );
  return new Set([...removed, ...reports.filter(isBefore).map(runIdOf)]);
}

function exactCreation(run: RunHistory['run']): Date | null {
  return reportsOfRun(run).some(({ createdAt }) => createdAt !== null) ? run.createdAt : null;
}

/** A run is created before its jobs, so they can move an estimate. */
function estimate(run: RunHistory['run'] | undefined, jobs: readonly JobReport[]): Date | null {
  const times = jobs.flatMap((job) => [job.createdAt, job.startedAt, job.completedAt, job.observedAt]);
  return earliest([run?.createdAt ?? null, ...times]);
}
