import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Costs } from '../../../analysis/queries.ts';
import { daysOf, measuresOf, rateOf, type Day } from './measures.ts';
import type { Durations } from './queries.ts';

const day: Day = {
  date: '2026-03-02',
  count: 4,
  successRate: 0.75,
  duration: { p50: 90, p95: 600 },
  queue: { p50: 0, p95: null },
};

test('each figure has its own unit, and is unknown on a day on which nothing ended', () => {
  const shown = measuresOf([day], 'Runs').map(({ title, lines, inWords, onAxis }) => [
    title,
    ...lines.map(({ of }) => {
      const value = of(day);
      return value === null ? null : [inWords(value), onAxis(value)];
    }),
  ]);
  assert.deepEqual(shown, [
    ['Duration', ['1 min 30 s', '1.5 min'], ['10 min', '10 min']],
    ['Queue time', ['0 s', '0 s'], null],
    ['Success rate', ['75.0%', '75%']],
    ['Daily runs', ['4', '4']],
  ]);
});

test('days join counts by conclusion with durations by day', () => {
  const point = (start: string, value: number) => ({ start, value });
  const group = (value: string | null, ...values: number[]) => ({
    by: [{ dimension: 'conclusion', value }],
    series: values.map((each, index) => point(`2026-03-0${index + 1}`, each)),
  });
  const counts = {
    total: { series: [point('2026-03-01', 6), point('2026-03-02', 1), point('2026-03-03', 0)] },
    groups: [
      group('success', 3, 0, 0),
      group('failure', 1, 0, 0),
      group('skipped', 2, 0, 0),
      group(null, 0, 1, 0),
    ],
  } as unknown as Costs;
  const times = {
    groups: [
      {
        by: [{ dimension: 'day', value: '2026-03-01' }],
        duration_p50_seconds: 60,
        duration_p95_seconds: 90,
        queue_p50_seconds: 1,
        queue_p95_seconds: 2,
      },
    ],
  } as unknown as Durations;
  const [first, second, third] = daysOf(counts, times);
  assert.deepEqual(first, {
    date: '2026-03-01',
    count: 6,
    successRate: 0.75,
    duration: { p50: 60, p95: 90 },
    queue: { p50: 1, p95: 2 },
  });
  for (const each of [second!, third!])
    assert.deepEqual([each.successRate, each.duration.p50, each.queue.p95], [null, null, null]);
});

test('where everything failed, the success rate is zero', () => {
  assert.equal(
    rateOf((conclusion) => (conclusion === 'failure' ? 3 : 0)),
    0,
  );
});
