import type { RunReport } from '../../ledger/runs/report.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readGitHubEvent } from '../providers/github/readEvent.ts';
import { type Obstacle, obstacleOf, type Step, unreadable } from './backfill.ts';

const jobsPerPage = 100;

export type ReadRun = { report: RunReport; jobsEtag: string | null };

type Asked = {
  run: Item;
  id: number;
  /** Of the list of jobs as it was recorded. */
  etag: string | null;
};

/** What was read of a run, and what is wrong with it; or why it cannot be read; or what kept it from being read now. */
type Reading =
  | { read: ReadRun | null; problem: string | null }
  | { unreadBecause: string }
  | { stoppedBy: Obstacle };

/** Reads a listed run with the jobs of all its attempts. */
export async function readRun(step: Step, repository: string, { run, id, etag }: Asked): Promise<Reading> {
  const list = await readJobs(step, repository, { id, etag });
  if (!('jobs' in list)) return list;
  const { jobs, jobsEtag, missing } = list;
  try {
    const report = reportOf(run, jobs, step.program.clock.now());
    const problem =
      missing > 0 ? `Run ${id}: GitHub counts ${missing} more of its jobs than it lists.` : null;
    return { read: { report, jobsEtag }, problem };
  } catch (error) {
    if (error instanceof PublicError) return { unreadBecause: error.message };
    throw error;
  }
}

type Jobs = { jobs: Item[]; jobsEtag: string | null; missing: number };

async function readJobs(
  { client, signal }: Step,
  repository: string,
  { id, etag: known }: Pick<Asked, 'id' | 'etag'>,
): Promise<Jobs | Reading> {
  const jobs: Item[] = [];
  let jobsEtag: string | null = null;
  for (let page = 1; ; page++) {
    const query = { filter: 'all', per_page: jobsPerPage, page };
    const etag = page === 1 ? known : null;
    const answer = await client.get(repository, `/actions/runs/${id}/jobs`, { query, signal, etag });
    // They are recorded already.
    if (answer.kind === 'unchanged' && etag !== null) return { jobs, jobsEtag: etag, missing: 0 };
    if (answer.kind === 'refused' && answer.status === 404) {
      return { read: null, problem: `Run ${id} was listed, but it is gone now.` };
    }
    if (answer.kind === 'refused') return { unreadBecause: answer.message };
    if (answer.kind !== 'data') return { stoppedBy: obstacleOf(answer) };
    const list = readPage(answer.data, 'jobs');
    if (!list) return { stoppedBy: unreadable };
    jobs.push(...list.items);
    // An ETag is one page's: of several pages none can tell that all are unchanged.
    if (page === 1 && list.items.length >= list.total) jobsEtag = answer.etag;
    if (list.items.length > 0 && page * jobsPerPage < list.total) continue;
    return { jobs, jobsEtag, missing: Math.max(0, list.total - jobs.length) };
  }
}

/** A run or a job as GitHub lists it. */
export type Item = { [field: string]: unknown };

/** A page of one of GitHub's lists; null where the answer is none. */
export function readPage(
  data: unknown,
  field: 'workflow_runs' | 'jobs',
): { total: number; items: Item[] } | null {
  const page = data as { total_count?: unknown; [field: string]: unknown } | null;
  const total = page?.total_count;
  const items = page?.[field];
  return typeof total === 'number' && Array.isArray(items) ? { total, items: items as Item[] } : null;
}

/** The provider's id of a listed run, for asking for its jobs; null where it has none. */
export function idOf(run: Item): number | null {
  return Number.isSafeInteger(run['id']) ? (run['id'] as number) : null;
}

/**
 * The report of a listed run and of its jobs of all attempts. GitHub's lists and its webhooks hold the same records, so
 * they are read by the same rules. Throws the errors of `readGitHubEvent`.
 */
function reportOf(run: Item, jobs: readonly Item[], now: Date): RunReport {
  const { repository } = run;
  const report = readOne('workflow_run', { repository, workflow_run: run }, now);
  const ofJobs = jobs.map((job) => readOne('workflow_job', { repository, workflow_job: job }, now));
  return { ...report, jobs: ofJobs.flatMap((ofJob) => ofJob.jobs) };
}

/** The report of a listed run without its jobs; null where it cannot be read. */
export function runOrNull(run: Item, now: Date): RunReport | null {
  try {
    return reportOf(run, [], now);
  } catch {
    return null;
  }
}

function readOne(event: 'workflow_run' | 'workflow_job', payload: Item, now: Date): RunReport {
  const read = readGitHubEvent(event, payload, now);
  if (read.kind === 'report') return read.report;
  throw new PublicError('invalid', 'invalid_payload', 'GitHub lists something that is no run.');
}

const settledMilliseconds = 3_600_000;

/** Whether the run has ended so long ago that its deliveries must have come. */
export function isSettled({ state, observedAt }: RunReport, now: Date): boolean {
  return state?.status === 'completed' && now.getTime() - observedAt.getTime() >= settledMilliseconds;
}

type Known = {
  run: { reportedAttempt: number; reportedStatus: string } | undefined;
  /** `attempt/jobId` of the jobs that are stored as completed. */
  completedJobs: ReadonlySet<string>;
};

/** What was known before of a run that has ended: all that costs, not all of it, or nothing. */
export function foundOf(report: RunReport, { run, completedJobs }: Known): 'whole' | 'lacking' | 'missing' {
  if (!run) return 'missing';
  const knowsEnd = run.reportedAttempt >= report.attempt && run.reportedStatus === 'completed';
  const lacksJob = report.jobs.some(
    (job) =>
      job.status === 'completed' &&
      job.ran !== false &&
      !completedJobs.has(`${job.attempt}/${job.jobId}`) &&
      !isRepeated(job, report.jobs),
  );
  return knowsEnd && !lacksJob ? 'whole' : 'lacking';
}

/** Lists of a later attempt repeat the jobs that were not run again, with their old times; no webhook tells of these. */
function isRepeated(job: RunReport['jobs'][number], jobs: RunReport['jobs']): boolean {
  return jobs.some(
    (other) =>
      other.attempt < job.attempt &&
      other.name === job.name &&
      other.startedAt?.getTime() === job.startedAt?.getTime() &&
      other.completedAt?.getTime() === job.completedAt?.getTime(),
  );
}
