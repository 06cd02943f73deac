import { createHash } from 'node:crypto';
import type { JobReport, RunReport } from '../ledger/runs/report.ts';
import type { Random } from '../platform/lib/random.ts';
import { owner, people, repositories, topics, trialTopic, type JobPlan, type Workflow } from './company.ts';

export type DraftRun = {
  event: string;
  branch: string;
  actor: string;
  pullRequest: number | null;
  conclusion: DraftConclusion;
  attempt: number;
  startedAfter: number;
  endedAfter: number;
  jobs: DraftJob[];
};

type DraftConclusion = 'success' | 'failure' | 'cancelled' | 'skipped';

type DraftJob = {
  plan: JobPlan;
  attempt: number;
  conclusion: DraftConclusion;
  machine: number | null;
  created: number;
  started: number;
  completed: number;
};

/** Runs with `isLive` are shown unfinished and should succeed. */
export function draftRun(workflow: Workflow, stages: JobPlan[][], isLive: boolean, random: Random): DraftRun {
  const circumstances = drawCircumstances(workflow, random);
  const isMain = circumstances.branch === 'main';
  const roll = random();
  const isTrial = circumstances.branch.startsWith(`${trialTopic}-`);
  const planned = isTrial ? stages.map((stage) => stage.map(onTrial)) : stages;
  const first = { stages: planned, isMain, attempt: 1, start: 0, fails: false, earlier: [] };
  if (isLive) return finish(circumstances, 'success', 0, perform(first, random));
  if (!isMain && roll > 0.96) return finish(circumstances, 'skipped', 0, skipAll(perform(first, random)));
  if (!isMain && roll > 0.88) {
    const jobs = perform(first, random);
    return finish(circumstances, 'cancelled', 0, cancelAt(jobs, between(random, 0.2, 0.9) * endOf(jobs)));
  }
  if (roll > workflow.failureRate) return finish(circumstances, 'success', 0, perform(first, random));
  const failed = perform({ ...first, fails: true }, random);
  const isTriedAgain = random() < 0.3;
  if (!isTriedAgain) return finish(circumstances, 'failure', 0, failed);
  const start = endOf(failed) + Math.round(between(random, 120, 2_400));
  const failsAgain = random() < 0.25;
  const again = perform({ ...first, attempt: 2, start, fails: failsAgain, earlier: failed }, random);
  return finish(circumstances, failsAgain ? 'failure' : 'success', start, [...failed, ...again]);
}

function onTrial(plan: JobPlan): JobPlan {
  if (!plan.trial) return plan;
  const { runner, factor } = plan.trial;
  return { ...plan, runner, minutes: plan.minutes * factor };
}

type Circumstances = Pick<DraftRun, 'event' | 'branch' | 'actor' | 'pullRequest'>;

/** Few enough that several runs share a branch and its pull request. */
const versionsOfTopic = 40;

function drawCircumstances({ on }: Workflow, random: Random): Circumstances {
  const actor = people[Math.floor(random() ** 2 * people.length)]!;
  const onMain = { branch: 'main', actor, pullRequest: null };
  if (on === 'nightly') return { ...onMain, event: 'schedule', actor: people[0]! };
  if (on === 'manual') return { ...onMain, event: 'workflow_dispatch' };
  if (on === 'main' || (on === 'code' && random() < 0.3)) return { ...onMain, event: 'push' };
  const topic = Math.floor(random() * topics.length);
  const version = Math.floor(random() * versionsOfTopic);
  return {
    event: 'pull_request',
    branch: `${topics[topic]}-${version}`,
    actor,
    pullRequest: 1 + version * topics.length + topic,
  };
}

function finish(
  circumstances: Circumstances,
  conclusion: DraftConclusion,
  startedAfter: number,
  jobs: DraftJob[],
): DraftRun {
  const attempt = startedAfter > 0 ? 2 : 1;
  return { ...circumstances, conclusion, attempt, startedAfter, endedAfter: endOf(jobs), jobs };
}

type Attempt = {
  stages: JobPlan[][];
  isMain: boolean;
  attempt: number;
  start: number;
  fails: boolean;
  earlier: DraftJob[];
};

/** Runs the stages in order. Jobs that succeeded before are repeated with their old times, as GitHub does. */
function perform({ stages, isMain, attempt, start, fails, earlier }: Attempt, random: Random): DraftJob[] {
  const carriedOver = new Map(
    earlier.filter((job) => job.conclusion === 'success').map((job) => [job.plan, job]),
  );
  const open = stages.flat().filter((plan) => !carriedOver.has(plan) && (isMain || !plan.isMainOnly));
  const culprit = fails ? open[Math.floor(random() * open.length)] : undefined;
  const jobs: DraftJob[] = [];
  let stageStart = start;
  for (const stage of stages) {
    const isBlocked = jobs.some((job) => job.conclusion === 'failure');
    for (const plan of stage) {
      const old = carriedOver.get(plan);
      if (old) jobs.push({ ...old, attempt });
      else if (isBlocked || (plan.isMainOnly && !isMain)) jobs.push(skipped({ plan, attempt }, stageStart));
      else jobs.push(performed({ plan, attempt }, stageStart, plan === culprit, random));
    }
    stageStart = Math.max(stageStart, endOf(jobs));
  }
  return jobs;
}

