import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays, daysBetween } from '../analysis/ranges.ts';
import {
  comparedSeries,
  dateTicks,
  endOf,
  nearestTo,
  partAt,
  showsPrevious,
  spanAt,
  spansOf,
  spanTitle,
} from './spans.ts';

test('a place in a stack or among lines is of one series', () => {
  assert.deepEqual(
    [-1, 0.5, 2, 2.5, 4].map((amount) => partAt(amount, [2, 0, 1])),
    [null, 0, 0, 2, null],
  );
  assert.deepEqual([nearestTo(2.4, [5, 2, 3]), nearestTo(1, [])], [1, null]);
});

test('dates have labels on Mondays, evenly spaced and not too many', () => {
  const days = (count: number) => Array.from({ length: count }, (_, index) => addDays('2026-10-24', index));
  assert.deepEqual(dateTicks(days(30), 'day', 14), ['2026-10-26', '2026-11-02', '2026-11-09', '2026-11-16']);
  assert.deepEqual(dateTicks(days(90), 'day', 5).length, 5);
  assert.deepEqual(dateTicks(days(7), 'day', 14), days(7));
  assert.deepEqual(dateTicks(['2026-01-01', '2026-02-01'], 'month', 5), ['2026-01-01', '2026-02-01']);
});

test('a span ends with its week or month, or with the period', () => {
  const period = { end: '2026-11-22' };
  assert.equal(endOf('2026-11-09', 'week', period), '2026-11-15');
  assert.equal(endOf('2026-11-15', 'week', period), '2026-11-15');
  assert.equal(endOf('2026-11-16', 'week', { end: '2026-11-18' }), '2026-11-18');
  assert.equal(endOf('2026-02-10', 'month', period), '2026-02-28');
  assert.equal(spanTitle('2026-11-16', 'day', period), 'Mon, Nov 16, 2026');
  assert.equal(spanTitle('2026-11-16', 'week', period), 'Nov 16 – Nov 22, 2026');
  assert.equal(spanTitle('2026-10-01', 'month', period), 'October 2026');
  assert.equal(spanTitle('2026-11-01', 'month', period), 'Nov 1 – Nov 22, 2026');
});

type Asked = Parameters<typeof spansOf>[0];

/** Each day costs its distance from a day long ago, so that a value says which day it is of. */
const costOn = (day: string) => daysBetween({ from: '2020-01-01', to: day });

function comparedCosts(start: string, days: number, compare: 'previous_period' | 'previous_year'): Asked {
  const end = addDays(start, days - 1);
  const before = (day: string) =>
    compare === 'previous_period' ? addDays(day, -days) : `${Number(day.slice(0, 4)) - 1}${day.slice(4)}`;
  const series = Array.from({ length: days }, (_, index) => {
    const day = addDays(start, index);
    return { start: day, value: costOn(day), previous_value: costOn(before(day)) };
  });
  return {
    period: { start, end, days },
    previous_period: { start: before(start), end: before(end), days },
    granularity: 'day',
    total: { series },
  };
}

test('each day is compared with the same weekday before, and says which day that is', () => {
  const whole = fc.integer({ min: 7, max: 120 });
  const first = fc.integer({ min: 0, max: 300 }).map((days) => addDays('2026-01-01', days));
  fc.assert(
    fc.property(first, whole, fc.constantFrom('previous_period', 'previous_year'), (start, days, compare) => {
      const costs = comparedCosts(start, days, compare);
      const spans = spansOf(costs);
      for (const { start: day, total, previous, comparedWith } of spans) {
        assert.equal(total, costOn(day));
        assert.equal(new Date(comparedWith!).getUTCDay(), new Date(day).getUTCDay());
        const back = daysBetween({ from: comparedWith!, to: day }) - 1;
        assert.ok(back <= (compare === 'previous_year' ? 365 : days) && back >= 7);
        if (previous !== null) assert.equal(previous, costOn(comparedWith!));
      }
      const unknown = spans.filter(({ previous }) => previous === null);
      assert.ok(unknown.length <= (compare === 'previous_year' ? 2 : 0), String(unknown.length));
    }),
  );
});

test('less than a week is compared day by day, and weeks as the API compares them', () => {
  const [today] = spansOf(comparedCosts('2026-11-23', 1, 'previous_period'));
  assert.deepEqual([today!.comparedWith, today!.previous], ['2026-11-22', costOn('2026-11-22')]);
  const weeks = spansOf({ ...comparedCosts('2026-11-02', 14, 'previous_period'), granularity: 'week' });
  assert.deepEqual([weeks[0]!.comparedWith, weeks[0]!.previous], [null, costOn('2026-10-19')]);
});

test('a day is in the last span that started', () => {
  const starts = ['2026-11-02', '2026-11-09'];
  assert.deepEqual(
    ['2026-11-01', '2026-11-08', '2026-12-01'].map((day) => spanAt(day, starts)),
    [null, '2026-11-02', '2026-11-09'],
  );
});

test('each line is compared with the same weekdays as the total', () => {
  const costs = comparedCosts('2026-10-26', 28, 'previous_period');
  const { series } = costs.total;
  const half = {
    values: series.map(({ value }) => value / 2),
    previous: series.map(({ previous_value: previous }) => previous! / 2),
  };
  const [line] = comparedSeries(costs, [half]);
  assert.deepEqual(
    line!.previous,
    spansOf(costs).map(({ previous }) => previous! / 2),
  );
  const none = series.map((point) => ({ ...point, previous_value: 0 }));
  assert.deepEqual(comparedSeries({ ...costs, total: { series: none } }, [half])[0]!.previous, []);
});

test('a period without costs before it has no line of them', () => {
  const { total, ...asked } = comparedCosts('2026-08-26', 90, 'previous_period');
  const series = total.series.map((point) => ({ ...point, previous_value: 0 }));
  assert.equal(showsPrevious(spansOf({ ...asked, total: { series } })), false);
  assert.equal(showsPrevious(spansOf({ ...asked, total })), true);
});
