import type { Program } from '../../../context.ts';
import {
  findTooMany,
  readAmounts,
  saveAmounts,
  tooManyAmounts,
  type AmountsReport,
} from '../../../ledger/runs/amounts.ts';
import { runIdOf } from '../../../ledger/runs/history.ts';
import { whyRefused, type Recorder } from '../../../ledger/runs/recorder.ts';
import type { conclusionWords, JobReport, RunReport, Status } from '../../../ledger/runs/report.ts';
import { invalid, PublicError, type FieldError } from '../../../platform/lib/errors.ts';
import { readInstant } from '../../../platform/lib/time.ts';
import { inTurns } from '../../../platform/lib/turns.ts';
import type { SubmittedRun } from './schema.ts';

export type Submission = ({ index: number } & ({ id: string } | { errors: FieldError[] }))[];

export type CheckForm = (run: unknown, path: string) => { run: SubmittedRun } | { errors: FieldError[] };

/** Enough to see the fault, which thousands of jobs can repeat. */
const maxErrorsPerRun = 10;
/** The database records this many jobs in about a second. */
const maxJobs = 20_000;

export async function submitRuns(
  { db, recorder }: Pick<Program, 'db'> & { recorder: Recorder },
  orgId: string,
  runs: readonly unknown[],
  checkForm: CheckForm,
  now: Date,
): Promise<Submission> {
  const places = new Map<string, number>();
  const accepted: { index: number; report: RunReport; amounts: AmountsReport[] }[] = [];
  const readOne = (given: unknown, index: number): Submission[number] => {
    const read = readItem(given, `runs[${index}]`, checkForm, now);
    if ('errors' in read) return { index, errors: read.errors.slice(0, maxErrorsPerRun) };
    const id = runIdOf(read.report);
    const place = places.get(`${id}/${read.report.attempt}`);
    if (place !== undefined) return { index, errors: [repeats(index, place)] };
    places.set(`${id}/${read.report.attempt}`, index);
    accepted.push({ index, ...read });
    return { index, id };
  };
  const submission: Submission = [];
  for await (const [index, given] of inTurns(runs.entries())) submission.push(readOne(given, index));
  const jobs = accepted.reduce((sum, { report }) => sum + report.jobs.length, 0);
  if (jobs > maxJobs) {
    throw invalid('runs', `must hold at most ${maxJobs} jobs in total, not ${jobs}: send fewer runs at once`);
  }
  const errors = new Map<number, FieldError>();
  const isTooMuch = await findTooMany(
    db,
    orgId,
    accepted.flatMap(({ amounts }) => amounts),
  );
  for (const { index, amounts } of accepted)
    if (amounts.some(isTooMuch))
      errors.set(index, { path: `runs[${index}].amounts`, message: tooManyAmounts });
  const kept = accepted.filter(({ index }) => !errors.has(index));
  const refusal = await recorder.record(
    orgId,
    kept.map(({ report }) => report),
    now,
  );
  await saveAmounts(
    db,
    orgId,
    kept.flatMap(({ amounts }) => amounts),
    now,
  );
  for (const place of refusal?.places ?? []) {
    const { index } = kept[place]!;
    errors.set(index, { path: `runs[${index}].created_at`, message: whyRefused(refusal!) });
  }
  return submission.map((item) => {
    const error = errors.get(item.index);
    return error ? { index: item.index, errors: [error] } : item;
  });
}

function readItem(given: unknown, path: string, checkForm: CheckForm, now: Date) {
  const checked = checkForm(given, path);
  return 'errors' in checked ? checked : readSubmittedRun(checked.run, path, now);
}

function repeats(index: number, place: number): FieldError {
  const path = `runs[${index}].run_id`;
  return { path, message: `repeats the provider, run_id and run_attempt of runs[${place}]` };
}

type SubmittedJob = NonNullable<SubmittedRun['jobs']>[number];

type SubmittedStatus = SubmittedRun['status'];
type SubmittedConclusion = (typeof conclusionWords)[number];

/** A later submission counts as a later observation of the run. */
function readSubmittedRun(
  run: SubmittedRun,
  path: string,
  now: Date,
): { report: RunReport; amounts: AmountsReport[] } | { errors: FieldError[] } {
  const errors: FieldError[] = [];
  const times = createReadTime(errors, now);
  const attempt = run.run_attempt ?? 1;
  const status = statusOfWord(run.status);
  const createdAt = times(`${path}.created_at`, run.created_at) ?? now;
  const startedAt = times(`${path}.started_at`, run.started_at);
  const completedAt = times(`${path}.completed_at`, run.completed_at);
  errors.push(...faultsOfSpan(path, startedAt, completedAt));
  if (status === 'completed' && !run.conclusion) {
    errors.push({ path: `${path}.conclusion`, message: 'is required when the status is completed' });
  }
  if (status !== 'completed') errors.push(...endingsOf(run, path));
  const jobIds = new Set<string>();
  const jobs = (run.jobs ?? []).map((job, index) => {
    if (jobIds.has(job.job_id)) {
      errors.push({ path: `${path}.jobs[${index}].job_id`, message: 'is repeated in this run' });
    }
    jobIds.add(job.job_id);
    return readSubmittedJob(job, `${path}.jobs[${index}]`, { attempt, now, times, errors });
  });
  const amounts = readSubmittedAmounts(run, path, errors);
  if (errors.length > 0) return { errors };
  const report: RunReport = {
    provider: run.provider ?? 'api',
    runId: run.run_id,
    attempt,
    repository: run.repo_name,
    isPrivate: null,
    workflowName: run.workflow_name,
    workflowPath: null,
    event: run.event ?? null,
    branch: run.branch ?? null,
    actor: run.actor ?? null,
    startedBy: run.started_by ?? null,
    pullRequest: run.pull_request ?? null,
    runNumber: run.run_number ?? null,
    commit: run.commit ?? null,
    observedAt: now,
    state: { status, rawConclusion: run.conclusion ?? null, createdAt, startedAt, completedAt },
    jobs,
  };
  return { report, amounts };
}

