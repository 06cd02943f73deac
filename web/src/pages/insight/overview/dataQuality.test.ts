import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issuesOf } from './dataQuality.ts';
import type { DataQuality } from './queries.ts';

const nothing = {
  unpriced: { jobs: 0, minutes: 0, runners: [] },
  quiet_days: [],
  incomplete_runs: 0,
  runs_examined: 500,
  flagged_jobs: { guessed_runner: 0, missing_labels: 0, negative_duration: 0, over_time_limit: 0 },
} as unknown as DataQuality;

test('without issues the list is empty', () => {
  assert.deepEqual(issuesOf(nothing), []);
});

test('a count of one is singular', () => {
  const [quiet, incomplete, unlabeled, long] = issuesOf({
    ...nothing,
    quiet_days: ['2026-03-02'],
    incomplete_runs: 1,
    runs_examined: 1,
    flagged_jobs: { ...nothing.flagged_jobs, missing_labels: 1, over_time_limit: 1 },
  });
  assert.match(quiet!.what, /^1 quiet day: /);
  assert.match(incomplete!.what, /^1 run never/);
  assert.match(long!.what, /^1 job longer .* time limit$/);
  assert.match(unlabeled!.advice, /in the latest 1 run\./);
});

test('names the last five quiet days and counts the others', () => {
  const quiet_days = Array.from({ length: 8 }, (_, index) => `2026-03-0${index + 1}`);
  const [{ what } = { what: '' }] = issuesOf({ ...nothing, quiet_days });
  assert.match(what, /^8 quiet days: .* and 3 earlier$/);
  assert.equal(what.split(',').length, 5);
});

test('the most important issue comes first', () => {
  const all = issuesOf({
    ...nothing,
    unpriced: {
      jobs: 3,
      minutes: 1_040,
      runners: ['a', 'b', 'c', 'd'].map((label) => ({ labels: [label], runner_group: null })),
    } as never,
    quiet_days: ['2026-03-02'],
    incomplete_runs: 2,
    flagged_jobs: { guessed_runner: 2, missing_labels: 2, negative_duration: 2, over_time_limit: 2 },
  });
  assert.equal(all.length, 7);
  assert.equal(all[0]!.what, '3 jobs (1,040 min) without a price');
  assert.match(all[0]!.advice, /Runners: a; b; c and 1 more\.$/);
  assert.match(all[1]!.what, /quiet/);
  assert.match(all.at(-1)!.what, /inferred/);
  assert.ok(all.every(({ advice, link }) => advice && link.href && link.label));
  assert.equal(all[2]!.link.href, '/?flag=incomplete');
});
