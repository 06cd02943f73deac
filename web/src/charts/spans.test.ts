import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import { addDays, daysBetween } from '../analysis/ranges.ts';
import { setCalendar } from '../api/calendar.ts';
import {
  isLowerLeft,
  comparedSeries,
  dateTicks,
  daysTitle,
  endOf,
  nearestTo,
  partAt,
  partialOf,
  partialTitle,
  placeOfNote,
  showsPrevious,
  spanAt,
  spansOf,
  spanTitle,
  trendOf,
} from './spans.ts';

test('a place in a stack or among lines is of one series', () => {
  assert.deepEqual(
    [-1, 0.5, 2, 2.5, 4].map((amount) => partAt(amount, [2, 0, 1])),
    [null, 0, 0, 2, null],
  );
  assert.deepEqual([nearestTo(2.4, [5, 2, 3]), nearestTo(1, [])], [1, null]);
});

afterEach(() => setCalendar(null));

test('weeks from Sunday end on Saturday, have their labels on Sundays, and say which days they lack', () => {
  setCalendar({ time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'sunday' });
  const days = Array.from({ length: 30 }, (_, index) => addDays('2026-10-24', index));
  assert.deepEqual(dateTicks(days, 'day', 14), [
    '2026-10-25',
    '2026-11-01',
    '2026-11-08',
    '2026-11-15',
    '2026-11-22',
  ]);
  const dated = { granularity: 'week', period: { end: '2026-11-25' }, today: '2026-11-25' } as const;
  assert.equal(endOf('2026-11-15', 'week', dated.period), '2026-11-21');
  assert.equal(spanTitle('2026-11-15', 'week', dated.period), 'Nov 15 – Nov 21, 2026');
  assert.deepEqual(
    ['2026-10-31', '2026-11-15', '2026-11-22'].map((start) => daysTitle(start, dated)),
    ['1 of 7 days', null, '4 of 7 days'],
  );
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

/** Each day costs its number of days since a fixed date, so that a value identifies its day. */
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

test('days of months of other lengths are compared by date, and no value stands at another day', () => {
  const monthly = (
    period: Asked['period'],
    before: NonNullable<Asked['previous_period']>,
    months: number,
  ) => {
    const earlier = (day: string) => {
      const [year, month, date] = day.split('-').map(Number) as [number, number, number];
      const same = new Date(Date.UTC(year, month - 1 - months, date));
      return same.getUTCDate() === date ? same.toISOString().slice(0, 10) : null;
    };
    const series = Array.from({ length: period.days }, (_, index) => {
      const start = addDays(period.start, index);
      const day = earlier(start);
      return { start, value: costOn(start), previous_value: day === null ? null : costOn(day) };
    });
    return spansOf({ period, previous_period: before, granularity: 'day', total: { series } });
  };
  const january = { start: '2026-01-01', end: '2026-01-31', days: 31 };
  const february = { start: '2026-02-01', end: '2026-02-28', days: 28 };
  const spans = [
    monthly(february, january, 1),
    monthly({ start: '2026-03-01', end: '2026-03-31', days: 31 }, february, 1),
    monthly(
      { start: '2026-04-01', end: '2026-06-30', days: 91 },
      { ...january, end: '2026-03-31', days: 90 },
      3,
    ),
    // As long as the two months before, which have 30 days at other places.
    monthly(
      { start: '2026-08-01', end: '2026-09-30', days: 61 },
      { start: '2026-06-01', end: '2026-07-31', days: 61 },
      2,
    ),
    monthly(
      { start: '2028-02-20', end: '2028-03-10', days: 20 },
      { start: '2027-02-20', end: '2027-03-10', days: 19 },
      12,
    ),
  ];
  for (const { previous, comparedWith } of spans.flat())
    if (previous !== null) assert.equal(previous, costOn(comparedWith!), comparedWith!);
  // January 29 to 31 have no place in February, so the same weekdays have none either.
  const unknown = spans[0]!.filter(({ previous }) => previous === null);
  assert.deepEqual(
    unknown.map(({ start }) => start),
    ['2026-02-26', '2026-02-27', '2026-02-28'],
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

test('a note is on the side of the lower columns, and at the right of equal ones', () => {
  const heights = [1, 9, 2, 2, 9, 1];
  const isLeft = (columns: number) => heights.map((_, index) => isLowerLeft(heights, index, columns));
  assert.deepEqual(isLeft(1), [true, true, false, true, false, false]);
  assert.deepEqual(isLeft(2), [true, true, false, false, false, false]);
});

test('a small line has whole weeks only, or all days', () => {
  const series = ['2026-10-31', '2026-11-02', '2026-11-09', '2026-11-16'].map((start, index) => ({
    start,
    value: index,
  }));
  const period = { end: '2026-11-20' };
  assert.deepEqual(trendOf(series, { granularity: 'week', period }), [1, 2]);
  assert.deepEqual(trendOf(series, { granularity: 'week', period: { end: '2026-11-22' } }), [1, 2, 3]);
  assert.deepEqual(trendOf(series, { granularity: 'day', period }), [0, 1, 2, 3]);
});

test('a note is where it hides least of its line, at its right and top if nothing is hidden', () => {
  const size = { columns: 2, chartHeight: 200, noteHeight: 90 };
  const placeAt = (index: number, ...heights: (number | null)[]) => {
    const { isLeft, isTop } = placeOfNote(heights, index, size);
    return `${isLeft ? 'left' : 'right'} ${isTop ? 'top' : 'bottom'}`;
  };
  assert.equal(placeAt(2, 150, 150, 150, 150, 150), 'right top');
  assert.equal(placeAt(2, 20, 20, 20, 20, 20), 'right bottom');
  assert.equal(placeAt(2, 150, 150, 150, 20, 150), 'left top');
  assert.equal(placeAt(2, 20, 20, 20, 150, 20), 'left bottom');
  assert.equal(placeAt(4, 150, 150, 150, 150, 150), 'left top');
  assert.equal(placeAt(2, 150, 150, 150, null, 20), 'right top');
  // Without room at either side, above or below the line.
  assert.equal(placeAt(1, 20, 20, 20), 'right bottom');
});

test('a week or month that lacks days is partial, and says how many it has', () => {
  const period = { end: '2026-11-27' };
  const spansFrom = (...starts: string[]) =>
    starts.map((start) => ({ start, total: 1, previous: null, comparedWith: null }));
  const today = '2026-11-27';
  const weeks = { granularity: 'week', period, today } as const;
  const listed = spansFrom('2026-10-31', '2026-11-02', '2026-11-09', '2026-11-23');
  assert.deepEqual([...partialOf(listed, weeks)], ['2026-10-31', '2026-11-23']);
  assert.deepEqual(
    listed.map(({ start }) => daysTitle(start, weeks)),
    ['2 of 7 days', null, null, '5 of 7 days'],
  );
  assert.equal(partialTitle(listed, weeks), 'Partial week');
  assert.equal(partialTitle(listed.slice(1, 3), weeks), null);
  assert.equal(partialTitle(listed.slice(1, 3), { ...weeks, today: '2026-11-15' }), null);
  const months = { ...weeks, granularity: 'month' } as const;
  assert.equal(daysTitle('2026-11-01', months), '27 of 30 days');
  assert.equal(daysTitle('2026-02-01', months), null);
  // A single column would look disabled. Among days, only today is partial.
  assert.equal(partialOf(spansFrom('2026-11-23'), weeks).size, 0);
  const days = { ...weeks, granularity: 'day' } as const;
  assert.deepEqual([...partialOf(spansFrom('2026-11-26', today), days)], [today]);
  assert.deepEqual(
    [daysTitle(today, days), partialTitle(spansFrom('2026-11-26', today), days)],
    [null, null],
  );
});
