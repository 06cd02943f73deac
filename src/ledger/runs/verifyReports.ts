import type { Transaction } from '../../platform/db/database.ts';
import { findHistories } from './history.queries.ts';
import type { StoredJob, StoredRun } from './history.ts';
import { decideAgain } from './merge.ts';
import { findRunIds } from './verification.queries.ts';

const runFields = [
  'workflowId',
  'repository',
  'isPrivate',
  'event',
  'branch',
  'pullRequest',
  'attempt',
  'status',
  'rawConclusion',
  'conclusion',
  'createdAt',
  'startedAt',
  'completedAt',
  'durationSeconds',
  'costNanos',
] as const satisfies (keyof StoredRun)[];

const jobFields = [
  'name',
  'labels',
  'runnerName',
  'runnerGroup',
  'status',
  'rawConclusion',
  'startedAt',
  'completedAt',
  'ran',
  'isCarriedOver',
] as const satisfies (keyof StoredJob)[];

const runsAtOnce = 500;

/** Merges the stored reports of each run and its jobs again, and names what their rows have otherwise. */
export async function verifyReports(
  tx: Transaction,
  orgId: string,
  note: (of: 'runs' | 'jobs', faults: string[]) => void,
): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const ids: string[] = await findRunIds(tx, orgId, { after, limit: runsAtOnce });
    for (const history of (await findHistories(tx, orgId, ids)).values()) {
      const again = decideAgain(history);
      note('runs', differences(history.run.id, runFields, history.run, again.run));
      for (const [index, job] of history.jobs.entries()) {
        const place = `${job.runId}, attempt ${job.attempt}, job ${job.jobId}`;
        const faults = differences(place, jobFields, job, again.jobs[index]!);
        note('jobs', [...faults, ...faultsOfCost(place, job)]);
      }
    }
    after = ids.at(-1) ?? null;
  }
}

function differences<Row>(place: string, fields: readonly (keyof Row)[], stored: Row, again: Row): string[] {
  const textOf = (value: unknown) =>
    typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? 'null');
  return fields
    .map((field) => [String(field), textOf(stored[field]), textOf(again[field])] as const)
    .filter(([, found, expected]) => found !== expected)
    .map(([field, found, expected]) => `${place}: ${field} is ${found}, its reports have ${expected}`);
}

const msPerMinute = 60_000;

/**
 * Its minutes times its own price, for each of the runners that it had at once. Time beyond a limit is not billed, and
 * seconds need the provider's rounding.
 */
function faultsOfCost(place: string, job: StoredJob): string[] {
  const { isCarriedOver, startedAt, completedAt, billedMinutes, nanosPerMinute, rounding, costNanos } = job;
  const ms = startedAt && completedAt ? Math.max(0, completedAt.getTime() - startedAt.getTime()) : 0;
  const isCut = job.flags.includes('over_time_limit');
  const bills = billedMinutes > 0 || costNanos > 0n;
  const isWrong =
    isCarriedOver || job.status !== 'completed'
      ? bills
      : bills &&
        ((!isCut && billedMinutes !== Math.ceil(ms / msPerMinute)) ||
          (rounding === 'minute' && !isMultiple(costNanos, BigInt(billedMinutes) * nanosPerMinute)));
  return isWrong
    ? [`${place}: ${billedMinutes} minutes and ${costNanos} nano-dollars do not fit its time and price`]
    : [];
}

function isMultiple(nanos: bigint, ofOne: bigint): boolean {
  return ofOne === 0n ? nanos === 0n : nanos > 0n && nanos % ofOne === 0n;
}
