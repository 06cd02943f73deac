import type { Database, Transaction } from '../db/database.ts';
import { taskJob, type Advance, type DoPiece } from '../jobs/tasks.ts';
import type { Job } from '../jobs/worker.ts';
import type { Clock } from '../lib/clock.ts';
import { lockCosts } from '../organizations/lockCosts.ts';
import { readPriceList } from '../pricing/findPriceList.ts';
import type { StoredJob } from '../runs/history.ts';
import { planJobChanges, saveJobChanges, type JobChange } from '../runs/changeJobs.ts';
import { priced } from '../runs/merge.ts';
import { factsDigest, isUntouched, pricedFacts, withPricedFacts } from './pricedFacts.ts';
import { findChanges, findPaidJobs, logChanges, type JobKey } from './queries.ts';
import { repriceKind, type Reprice, type RepriceInput, type RepriceState } from './repriceTask.ts';

type Save = (db: Database | Transaction, advance: Advance<RepriceState>) => Promise<void>;

const jobsAPiece = 300;

/** The job that prices recorded jobs anew, a piece at a time. */
export function repricingJob(program: { db: Database; clock: Clock }, size = jobsAPiece): Job {
  return taskJob(program, repriceKind, doReprice(program, size));
}

/**
 * Prices the next jobs anew, or gives the next ones back what they cost, in a transaction with all sums and the log:
 * killed between two pieces it goes on with the next, and what is recorded meanwhile comes before or after.
 */
export function doReprice({ db }: { db: Database }, size = jobsAPiece): DoPiece<RepriceInput, RepriceState> {
  return async (task, save) => {
    const { input } = task;
    if (input.action === 'revert') return revertPiece(db, task, input, save, size);
    return repricePiece(db, task, input, save, size);
  };
}

async function repricePiece(
  db: Database,
  task: Reprice,
  input: Extract<RepriceInput, { action: 'reprice' }>,
  save: Save,
  size: number,
): Promise<void> {
  const { orgId, id, state } = task;
  const { from, to, isDryRun } = input;
  const list = readPriceList(input.list);
  await db.transaction().execute(async (tx) => {
    if (!isDryRun) await lockCosts(tx, orgId);
    const page = await findPaidJobs(tx, orgId, { from, to, cursor: state.cursor, limit: size });
    const wanted = new Set(page.map(keyOf));
    const looked: JobChange[] = [];
    const planned = await planJobChanges(tx, orgId, runIdsOf(page), (job, run) => {
      if (!wanted.has(keyOf(job))) return job;
      const after = priced(job, run.provider, list);
      looked.push({ before: job, after });
      return after;
    });
    if (!isDryRun) {
      await saveJobChanges(tx, orgId, planned);
      await logChanges(tx, orgId, id, planned.jobs.map(loggedChange));
    }
    const last = page.at(-1);
    await save(tx, {
      state: advanced(state, {
        cursor: last ? { ...last, completedAt: last.completedAt.toISOString() } : state.cursor,
        changed: planned.jobs,
        looked,
      }),
      done: Number(task.done) + page.length,
      isDone: page.length < size,
    });
  });
}

async function revertPiece(
  db: Database,
  task: Reprice,
  { repriceId }: Extract<RepriceInput, { action: 'revert' }>,
  save: Save,
  size: number,
): Promise<void> {
  const { orgId, id, state } = task;
  await db.transaction().execute(async (tx) => {
    await lockCosts(tx, orgId);
    const page = await findChanges(tx, orgId, repriceId, { after: state.cursor, limit: size });
    const logged = new Map(page.map((change) => [keyOf(change), change]));
    const planned = await planJobChanges(tx, orgId, runIdsOf(page), (job) => {
      const change = logged.get(keyOf(job));
      return change && isUntouched(job, change) ? withPricedFacts(job, change.before) : job;
    });
    await saveJobChanges(tx, orgId, planned);
    await logChanges(tx, orgId, id, planned.jobs.map(loggedChange));
    const last = page.at(-1);
    const { runId, attempt, jobId } = last ?? { runId: '', attempt: 0, jobId: '' };
    const next = advanced(state, {
      cursor: last ? { completedAt: '', runId, attempt, jobId } : state.cursor,
      ...{ changed: planned.jobs, looked: planned.jobs },
    });
    await save(tx, {
      state: { ...next, skippedJobs: state.skippedJobs + page.length - planned.jobs.length },
      done: Number(task.done) + page.length,
      isDone: page.length < size,
    });
  });
}

function loggedChange({ before, after }: JobChange) {
  const { runId, attempt, jobId } = before;
  const facts = factsDigest(before);
  return { runId, attempt, jobId, facts, before: pricedFacts(before), after: pricedFacts(after) };
}

function advanced(
  state: RepriceState,
  piece: { cursor: RepriceState['cursor']; changed: readonly JobChange[]; looked: readonly JobChange[] },
): RepriceState {
  const sum = (cost: (change: JobChange) => StoredJob) =>
    piece.looked.reduce((total, change) => total + cost(change).costNanos, 0n);
  return {
    ...state,
    cursor: piece.cursor,
    changedJobs: state.changedJobs + piece.changed.length,
    beforeNanos: (BigInt(state.beforeNanos) + sum(({ before }) => before)).toString(),
    afterNanos: (BigInt(state.afterNanos) + sum(({ after }) => after)).toString(),
  };
}

function keyOf({ runId, attempt, jobId }: JobKey): string {
  return `${runId}/${attempt}/${jobId}`;
}

function runIdsOf(keys: readonly JobKey[]): string[] {
  return [...new Set(keys.map(({ runId }) => runId))];
}
