import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Job } from './queries.ts';
import { timelineOf } from './timeline.ts';

const at = (seconds: number) => new Date(Date.UTC(2026, 2, 18, 10) + seconds * 1_000).toISOString();
const now = Date.parse(at(300));

type Times = { created?: number; started?: number; completed?: number; status?: string; minutes?: number };

function job(
  { created, started, completed, status = 'completed', minutes = 0 }: Times,
  more: object = {},
): Job {
  const time = (seconds?: number) => (seconds === undefined ? null : at(seconds));
  const receipt = { billed_minutes: minutes, rounding: 'minute', is_carried_over: false };
  const times = { created_at: time(created), started_at: time(started), completed_at: time(completed) };
  return { ...times, status, raw_conclusion: null, receipt, ...more } as Job;
}

test('a job waits, runs, and is billed for the rest of its last minute', () => {
  const unit = job({ created: 0, started: 30, completed: 180, minutes: 3 });
  const build = job({ created: 210, started: 210, completed: 240, minutes: 1 });
  const timeline = timelineOf([unit, build], now)!;
  assert.deepEqual(timeline.barOf(unit), {
    waiting: { start: 0, end: 30 / 270 },
    running: { start: 30 / 270, end: 180 / 270 },
    rounding: { start: 180 / 270, end: 210 / 270 },
  });
  assert.deepEqual(timeline.barOf(build), {
    waiting: null,
    running: { start: 210 / 270, end: 240 / 270 },
    rounding: { start: 240 / 270, end: 1 },
  });
  assert.deepEqual(
    timeline.ticks.map(({ seconds }) => seconds),
    [0, 60, 120, 180, 240],
  );
});

test('running and queued jobs reach until now, and are not rounded yet', () => {
  const running = job({ created: 0, started: 100, status: 'in_progress' });
  const queued = job({ created: 200, status: 'queued' });
  const timeline = timelineOf([running, queued], now)!;
  assert.deepEqual(timeline.barOf(running).running, { start: 1 / 3, end: 1 });
  assert.deepEqual(timeline.barOf(queued), {
    waiting: { start: 2 / 3, end: 1 },
    running: null,
    rounding: null,
  });
});

test('skipped and copied jobs have no bar, and without other jobs there is no timeline', () => {
  const times = { created: 0, started: 0, completed: 60 };
  const skipped = job(times, { raw_conclusion: 'skipped' });
  const copied = job(times, { receipt: { billed_minutes: 0, rounding: 'minute', is_carried_over: true } });
  assert.equal(timelineOf([skipped, copied], now), null);
  const timeline = timelineOf([skipped, job({ started: 600, completed: 1_200, minutes: 10 })], now)!;
  assert.deepEqual(timeline.barOf(skipped), { waiting: null, running: null, rounding: null });
});

test('days of waiting have few ticks too', () => {
  for (const seconds of [1, 7, 100, 5_000, 90_000, 3_000_000]) {
    const { ticks } = timelineOf([job({ started: 0, completed: seconds })], now)!;
    assert.ok(ticks.length >= 2 && ticks.length <= 6, `${seconds}: ${ticks.length}`);
  }
});
