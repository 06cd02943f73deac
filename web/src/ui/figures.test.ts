import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  axisDollars,
  countOf,
  directionClass,
  dollars,
  duration,
  gigabytes,
  leftOutInWords,
  share,
  timeFrom,
  timeText,
} from './figures.ts';

const now = new Date('2026-03-05T10:00:00.000Z');
const at = (seconds: number) => timeFrom(now, new Date(now.getTime() + 1_000 * seconds));

test('less than a minute from now, before or after, is just now', () => {
  assert.deepEqual([at(0), at(-59), at(59), at(59.9)], Array(4).fill('just now'));
});

test('future times read as future, rounded to whole units', () => {
  assert.deepEqual(
    [at(60), at(300), at(7_200), at(86_400), at(7 * 86_400 - 300), at(6.4 * 86_400)],
    ['in 1 minute', 'in 5 minutes', 'in 2 hours', 'in 1 day', 'in 7 days', 'in 6 days'],
  );
});

test('past times count whole units', () => {
  assert.deepEqual(
    [at(-60), at(-3_599), at(-3_600), at(-2 * 86_400 + 1)],
    ['1 minute ago', '59 minutes ago', '1 hour ago', '1 day ago'],
  );
});

test('amounts have two decimals and a real minus, and the smallest do not read as zero', () => {
  assert.deepEqual([0, 0.004, -0.004, 0.005, -0.95, 1_234.567].map(dollars), [
    '$0.00',
    '<$0.01',
    '>−$0.01',
    '$0.01',
    '−$0.95',
    '$1,234.57',
  ]);
});

test('durations show their two largest units, and seconds below ten minutes', () => {
  assert.deepEqual([0, 8, 60, 192, 599, 2_221, 3_600, 3_845, 90_061].map(duration), [
    '0 s',
    '8 s',
    '1 min',
    '3 min 12 s',
    '9 min 59 s',
    '37 min',
    '1 h',
    '1 h 4 min',
    '25 h 1 min',
  ]);
});

test('a count of one is singular', () => {
  assert.deepEqual(
    [countOf(0, 'run'), countOf(1, 'run'), countOf(2_000, 'run')],
    ['0 runs', '1 run', '2,000 runs'],
  );
  assert.equal(countOf(2, 'entry', 'entries'), '2 entries');
  assert.deepEqual([0, 0.0004, 0.0005, 0.9254].map(share), ['0%', '<0.1%', '0.1%', '92.5%']);
});

test('an instant shows its UTC day, to the last minute', () => {
  assert.equal(timeText(new Date('2026-03-05T23:59:59.999Z')), 'Mar 5, 2026, 23:59 UTC');
  assert.equal(timeText(new Date('2026-03-06T00:00:00.000Z')), 'Mar 6, 2026, 00:00 UTC');
});

test('a change that reads 10% or less is gray', () => {
  assert.deepEqual([10.5, 10.4, -10.4, -10.6, null].map(directionClass), [
    'is-up',
    'is-even',
    'is-even',
    'is-down',
    undefined,
  ]);
});

test('left-out days are counted, and the first three named', () => {
  const days = ['2026-11-04', '2026-11-05', '2026-11-06', '2026-11-07', '2026-11-08'];
  assert.deepEqual(
    [0, 1, 3, 5].map((count) => leftOutInWords(days.slice(0, count))),
    [
      '',
      'Leaves out 1 day marked unusual: Nov 4.',
      'Leaves out 3 days marked unusual: Nov 4, Nov 5 and Nov 6.',
      'Leaves out 5 days marked unusual: Nov 4, Nov 5, Nov 6 and 2 more.',
    ],
  );
});

test('axis ticks differ, however small the amounts are', () => {
  for (const [ticks, labels] of [
    [
      [0, 0.004, 0.008, 0.012],
      ['$0', '$0.004', '$0.008', '$0.012'],
    ],
    [
      [0.00035, 0.0105, 0.25, 0.5],
      ['$0.00035', '$0.0105', '$0.25', '$0.50'],
    ],
    [
      [1, 1.5, 1_200, 3_000_000],
      ['$1', '$1.50', '$1.2K', '$3M'],
    ],
    [
      [-50, -1_500],
      ['−$50', '−$1.5K'],
    ],
  ] as const) {
    assert.deepEqual(ticks.map(axisDollars), labels);
  }
});

test('gigabytes have two decimals, and little is not nothing', () => {
  assert.deepEqual([0, 0.001, 5.576, 1_234.5].map(gigabytes), [
    '0.00 GB',
    '< 0.01 GB',
    '5.58 GB',
    '1,234.50 GB',
  ]);
});
