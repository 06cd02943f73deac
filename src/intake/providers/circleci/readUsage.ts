import { creditsOf } from '../../../ledger/pricing/cost.ts';
import type { JobReport, RunReport } from '../../../ledger/runs/report.ts';
import { addDays, dayOf, startOfDay } from '../../../platform/lib/days.ts';
import { parseInstant } from '../../../platform/lib/time.ts';
import {
  filled,
  isRepositoryPath,
  maxLabelLength,
  maxTextLength,
  plausibleTime,
  repositoryPathOf,
  storableNumber,
} from '../payload.schema.ts';
import { conclusionOf, labelOfJob } from './readEvent.ts';
import { circleCiCredits } from './runners.ts';

/** A column of the usage data: https://docs-experimental.circleci.com/usage, read on 2026-11-29. */
export type UsageRow = (column: string) => string;

export const usageColumns = [
  'WORKFLOW_ID',
  'JOB_ID',
  'JOB_NAME',
  'RESOURCE_CLASS',
  'JOB_RUN_SECONDS',
] as const;

/** `listed` is what our list gives: null without a price. Seconds are those of one of the job's equal runners. */
export type JobUsage = {
  report: RunReport & { jobs: [JobReport] };
  runner: string;
  seconds: number;
  parallelism: number;
  credits: number;
  listed: number | null;
};

const idForm = /^[\w-]{1,100}$/;

/** Null for a row that is not about a job, such as one of a user, or that says too little to record one. */
export function readUsageRow(row: UsageRow, receivedAt: Date): JobUsage | null {
  const text = (column: string) => {
    const value = row(column).trim();
    return value === '\\N' || value === '' || value.length > maxTextLength ? null : value;
  };
  const [runId, jobId, name] = ['WORKFLOW_ID', 'JOB_ID', 'JOB_NAME'].map(text);
  const completedAt = readUsageTime(text('JOB_RUN_STOPPED_AT'), receivedAt);
  const startedAt = readUsageTime(text('JOB_RUN_STARTED_AT'), receivedAt);
  const repository = repositoryIn(text);
  const runner = runnerIn(text);
  if (!runId || !jobId || !name || !completedAt || !startedAt || !repository || !runner) return null;
  if (!idForm.test(runId) || !idForm.test(jobId)) return null;
  const parallelism = Math.max(1, Math.trunc(numberIn(text('PARALLELISM')) ?? 1));
  const started = billedStart({ startedAt, completedAt }, numberIn(text('JOB_RUN_SECONDS')));
  const seconds = Math.ceil(Math.max(0, completedAt.getTime() - started.getTime()) / 1_000);
  const rate = circleCiCredits(runner);
  const credits = numberIn(text('COMPUTE_CREDITS')) ?? 0;
  const queuedAt = readUsageTime(text('JOB_RUN_QUEUED_AT'), receivedAt);
  // CircleCI gives the data of a day after its end, so it is newer than any event of the day.
  const observedAt = startOfDay(addDays(dayOf(completedAt), 1));
  const job: JobReport = {
    jobId,
    attempt: 1,
    name,
    labels: [labelOfJob(name), runner, ...(parallelism > 1 ? [`parallelism:${parallelism}`] : [])],
    runnerName: null,
    runnerGroup: null,
    status: 'completed',
    rawConclusion: conclusionOf(text('JOB_BUILD_STATUS')),
    createdAt: queuedAt ?? started,
    startedAt: started,
    completedAt,
    ran: null,
    observedAt,
  };
  const report = { ...runIn(text, { runId, repository, observedAt }), jobs: [job] as [JobReport] };
  const listed = rate === null ? null : parallelism * creditsOf(seconds, rate);
  return { report, runner, seconds, parallelism, credits, listed };
}

type Texts = (column: string) => string | null;

function runIn(
  text: Texts,
  { runId, repository, observedAt }: Pick<RunReport, 'runId' | 'repository' | 'observedAt'>,
) {
  const branch = filled(text('VCS_BRANCH'));
  const trigger = text('PIPELINE_TRIGGER_SOURCE');
  return {
    provider: 'circleci',
    runId,
    attempt: 1,
    repository,
    isPrivate: null,
    workflowName: text('WORKFLOW_NAME'),
    workflowPath: null,
    event: trigger === 'webhook' && branch !== null ? 'push' : trigger,
    branch,
    actor: null,
    pullRequest: null,
    runNumber: storableNumber(text('PIPELINE_NUMBER')),
    commit: null,
    observedAt,
    // Events of the workflow know more about it.
    state: null,
  };
}

function repositoryIn(text: Texts): string | null {
  const named = `${text('ORGANIZATION_NAME') ?? ''}/${text('PROJECT_NAME') ?? ''}`;
  return repositoryPathOf(text('VCS_URL')) ?? (isRepositoryPath(named) ? named : null);
}

/** `docker:large`; the class of a self-hosted runner has a slash, and is enough. */
function runnerIn(text: Texts): string | null {
  const name = text('RESOURCE_CLASS');
  const executor = text('EXECUTOR');
  if (name === null) return null;
  const label = executor === null || name.includes('/') ? name : `${executor}:${name}`;
  return label.slice(0, maxLabelLength);
}

/** `2026-03-01 09:30:00`, in UTC, with or without milliseconds; or an ISO time. */
function readUsageTime(text: string | null, receivedAt: Date): Date | null {
  if (text === null) return null;
  const iso = text.replace(/ UTC$/, 'Z').replace(' ', 'T');
  const instant = parseInstant(/(Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
  const time = instant && plausibleTime(instant.getTime(), receivedAt);
  return time instanceof Date ? time : null;
}

function numberIn(text: string | null): number | null {
  const number = text === null ? NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : null;
}

/** The seconds decide what CircleCI bills. Times can differ from them by as much as rounding takes away. */
function billedStart(
  { startedAt, completedAt }: { startedAt: Date; completedAt: Date },
  seconds: number | null,
): Date {
  if (seconds === null) return startedAt;
  const billed = new Date(completedAt.getTime() - Math.ceil(seconds) * 1_000);
  return Math.abs(billed.getTime() - startedAt.getTime()) < 2_000 ? billed : startedAt;
}
