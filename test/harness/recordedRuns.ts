import { readFileSync } from 'node:fs';
import type { Payload } from '../payloads/gitHub.ts';

/** A run as GitHub's API lists it, with its jobs over all attempts. */
export type ListedRun = Payload & { id: number; created_at: string };
/** `attempts` are the run as each attempt, if something asks for them. */
export type RunWithJobs = { run: ListedRun; jobs: Payload[]; attempts?: ListedRun[] };

const folder = new URL('../fixtures/github-api/', import.meta.url);

function recorded(file: string): Payload[] {
  const lines = readFileSync(new URL(file, folder), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Payload);
}

const runs = recorded('runs.jsonl') as ListedRun[];
const jobs = recorded('jobs.jsonl');
const jobsPerRun = 5;
/** Added per copy, so that ids are unique. */
const idStep = 10_000_000_000;

/**
 * Repeats the recorded runs, oldest first, for one repository. The last one is created at `end`, and the others every
 * `gapSeconds` before. Every tenth has a second attempt: one job ran again, and the list repeats the others, as at GitHub.
 */
export function widenRecordedRuns(
  repository: string,
  { count, end, gapSeconds, firstId = 1 }: { count: number; end: Date; gapSeconds: number; firstId?: number },
): RunWithJobs[] {
  return Array.from({ length: count }, (_, index) => {
    const original = runs[index % runs.length]!;
    const createdAt = new Date(end.getTime() - (count - 1 - index) * gapSeconds * 1_000);
    const id = (firstId + index) * idStep + index;
    return moved(original, { repository, id, createdAt, end, index });
  });
}

type Move = { repository: string; id: number; createdAt: Date; end: Date; index: number };

const repositoryId = 1_296_269;

function moved(original: ListedRun, { repository, id, createdAt, end, index }: Move): RunWithJobs {
  const by = createdAt.getTime() - Date.parse(original.created_at);
  const isOver = original['status'] === 'completed';
  const attempt = index % 10 === 9 && isOver ? 2 : 1;
  // Some recorded runs changed weeks after their end.
  const updatedAt = shifted(original['updated_at'], by);
  const firstJobs = jobsOf(original, { id, createdAt }, isOver, index);
  const again = attempt === 2 ? repeated(firstJobs) : [];
  const run = {
    ...original,
    id,
    path: '.github/workflows/build.yml',
    pull_requests: pullRequestsOf(original, index),
    created_at: text(createdAt),
    updated_at: updatedAt < text(end) ? updatedAt : text(end),
    run_started_at: text(attempt === 2 ? new Date(createdAt.getTime() + 12e5) : createdAt),
    ...(attempt === 2
      ? {
          run_attempt: 2,
          updated_at: text(new Date(createdAt.getTime() + 15e5)),
        }
      : {}),
    repository: {
      ...(original['repository'] as Payload),
      id: repositoryId,
      private: true,
      full_name: repository,
      html_url: `https://github.com/${repository}`,
    },
  };
  return { run, jobs: [...firstJobs, ...again] };
}

/** The recorded runs have no name. */
function pullRequestsOf({ event, head_branch: ref }: ListedRun, index: number): Payload[] {
  const base = { repo: { id: repositoryId } };
  return event === 'pull_request' ? [{ number: 1 + (index % 7), head: { ref }, base }] : [];
}

/** Some of the recorded jobs, moved to the run's times. In an open run, the last job is in progress. */
function jobsOf(
  original: ListedRun,
  { id, createdAt }: { id: number; createdAt: Date },
  isOver: boolean,
  index: number,
): Payload[] {
  const from = index % 2 === 0 ? 0 : jobsPerRun;
  const chosen = jobs.slice(from, from + 1 + (index % jobsPerRun));
  const firstStart = Date.parse(jobs[from]!['created_at'] as string);
  const by = createdAt.getTime() - firstStart;
  return chosen.map((job, place) => {
    const isLast = place === chosen.length - 1;
    const goesOn = !isOver && isLast;
    return {
      ...job,
      id: id + 100 + place,
      run_id: id,
      run_attempt: 1,
      workflow_name: original['name'] ?? null,
      head_branch: original['head_branch'],
      created_at: shifted(job['created_at'], by),
      started_at: shifted(job['started_at'], by),
      completed_at: goesOn ? null : shifted(job['completed_at'], by),
      ...(goesOn
        ? {
            status: 'in_progress',
            conclusion: null,
          }
        : {}),
      ...(isLast && original['conclusion'] === 'failure' ? { conclusion: 'failure' } : {}),
    };
  });
}

/** The jobs of a second attempt: the last one ran again twenty minutes later, the others are unchanged. */
function repeated(firstJobs: Payload[]): Payload[] {
  return firstJobs.map((job, place) => {
    const again = { ...job, id: (job['id'] as number) + 1_000, run_attempt: 2 };
    if (place < firstJobs.length - 1) return again;
    const by = 1_200_000;
    return {
      ...again,
      created_at: shifted(job['created_at'], by),
      started_at: shifted(job['started_at'], by),
      completed_at: shifted(job['completed_at'], by),
      conclusion: 'success',
    };
  });
}

function shifted(time: unknown, byMilliseconds: number): string {
  return text(new Date(Date.parse(time as string) + byMilliseconds));
}

function text(time: Date): string {
  return time.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/**
 * GitHub's webhooks for a run: one for each attempt, and one for each job except repeated ones. The pull request is merged
 * before the second attempt.
 */
export function deliveriesOf({ run, jobs: all }: RunWithJobs): { event: string; payload: Payload }[] {
  const { repository } = run;
  const attempts = (run['run_attempt'] as number | undefined) ?? 1;
  const reported = all.filter(
    (job) =>
      !all.some(
        (other) =>
          (other['run_attempt'] as number) < (job['run_attempt'] as number) &&
          other['name'] === job['name'] &&
          other['started_at'] === job['started_at'],
      ),
  );
  const runEvents: Payload[] = Array.from({ length: attempts }, (_, index) => ({
    ...run,
    run_attempt: index + 1,
    ...(index > 0 ? { pull_requests: [] } : {}),
    ...(index + 1 < attempts
      ? { run_started_at: run.created_at, updated_at: run.created_at, conclusion: 'failure' }
      : {}),
  }));
  return [
    ...reported.map((job) => ({
      event: 'workflow_job',
      payload: { action: job['status'] as string, repository, workflow_job: job } as Payload,
    })),
    ...runEvents.map((state) => ({
      event: 'workflow_run',
      payload: { action: state['status'] as string, repository, workflow_run: state } as Payload,
    })),
  ];
}