type JobOfAttempt = Pick<DraftJob, 'plan' | 'attempt'>;

function performed(job: JobOfAttempt, created: number, fails: boolean, random: Random): DraftJob {
  const { runner, minutes } = job.plan;
  const queued = Math.max(4, Math.round(runner.queueSeconds * between(random, 0.5, 2)));
  // The sum of three random numbers: most jobs are near the average, some far from it.
  const pace = 0.55 + 0.3 * (random() + random() + random());
  const seconds = Math.max(5, Math.round(minutes * 60 * pace * (fails ? between(random, 0.2, 1) : 1)));
  const started = created + queued;
  return {
    ...job,
    conclusion: fails ? 'failure' : 'success',
    machine: 1 + Math.floor(random() * runner.machines),
    created,
    started,
    completed: started + seconds,
  };
}

function skipped(job: JobOfAttempt, at: number): DraftJob {
  const { plan, attempt } = job;
  return { plan, attempt, conclusion: 'skipped', machine: null, created: at, started: at, completed: at };
}

function skipAll(jobs: DraftJob[]): DraftJob[] {
  return jobs.map((job) => skipped(job, 1));
}

function cancelAt(jobs: DraftJob[], cutoff: number): DraftJob[] {
  const at = Math.round(cutoff);
  return jobs.map((job) => {
    if (job.completed <= at) return job;
    if (job.created >= at) return skipped(job, at);
    const hasStarted = job.started < at;
    return {
      ...job,
      conclusion: 'cancelled',
      machine: hasStarted ? job.machine : null,
      started: hasStarted ? job.started : at,
      completed: at,
    };
  });
}

function endOf(jobs: DraftJob[]): number {
  return jobs.reduce((end, job) => Math.max(end, job.completed), 0);
}

function between(random: Random, low: number, high: number): number {
  return low + random() * (high - low);
}

export type RunIdentity = {
  id: number;
  number: number;
  repository: string;
  workflow: Workflow;
  createdAt: Date;
};

export function reportOf(run: RunIdentity, draft: DraftRun, seconds: number): RunReport {
  const { repository, workflow, createdAt } = run;
  const after = (passed: number): Date => new Date(createdAt.getTime() + passed * 1_000);
  const isDone = seconds >= draft.endedAfter;
  const hasStarted = draft.jobs.some((job) => job.started <= seconds);
  return {
    provider: 'github',
    runId: String(run.id),
    attempt: draft.attempt,
    repository: `${owner}/${repository}`,
    isPrivate: true,
    workflowName: workflow.name,
    workflowPath: `.github/workflows/${workflow.file}`,
    event: draft.event,
    branch: draft.branch,
    actor: draft.actor,
    pullRequest: draft.pullRequest,
    runNumber: run.number,
    commit: commitOf(run, draft),
    observedAt: after(Math.min(seconds, draft.endedAfter)),
    state: {
      status: isDone ? 'completed' : hasStarted ? 'in_progress' : 'queued',
      rawConclusion: isDone ? draft.conclusion : null,
      createdAt,
      startedAt: after(draft.startedAfter),
      // GitHub reports no end of a run.
      completedAt: null,
    },
    jobs: draft.jobs.flatMap((job, index) =>
      job.created <= seconds ? [reportOfJob(job, String(run.id * 100 + index), seconds, after)] : [],
    ),
  };
}

const secondsBetweenPushes = 10_800;
const daysBetweenPushes = new Map(repositories.map(({ name, daysBetweenPushes: days }) => [name, days]));

/** All workflows that a push starts build the same commit. */
function commitOf({ repository, createdAt }: RunIdentity, { branch }: DraftRun): string {
  const days = daysBetweenPushes.get(repository);
  const push = Math.floor(createdAt.getTime() / 1_000 / (days ? days * 86_400 : secondsBetweenPushes));
  return createHash('sha1').update(`${repository} ${branch} ${push}`).digest('hex');
}

function reportOfJob(
  job: DraftJob,
  jobId: string,
  seconds: number,
  after: (passed: number) => Date,
): JobReport {
  const { plan, machine } = job;
  const { labels, group, namePrefix } = plan.runner;
  const isDone = job.completed <= seconds;
  const hasStarted = job.started <= seconds;
  const isTaken = hasStarted && machine !== null;
  return {
    jobId,
    attempt: job.attempt,
    name: plan.name,
    labels,
    runnerName: isTaken ? `${namePrefix}${machine}` : null,
    runnerGroup: isTaken ? group : null,
    status: isDone ? 'completed' : hasStarted ? 'in_progress' : 'queued',
    rawConclusion: isDone ? job.conclusion : null,
    createdAt: after(job.created),
    startedAt: hasStarted ? after(job.started) : null,
    completedAt: isDone ? after(job.completed) : null,
    ran: isTaken ? true : isDone ? false : null,
    observedAt: after(isDone ? job.completed : hasStarted ? job.started : job.created),
  };
}
