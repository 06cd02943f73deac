import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addDays,
  datesOf,
  datesTitle,
  daysBetween,
  periodAround,
  presets,
  rangeIn,
  rangeOf,
  rangeParameters,
  rangeTitle,
  shifted,
  type Range,
} from './ranges.ts';

const today = '2026-11-22';
const dates = (from: string, to: string): Range => ({ kind: 'dates', from, to });

test('a range by name follows the calendar', () => {
  assert.deepEqual(
    presets().map((range) => datesOf(range, today)),
    [
      { from: today, to: today },
      { from: '2026-11-21', to: '2026-11-21' },
      { from: '2026-11-16', to: today },
      { from: '2026-10-24', to: today },
      { from: '2026-08-25', to: today },
      { from: '2025-11-23', to: today },
      { from: '2026-11-16', to: today },
      { from: '2026-11-09', to: '2026-11-15' },
      { from: '2026-11-01', to: today },
      { from: '2026-10-01', to: '2026-10-31' },
      { from: '2026-01-01', to: today },
    ],
  );
  assert.deepEqual(
    presets()
      .map((range) => rangeTitle(range))
      .filter((_, index) => [0, 1, 5].includes(index)),
    ['Today', 'Yesterday', 'Last 12 months'],
  );
  assert.equal(rangeTitle(presets().at(-1)!), 'Year to date');
  assert.deepEqual(datesOf({ kind: 'last_month' }, '2027-01-05'), { from: '2026-12-01', to: '2026-12-31' });
});

test('the arrows go to as many days before and after, and by months', () => {
  const days: Range = { kind: 'days', days: 30 };
  const before = shifted(days, today, -1)!;
  assert.deepEqual(before, dates('2026-09-24', '2026-10-23'));
  assert.deepEqual(shifted(before, today, 1), days);
  assert.deepEqual(shifted({ kind: 'this_month' }, today, -1), { kind: 'last_month' });
  assert.deepEqual(shifted({ kind: 'last_month' }, today, -1), dates('2026-09-01', '2026-09-30'));
  assert.deepEqual(shifted({ kind: 'last_month' }, today, 1), { kind: 'this_month' });
  assert.deepEqual(shifted(dates('2026-01-01', '2026-01-31'), today, 1), dates('2026-02-01', '2026-02-28'));
  assert.equal(shifted(days, today, 1), null);
  assert.deepEqual(shifted({ kind: 'days', days: 1 }, today, -1), { kind: 'yesterday' });
  const first = '2026-12-01';
  assert.deepEqual(shifted({ kind: 'last_month' }, first, 1), { kind: 'this_month' });
  assert.equal(shifted({ kind: 'this_month' }, today, 1), null);
});

test('weeks begin as the organization reads them, and quarters and years with its fiscal year', () => {
  const read = { time_zone: 'UTC', fiscal_year_start_month: 4, week_start: 'sunday' } as const;
  const found = presets(read).map((range) => [
    rangeTitle(range, read),
    ...Object.values(datesOf(range, '2027-02-03', read)),
  ]);
  assert.deepEqual(found.slice(6), [
    ['This week', '2027-01-31', '2027-02-03'],
    ['Last week', '2027-01-24', '2027-01-30'],
    ['This month', '2027-02-01', '2027-02-03'],
    ['Last month', '2027-01-01', '2027-01-31'],
    ['This fiscal quarter', '2027-01-01', '2027-02-03'],
    ['Last fiscal quarter', '2026-10-01', '2026-12-31'],
    ['This fiscal year', '2026-04-01', '2027-02-03'],
    ['Last fiscal year', '2025-04-01', '2026-03-31'],
  ]);
  assert.deepEqual(periodAround('2028-02-29', 'fiscal_year', { ...read, fiscal_year_start_month: 3 }), {
    from: '2027-03-01',
    to: '2028-02-29',
  });
  const quarter = dates('2026-07-01', '2026-09-30');
  assert.deepEqual(shifted(quarter, today, -1), dates('2026-04-01', '2026-06-30'));
});

const anyDay = fc.integer({ min: 0, max: 700 }).map((ago) => addDays(today, -ago));

test('any range reads back from its address, and a step back and on returns to it', () => {
  const anyRange = fc.oneof(
    fc.constantFrom(...presets()),
    fc.integer({ min: 1, max: 365 }).map((days): Range => ({ kind: 'days', days })),
    fc.tuple(anyDay, anyDay).map(([one, other]) => dates(...([one, other].toSorted() as [string, string]))),
  );
  fc.assert(
    fc.property(anyRange, (range) => {
      assert.deepEqual(rangeIn(new URLSearchParams(rangeParameters(range))), range);
      const before = shifted(range, today, -1)!;
      assert.equal(addDays(datesOf(before, today).to, 1), datesOf(range, today).from);
      const back = datesOf(shifted(before, today, 1)!, today);
      assert.equal(back.from, datesOf(range, today).from);
      assert.deepEqual(datesOf(rangeOf(back, today), today), back);
    }),
  );
});

test('an address with half a range or no days is the last 30 days', () => {
  for (const search of [
    '',
    'days=0',
    'days=1e9',
    'days=x',
    'from=2026-11-01',
    'from=2026-11-31&to=2026-12-01',
    'range=ever',
  ])
    assert.deepEqual(rangeIn(new URLSearchParams(search)), { kind: 'days', days: 30 }, search);
});

test('a range is named by its dates, a month by its name', () => {
  assert.equal(rangeTitle(dates('2026-09-24', '2026-10-23')), 'Sep 24 – Oct 23, 2026');
  assert.equal(rangeTitle(dates('2025-12-24', '2026-01-03')), 'Dec 24, 2025 – Jan 3, 2026');
  assert.equal(rangeTitle(dates('2026-09-01', '2026-09-30')), 'September 2026');
  assert.equal(datesTitle({ from: today, to: today }), 'Nov 22, 2026');
  assert.equal(rangeTitle({ kind: 'days', days: 7 }), 'Last 7 days');
  assert.equal(daysBetween({ from: '2026-02-27', to: '2026-03-01' }), 3);
});