function readSubmittedAmounts(
  { provider = 'api', run_id, run_attempt: attempt = 1, amounts }: SubmittedRun,
  path: string,
  errors: FieldError[],
): AmountsReport[] {
  if (!amounts) return [];
  const runId = runIdOf({ provider, runId: run_id });
  try {
    return [{ runId, attempt, key: '', amounts: readAmounts(`${path}.amounts`, amounts) }];
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    errors.push(...error.errors);
    return [];
  }
}

type ReadTime = (path: string, text: string | undefined) => Date | null;
type Reading = { attempt: number; now: Date; times: ReadTime; errors: FieldError[] };

function readSubmittedJob(
  job: SubmittedJob,
  path: string,
  { attempt, now, times, errors }: Reading,
): JobReport {
  const startedAt = times(`${path}.started_at`, job.started_at);
  const completedAt = times(`${path}.completed_at`, job.completed_at);
  errors.push(...faultsOfSpan(path, startedAt, completedAt));
  const labels = job.labels ?? [];
  if (labels.length > 0 && job.runner) {
    errors.push({ path: `${path}.labels`, message: 'must be left out beside `runner`' });
  }
  const derived = completedAt || job.conclusion ? 'completed' : startedAt ? 'in_progress' : 'queued';
  const status = job.status ? statusOfWord(job.status) : derived;
  if (status !== 'completed') errors.push(...endingsOf(job, path));
  if (status === 'completed' && startedAt && !completedAt) {
    errors.push({ path: `${path}.completed_at`, message: 'is required for a completed job that started' });
  }
  if (status === 'completed' && !startedAt && !mayNeverHaveStarted(job.conclusion)) {
    errors.push({ path: `${path}.started_at`, message: 'is required for a completed job that ran' });
  }
  return {
    jobId: job.job_id,
    attempt,
    name: job.name ?? null,
    labels: job.runner ? [job.runner] : labels,
    runnerName: null,
    runnerGroup: job.runner_group ?? null,
    status,
    rawConclusion: job.conclusion ?? null,
    createdAt: null,
    startedAt,
    completedAt,
    ran: null,
    observedAt: now,
    ...(job.status === 'waiting' && { awaitsApproval: true }),
  };
}

function statusOfWord(word: SubmittedStatus): Status {
  return word === 'in_progress' || word === 'completed' ? word : 'queued';
}

function mayNeverHaveStarted(conclusion: SubmittedConclusion | undefined): boolean {
  return conclusion !== undefined && !['success', 'failure', 'timed_out', 'neutral'].includes(conclusion);
}

/** GitHub's limit for a run, which is the longest we know of. */
const longestDays = 35;

function faultsOfSpan(path: string, start: Date | null, end: Date | null): FieldError[] {
  if (!start || !end) return [];
  const days = (end.getTime() - start.getTime()) / millisecondsPerDay;
  if (days < 0) return [{ path: `${path}.completed_at`, message: 'must not be before started_at' }];
  if (days <= longestDays) return [];
  return [{ path: `${path}.completed_at`, message: `must be at most ${longestDays} days after started_at` }];
}

function endingsOf(given: { conclusion?: string; completed_at?: string }, path: string): FieldError[] {
  return (['conclusion', 'completed_at'] as const)
    .filter((field) => given[field] !== undefined)
    .map((field) => ({
      path: `${path}.${field}`,
      message: 'must be left out until the status is completed',
    }));
}

const earliestYear = 2000;
const millisecondsPerDay = 24 * 3_600_000;

function createReadTime(errors: FieldError[], now: Date): ReadTime {
  return (path, text) => {
    if (text === undefined) return null;
    try {
      const instant = readInstant(path, text);
      if (instant.getUTCFullYear() < earliestYear) {
        errors.push({ path, message: `must not be before the year ${earliestYear}` });
      } else if (instant.getTime() > now.getTime() + millisecondsPerDay) {
        errors.push({ path, message: 'must not be more than a day in the future' });
      }
      return instant;
    } catch (error) {
      if (error instanceof PublicError) errors.push(...error.errors);
      return null;
    }
  };
}
