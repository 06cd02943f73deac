/** Which part of each job's cost is waste, from the words of docs/reference/waste.md. */
import { completed, type Job } from './history.ts';
import { isCarriedOver, type PaidJob } from './ledger.ts';
import type { MergedRun } from './reports.ts';

export type WasteParts = {
  rounding: bigint;
  rerun: bigint;
  superseded: bigint;
  failed: bigint;
  useful: bigint;
};

const dayMs = 86_400_000;
const replaceable = ['push', 'pull_request', 'pull_request_target', 'merge_request_event'];

export function wasteOf({ run, job, price }: PaidJob, runs: readonly MergedRun[]): WasteParts {
  const parts = { rounding: 0n, rerun: 0n, superseded: 0n, failed: 0n, useful: 0n };
  const { ms, nanos, nanosPerMinute, isBySecond } = price;
  const costOf = (time: number) => (nanosPerMinute * BigInt(time)) / 60_000n;
  const used = isBySecond ? nanos : costOf(ms);
  parts.rounding = nanos - used;
  const end = ['failure', 'timed_out', 'startup_failure', 'cancelled'].includes(job.conclusion ?? '')
    ? 'failed'
    : 'useful';
  const performed = run.jobs.filter((other) => !isCarriedOver(other, run.jobs));
  const newer = job.attempt === 1 ? supersededAt(run, runs) : Infinity;
  const stop = job.startedAt! + ms;
  if (isRepeated(job, run, performed)) parts.rerun = used;
  else if (newer >= job.completedAt!) parts[end] = used;
  else if (job.conclusion === 'cancelled') parts.superseded = used;
  else {
    parts.superseded = newer <= job.startedAt! ? used : costOf(Math.max(0, stop - newer));
    parts[end] = used - parts.superseded;
  }
  return parts;
}

const withoutResult = ['cancelled', 'skipped', 'stale', 'action_required'];
const gaveResult = ({ status, conclusion }: Job): boolean =>
  status === completed && !withoutResult.includes(conclusion ?? '');
const succeeded = ({ conclusion }: Job): boolean => conclusion === 'success' || conclusion === 'neutral';
const nameOf = ({ name, jobId }: Job): string => name ?? jobId;

/** If several have the name and only some ran again, the unsuccessful ones are repeated first. */
function isRepeated(job: Job, { provider }: MergedRun, performed: readonly Job[]): boolean {
  const named = performed.filter((other) => nameOf(other) === nameOf(job));
  if (/^(gitlab|circleci|buildkite)(\.|$)/.test(provider)) {
    const turns = named.toSorted(
      (a, b) => compare(a.startedAt ?? Infinity, b.startedAt ?? Infinity) || compare(a.jobId, b.jobId),
    );
    return turns.slice(turns.indexOf(job) + 1).some(gaveResult);
  }
  const later = named.filter((other) => other.attempt > job.attempt && gaveResult(other));
  const again = Math.max(
    0,
    ...[...Map.groupBy(later, ({ attempt }) => attempt).values()].map((of) => of.length),
  );
  const alike = named
    .filter(({ attempt }) => attempt === job.attempt)
    .toSorted((a, b) => Number(succeeded(a)) - Number(succeeded(b)) || compare(a.jobId, b.jobId));
  return alike.indexOf(job) < again;
}

const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : a > b ? 1 : 0);

/** When a newer run of the same workflow, branch and event was created, within a day. */
function supersededAt(run: MergedRun, runs: readonly MergedRun[]): number {
  if (run.branch === null || !replaceable.includes(run.event ?? '')) return Infinity;
  const newer = runs.filter(
    (other) =>
      other.workflow === run.workflow &&
      other.repository === run.repository &&
      other.event === run.event &&
      other.branch === run.branch &&
      other.conclusion !== 'skipped' &&
      other.createdAt > run.createdAt &&
      other.createdAt < run.createdAt + dayMs,
  );
  return Math.min(...newer.map(({ createdAt }) => createdAt));
}
