import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptsOf, sumsOf } from './attempts.ts';
import type { Job } from './queries.ts';

function job(attempt: number, cost: number, minutes: number, isCarriedOver = false): Job {
  const receipt = { cost, billed_minutes: minutes, is_carried_over: isCarriedOver };
  return { job_id: `${attempt}-${cost}`, attempt, receipt } as Job;
}

test('each attempt has its jobs and their exact sum', () => {
  const attempts = attemptsOf([job(1, 0.1, 1), job(1, 0.2, 2), job(2, 0.006, 1), job(2, 0, 0, true)]);
  assert.deepEqual(
    attempts.map(({ jobs, ...rest }) => ({ ...rest, jobs: jobs.length })),
    [
      { number: 1, cost: 0.3, minutes: 3, carriedOver: 0, jobs: 2 },
      { number: 2, cost: 0.006, minutes: 1, carriedOver: 1, jobs: 2 },
    ],
  );
});

test('jobs are grouped by attempt, in any order', () => {
  const attempts = attemptsOf([job(2, 1, 1), job(1, 1, 1), job(2, 2, 1)]);
  assert.deepEqual(
    attempts.map(({ number, cost }) => [number, cost]),
    [
      [2, 3],
      [1, 1],
    ],
  );
});

test('jobs that were carried over come last', () => {
  const [attempt] = attemptsOf([job(2, 0, 0, true), job(2, 1, 1), job(2, 2, 1)]);
  assert.deepEqual(
    attempt!.jobs.map((each) => each.job_id),
    ['2-1', '2-2', '2-0'],
  );
});

test('a run without jobs has no attempts', () => {
  assert.deepEqual(attemptsOf([]), []);
});

test('a run sums each job once, without the copies that a later attempt carried over', () => {
  const timed = (each: Job, seconds: number, rest: Partial<Job> = {}) =>
    ({ ...each, ...rest, receipt: { ...each.receipt, seconds } }) as Job;
  const sums = sumsOf([
    timed(job(1, 0.1, 2), 90, { raw_conclusion: 'failure' }),
    timed(job(1, 0.2, 3), 130, { raw_conclusion: 'timed_out' }),
    timed(job(1, 0, 0), 0, { raw_conclusion: 'startup_failure' }),
    timed(job(2, 0.1, 2), 95, { status: 'in_progress' }),
    timed(job(2, 0, 0, true), 130, { raw_conclusion: 'failure' }),
  ]);
  assert.deepEqual(sums, { minutes: 7, seconds: 315, failed: 3, running: 1, carriedOver: 1 });
});
