import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slicesOf } from './days.ts';

const shown = (days: [string, number][], most: number) =>
  slicesOf(
    days.map(([day, jobs]) => ({ day, jobs })),
    most,
  ).map(({ from, until }) => `${from.toISOString().slice(0, 16)} ${until.toISOString().slice(0, 16)}`);

test('no days give no slices', () => {
  assert.deepEqual(shown([], 10), []);
});

test('days with few jobs are read together', () => {
  const days: [string, number][] = [
    ['2026-02-27', 4],
    ['2026-02-28', 6],
    ['2026-03-05', 1],
    ['2026-03-06', 10],
  ];
  assert.deepEqual(shown(days, 10), [
    '2026-02-27T00:00 2026-03-01T00:00',
    '2026-03-05T00:00 2026-03-06T00:00',
    '2026-03-06T00:00 2026-03-07T00:00',
  ]);
});

test('a day with too many jobs is read in adjoining parts', () => {
  const days: [string, number][] = [
    ['2026-03-01', 5],
    ['2026-03-02', 25],
    ['2026-03-03', 5],
  ];
  assert.deepEqual(shown(days, 10), [
    '2026-03-01T00:00 2026-03-02T00:00',
    '2026-03-02T00:00 2026-03-02T08:00',
    '2026-03-02T08:00 2026-03-02T16:00',
    '2026-03-02T16:00 2026-03-03T00:00',
    '2026-03-03T00:00 2026-03-04T00:00',
  ]);
});

test('no part is shorter than a minute', () => {
  assert.equal(slicesOf([{ day: '2026-03-02', jobs: 1_000_000 }], 1).length, 1_440);
});
