import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDays, daysOf, windowEnding, type Day } from '../../platform/lib/days.ts';
import { defaultThresholdNanos, judgeDay } from './anomaly.ts';

const dollar = 1_000_000_000n;
const today = '2026-07-15';

/** Working days cost $100, Saturdays and Sundays $20, some days a multiple of it. */
function costsWith(times: (day: Day) => bigint): Map<Day, bigint> {
  const usualOn = (day: Day) => (new Date(day).getUTCDay() % 6 === 0 ? 20n : 100n) * dollar;
  return new Map(daysOf(windowEnding(today, 240)).map((day) => [day, usualOn(day) * times(day)]));
}

const isLastThree = (day: Day) => addDays(day, 3).slice(0, 7) !== day.slice(0, 7);
const judge = (day: Day, costs: Map<Day, bigint>) =>
  judgeDay(day, costs, { thresholdNanos: defaultThresholdNanos, today });

test('a peak as at the end of two of the last three months is no anomaly, on any weekday', () => {
  const costs = costsWith((day) => (isLastThree(day) ? 3n : 1n));
  // May 30 and 31 are a weekend.
  for (const day of ['2026-05-29', '2026-05-30', '2026-05-31', '2026-06-28', '2026-06-29', '2026-06-30'])
    assert.equal(judge(day, costs), false, day);
  const skipped = costsWith((day) => (isLastThree(day) && !day.startsWith('2026-05') ? 3n : 1n));
  assert.equal(judge('2026-06-30', skipped), false);
});

test('a peak on the same day of two of the last three months is no anomaly', () => {
  const costs = costsWith((day) => (day.endsWith('-15') ? 3n : 1n));
  assert.equal(judge('2026-07-15', costs), null, 'today is not over');
  assert.equal(judge('2026-06-15', costs), false);
});

test('a peak elsewhere, after one such month only, or far above them is an anomaly', () => {
  const isPeak = (day: Day) => isLastThree(day) && ['2026-05', '2026-06'].includes(day.slice(0, 7));
  const twice = costsWith((day) => (isPeak(day) || day === '2026-07-08' ? 3n : 1n));
  for (const day of ['2026-05-31', '2026-06-30', '2026-07-08']) assert.equal(judge(day, twice), true, day);
  const higher = costsWith((day) => (day === '2026-06-30' ? 9n : isLastThree(day) ? 3n : 1n));
  assert.equal(judge('2026-06-30', higher), true);
  // One incident at a month's end does not hide the next one.
  const incident = costsWith((day) => (day === '2026-05-31' ? 50n : isLastThree(day) ? 3n : 1n));
  assert.equal(judge('2026-06-30', incident), false);
  const another = new Map(incident).set('2026-06-30', 900n * dollar);
  assert.equal(judge('2026-06-30', another), true);
});
