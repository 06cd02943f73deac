/** The rows that every view adds up: jobs on the day they completed, and runs on the day they were created. */
import { completed, dayOf } from './history.ts';
import type { Ledger, PaidJob } from './ledger.ts';
import { chargeOf, drawsOf, netsOf, type Charged } from './net.ts';
import type { MergedRun } from './reports.ts';
import { wasteOf, type WasteParts } from './waste.ts';

type Values = Record<string, string | null>;
export type JobRow = Charged & {
  values: Values;
  net: bigint;
  minutes: number;
  waste: WasteParts;
  paid: PaidJob;
};
export type RunRow = { values: Values; day: string; cost: bigint; run: MergedRun; conclusion: string | null };
export type Facts = { jobs: JobRow[]; runs: RunRow[]; detailsFrom: string };

const words: Record<string, string> = {
  success: 'success',
  neutral: 'success',
  failure: 'failure',
  timed_out: 'failure',
  startup_failure: 'failure',
  cancelled: 'cancelled',
  skipped: 'skipped',
};

/** A run that was given up counts as skipped unless it used a billed minute. */
function conclusionOf({ status, conclusion }: MergedRun, paid: readonly PaidJob[]): string | null {
  if (status !== completed || conclusion === null) return null;
  if (conclusion !== 'action_required' && conclusion !== 'stale') return words[conclusion] ?? null;
  return paid.some(({ price }) => price.minutes > 0) ? 'cancelled' : 'skipped';
}

const weekdays = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];

function timeValues(at: number): Values {
  const hour = new Date(at).toISOString().slice(11, 13);
  return { day: dayOf(at), weekday: weekdays[new Date(at).getUTCDay()]!, hour };
}

/** Net costs are rounded in the order of the workflows' ids, which only the program knows. */
export function factsOf(ledger: Ledger, workflowIds: ReadonlyMap<string, string>): Facts {
  const ofRuns = Map.groupBy(ledger.jobs, ({ run }) => run);
  const valuesOf = (run: MergedRun, attempt: number): Values => ({
    repository: run.repository,
    workflow: workflowIds.get(workflowKey(run)) ?? `unknown ${workflowKey(run)}`,
    provider: run.provider,
    branch: run.branch,
    event: run.event,
    actor: run.actorOf(attempt),
    started_by: run.startedBy,
    pull_request: run.pullRequest === null ? null : String(run.pullRequest),
    conclusion: conclusionOf(run, ofRuns.get(run) ?? []),
    visibility: run.isPrivate === null ? null : run.isPrivate ? 'private' : 'public',
  });
  const jobs = ledger.jobs.map((paid): JobRow => {
    const { run, job, price, at, day } = paid;
    const values: Values = {
      ...valuesOf(run, job.attempt),
      ...timeValues(at),
      job: job.name,
      runner: price.isUnpriced ? null : price.kind,
      runner_group: job.group,
      label:
        [...new Set((job.labels ?? []).map((label) => label.toLowerCase()))].toSorted().join(', ') || null,
    };
    const key = [values['workflow']!, new Date(at).toISOString(), run.id, String(job.attempt), job.jobId];
    const charge = chargeOf(paid);
    const [cost, draws] = [price.nanos, drawsOf(paid)];
    const waste = wasteOf(paid, ledger.runs);
    return { values, key, day, cost, charge, draws, net: 0n, minutes: price.minutes, waste, paid };
  });
  for (const [job, net] of netsOf(jobs, ledger.terms)) job.net = net;
  const runs = ledger.runs.map((run) => ({
    values: { ...valuesOf(run, run.attempt), ...timeValues(run.createdAt) },
    day: dayOf(run.createdAt),
    cost: (ofRuns.get(run) ?? []).reduce((sum, { price }) => sum + price.nanos, 0n),
    run,
    conclusion: conclusionOf(run, ofRuns.get(run) ?? []),
  }));
  return { jobs, runs, detailsFrom: ledger.detailsFrom };
}

const workflowKey = ({ repository, workflow }: MergedRun): string => `${repository} ${workflow}`;
