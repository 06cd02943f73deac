import { jobKey } from '../../ledger/runs/history.ts';
import type { RunReport } from '../../ledger/runs/report.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readGitHubEvent } from '../providers/github/readEvent.ts';
import { type Obstacle, obstacleOf, type Step, unreadable } from './backfill.ts';

const jobsPerPage = 100;

/** `earlier` are the attempts whose actor only GitHub's page of the attempt names. */
export type ReadRun = { report: RunReport; earlier: RunReport[]; jobsEtag: string | null };

/** What an earlier backfill kept: `hasActors` if it also recorded who triggered the attempts. */
export type LastRead = { jobsEtag: string; hasActors: boolean };

type Asked = {
  run: Item;
  id: number;
  last: LastRead | null;
};

type ReadStep = Pick<Step, 'program' | 'client' | 'signal'>;

type Reading =
  | { read: ReadRun | null; problem: string | null }
  | { unreadBecause: string }
  | { stoppedBy: Obstacle };

export async function readRun(
  step: ReadStep,
  repository: string,
  { run, id, last }: Asked,
): Promise<Reading> {
  const list = await readJobs(step, repository, { id, etag: last?.jobsEtag ?? null });
  if (!('jobs' in list)) return list;
  const { jobs, jobsEtag, missing, isUnchanged } = list;
  try {
    const report = reportOf(run, jobs, step.program.clock.now());
    const isKnown = isUnchanged && last?.hasActors === true;
    const between = isKnown ? { reports: [] } : await readAttempts(step, repository, { run, id });
    if ('stoppedBy' in between) return between;
    const problem = missing > 0 ? `Run ${id}: GitHub counts ${missing} more jobs than it lists.` : null;
    return { read: { report, earlier: between.reports, jobsEtag }, problem };
  } catch (error) {
    if (error instanceof PublicError) return { unreadBecause: error.message };
    throw error;
  }
}

type Jobs = { jobs: Item[]; jobsEtag: string | null; missing: number; isUnchanged: boolean };

async function readJobs(
  { client, signal }: ReadStep,
  repository: string,
  { id, etag: known }: Pick<Asked, 'id'> & { etag: string | null },
): Promise<Jobs | Reading> {
  const jobs: Item[] = [];
  let jobsEtag: string | null = null;
  for (let page = 1; ; page++) {
    const query = { filter: 'all', per_page: jobsPerPage, page };
    const etag = page === 1 ? known : null;
    const answer = await client.get(repository, `/actions/runs/${id}/jobs`, { query, signal, etag });
    if (answer.kind === 'unchanged' && etag !== null)
      return { jobs, jobsEtag: etag, missing: 0, isUnchanged: true };
    if (answer.kind === 'refused' && answer.status === 404) {
      return { read: null, problem: `Run ${id} was listed, but no longer exists.` };
    }
    if (answer.kind === 'refused') return { unreadBecause: answer.message };
    if (answer.kind !== 'data') return { stoppedBy: obstacleOf(answer) };
    const list = readPage(answer.data, 'jobs');
    if (!list) return { stoppedBy: unreadable };
    jobs.push(...list.items);
    // An ETag covers one page only.
    if (page === 1 && list.items.length >= list.total) jobsEtag = answer.etag;
    if (list.items.length > 0 && page * jobsPerPage < list.total) continue;
    return { jobs, jobsEtag, missing: Math.max(0, list.total - jobs.length), isUnchanged: false };
  }
}

/** A run names its starter and the actor of its latest attempt, but no others. GitHub forgets old attempts. */
async function readAttempts(
  { program, client, signal }: ReadStep,
  repository: string,
  { run, id }: Pick<Asked, 'run' | 'id'>,
): Promise<{ reports: RunReport[] } | { stoppedBy: Obstacle }> {
  const reports: RunReport[] = [];
  const latest = Number(run['run_attempt'] ?? 1);
  for (let attempt = 2; attempt < latest; attempt++) {
    const answer = await client.get(repository, `/actions/runs/${id}/attempts/${attempt}`, { signal });
    if (answer.kind === 'refused') continue;
    if (answer.kind !== 'data') return { stoppedBy: obstacleOf(answer) };
    const report = runOrNull(
      { repository: run['repository'], ...(answer.data as Item) },
      program.clock.now(),
    );
    if (report) reports.push(report);
  }
  return { reports };
}

export type Item = { [field: string]: unknown };

export function readPage(
  data: unknown,
  field: 'workflow_runs' | 'jobs' | 'repositories' | 'artifacts' | 'actions_caches',
): { total: number; items: Item[] } | null {
  const page = data as { total_count?: unknown; [field: string]: unknown } | null;
  const total = page?.total_count;
  const items = page?.[field];
  return typeof total === 'number' && Array.isArray(items) ? { total, items: items as Item[] } : null;
}

export function idOf(run: Item): number | null {
  return Number.isSafeInteger(run['id']) ? (run['id'] as number) : null;
}

/** GitHub's lists and webhooks contain the same records. */
function reportOf(run: Item, jobs: readonly Item[], now: Date): RunReport {
  const { repository } = run;
  const report = readOne('workflow_run', { repository, workflow_run: run }, now);
  const ofJobs = jobs.map((job) => readOne('workflow_job', { repository, workflow_job: job }, now));
  return { ...report, jobs: ofJobs.flatMap((ofJob) => ofJob.jobs) };
}

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
  throw new PublicError('invalid', 'invalid_payload', 'GitHub returned an entry that is not a workflow run.');
}

const settledMilliseconds = 3_600_000;

/** Whether all webhook deliveries about the run must have arrived. */
export function isSettled({ state, observedAt }: RunReport, now: Date): boolean {
  return state?.status === 'completed' && now.getTime() - observedAt.getTime() >= settledMilliseconds;
}

type Known = {
  run: { reportedAttempt: number; reportedStatus: string } | undefined;
  completedJobs: ReadonlySet<string>;
};

export function foundOf(report: RunReport, { run, completedJobs }: Known): 'whole' | 'lacking' | 'missing' {
  if (!run) return 'missing';
  const knowsEnd = run.reportedAttempt >= report.attempt && run.reportedStatus === 'completed';
  const lacksJob = report.jobs.some(
    (job) =>
      job.status === 'completed' &&
      job.ran !== false &&
      !completedJobs.has(jobKey(job)) &&
      !isRepeated(job, report.jobs),
  );
  return knowsEnd && !lacksJob ? 'whole' : 'lacking';
}

/** Later attempts list jobs that did not run again with their old times, which no webhook sends. */
function isRepeated(job: RunReport['jobs'][number], jobs: RunReport['jobs']): boolean {
  return jobs.some(
    (other) =>
      other.attempt < job.attempt &&
      other.name === job.name &&
      other.startedAt?.getTime() === job.startedAt?.getTime() &&
      other.completedAt?.getTime() === job.completedAt?.getTime(),
  );
}
