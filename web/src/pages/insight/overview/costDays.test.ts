import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costDays } from './costDays.ts';
import { overviewDays } from './days.ts';
import type { Forecast, Trends } from './queries.ts';

const today = '2026-03-31';

/** Days up to today. Each costs its distance from today: today 0, yesterday 1. */
function trendsOf(days: number): Trends['data'] {
  return Array.from({ length: days }, (_, index) => {
    const back = days - 1 - index;
    const date = new Date(Date.parse(today) - back * 86_400_000).toISOString().slice(0, 10);
    return { date, cost: back, net_cost: back, runs: 1 } as Trends['data'][number];
  });
}

function projectionOf(daily: Omit<Forecast['daily'][number], 'cost'>[]): Forecast {
  return { daily: daily.map((day) => ({ ...day, cost: null })) } as Forecast;
}

test('each day comes with the same weekday four weeks earlier', () => {
  const days = costDays(trendsOf(2 * overviewDays), undefined);
  assert.equal(days.length, overviewDays);
  assert.deepEqual(days.at(-1), { date: today, cost: 0, before: 28, projected: null, band: null });
  assert.deepEqual(days[0], { date: '2026-03-02', cost: 29, before: 57, projected: null, band: null });
});

test('with a shorter retention, some days have no earlier day', () => {
  const days = costDays(trendsOf(overviewDays + 5), undefined);
  assert.equal(days.length, overviewDays);
  assert.deepEqual(
    days.slice(-8).map(({ before }) => before),
    [null, 34, 33, 32, 31, 30, 29, 28],
  );
  assert.ok(costDays(trendsOf(7), undefined).every(({ before }) => before === null));
});

test('the forecast starts today, which has both its cost so far and its forecast', () => {
  const days = costDays(
    trendsOf(2),
    projectionOf([
      { date: '2026-03-30', projected: 9, low: 9, high: 9 },
      { date: today, projected: 4, low: 1, high: 6 },
      { date: '2026-04-01', projected: 5, low: null, high: null },
    ]),
  );
  assert.deepEqual(days, [
    { date: '2026-03-30', cost: 1, before: null, projected: null, band: null },
    { date: today, cost: 0, before: null, projected: 4, band: [1, 6] },
    { date: '2026-04-01', cost: null, before: null, projected: 5, band: null },
  ]);
});

test('a range that starts at zero is a range', () => {
  const [day] = costDays([], projectionOf([{ date: today, projected: 0, low: 0, high: 0 }]));
  assert.deepEqual(day, { date: today, cost: null, before: null, projected: 0, band: [0, 0] });
});
