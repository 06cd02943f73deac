import { usd } from '../../platform/lib/money.ts';
import type { Providers } from '../pricing/provider.ts';
import { runIdOf, type StoredJob } from './history.ts';
import type { UnpricedRunner } from './queries.ts';
import type { ListedRun } from './reading.queries.ts';
import type { DetailedRun } from './reading.ts';
import { receiptOf } from './receipt.ts';

function commonView(run: ListedRun) {
  return {
    id: run.id,
    status: run.status,
    conclusion: run.conclusion,
    event: run.event,
    branch: run.branch,
    actor: run.actor,
    attempt: run.attempt,
    created_at: run.createdAt,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    duration_seconds: run.durationSeconds,
    cost: usd(run.costNanos),
  };
}

export function listedRunView(run: ListedRun) {
  return {
    ...commonView(run),
    workflow_id: run.workflowId,
    workflow_name: run.workflowName,
    repo_name: run.repository,
  };
}

export function detailedRunView({ run, jobs, jobCount, bookNames }: DetailedRun, providers: Providers) {
  return {
    ...commonView(run),
    workflow: { id: run.workflowId, name: run.workflowName },
    repository: run.repository,
    raw_conclusion: run.rawConclusion,
    url: pageOf(run, providers),
    job_count: jobCount,
    jobs: jobs.map((job) => jobView(job, bookNames, providers)),
  };
}

/** The run's page at its provider; null where nobody knows its address. */
function pageOf({ id, provider, repository }: DetailedRun['run'], providers: Providers): string | null {
  const runId = id.slice(runIdOf({ provider, runId: '' }).length);
  const host = provider.split('.').slice(1).join('.') || null;
  return providers.of(provider)?.runUrl({ host, runId, repository }) ?? null;
}

function jobView(job: StoredJob, bookNames: DetailedRun['bookNames'], providers: Providers) {
  const receipt = receiptOf(job, bookNames, providers);
  return {
    job_id: job.jobId,
    name: job.name,
    attempt: job.attempt,
    status: job.status,
    raw_conclusion: job.rawConclusion,
    labels: job.labels,
    runner_name: job.runnerName,
    runner_group: job.runnerGroup,
    created_at: job.createdAt,
    started_at: job.startedAt,
    completed_at: job.completedAt,
    flags: job.flags,
    receipt: {
      seconds: receipt.seconds,
      billed_minutes: receipt.billedMinutes,
      runner_kind: receipt.runnerKind,
      runner_rule: receipt.runnerRule,
      runner_rule_text: receipt.runnerRuleText,
      price_per_minute: usd(receipt.nanosPerMinute),
      rounding: receipt.rounding,
      price_book: receipt.priceBook,
      cost: usd(receipt.costNanos),
      is_carried_over: receipt.isCarriedOver,
      is_unpriced: receipt.isUnpriced,
      sentence: receipt.sentence,
    },
  };
}

export function unpricedView({ labels, runnerGroup, jobs, minutes, lastSeen }: UnpricedRunner) {
  return {
    labels,
    runner_group: runnerGroup,
    jobs: Number(jobs),
    minutes: Number(minutes),
    last_seen: lastSeen,
  };
}
