import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { setCalendar } from '../api/calendar.ts';
import {
  filterValueTitle,
  initial,
  literal,
  maxRowsFor,
  narrowed,
  parametersOf,
  patternOf,
  queryOf,
  questionIn,
  selectionOf,
  withFilter,
  type Filter,
  type Question,
} from './question.ts';
import { comparisons, dimensionNames, granularities, metrics } from './words.ts';

const today = '2026-11-22';
const asked = (search: string) => questionIn(new URLSearchParams(search));
const keysOf = <T extends object>(object: T) => Object.keys(object) as (keyof T & string)[];

/** Object literals have a prototype, and `deepEqual` compares it. */
const plain = { noNullPrototype: true };
const anyFilter = fc.record(
  {
    dimension: fc.constantFrom(...dimensionNames),
    isNot: fc.boolean(),
    values: fc.uniqueArray(
      fc.string({ unit: 'grapheme' }).filter((text) => !text.startsWith('!')),
      { minLength: 1, maxLength: 3 },
    ),
  },
  plain,
);
const anyQuestion: fc.Arbitrary<Question> = fc.record(
  {
    range: fc.constantFrom({ kind: 'days', days: 7 } as const, { kind: 'last_month' } as const),
    compare: fc.constantFrom(...keysOf(comparisons)),
    metric: fc.constantFrom(...keysOf(metrics)),
    groupBy: fc.uniqueArray(fc.constantFrom(...dimensionNames), { maxLength: 2 }),
    filters: fc.uniqueArray(anyFilter, { maxLength: 3, selector: ({ dimension }) => dimension }),
    granularity: fc.constantFrom(null, ...keysOf(granularities)),
    sort: fc.constantFrom('-value', 'value', '-share', 'name'),
    limit: fc.constantFrom(20, 100),
  },
  plain,
);

test('any question reads back from its address, beside what else is in it', () => {
  fc.assert(
    fc.property(anyQuestion, (question) => {
      const params = parametersOf(question, new URLSearchParams('chart=treemap&metric=old&branch=old'));
      assert.deepEqual(questionIn(params), question);
      assert.equal(params.get('chart'), 'treemap');
    }),
  );
});

test('the usual question has an empty address', () => {
  assert.equal(parametersOf(initial).toString(), '');
  assert.deepEqual(asked(''), initial);
  assert.deepEqual(asked('group_by=none').groupBy, []);
});

test('the API is asked with values as filters write them', () => {
  const question = asked('days=7&branch=main&branch=release/*&actor=!bot&runner=&compare=none&sort=-change');
  assert.deepEqual(queryOf(question, today), {
    days: 7,
    metric: 'cost',
    compare: 'none',
    // Without a comparison, there is no change to sort by.
    sort: '-value',
    limit: 20,
    group_by: 'repository',
    granularity: 'day',
    branch: ['main', 'release/*'],
    actor: ['!bot'],
    runner: [''],
  });
  assert.equal(queryOf(asked('sort=-share'), today).sort, '-value');
  const { from, to, granularity } = queryOf(asked('from=2026-01-01&to=2026-06-30'), today);
  assert.deepEqual([from, to, granularity], ['2026-01-01', '2026-06-30', 'week']);
});

test('the API is asked for weeks from Sunday only where they begin then', () => {
  assert.equal('week_start' in queryOf(asked(''), today), false);
  setCalendar({ time_zone: 'UTC', fiscal_year_start_month: 1, week_start: 'sunday' });
  assert.equal(queryOf(asked(''), today).week_start, 'sunday');
  assert.equal('week_start' in selectionOf(asked(''), today), false);
  setCalendar(null);
});

test('a click narrows to the filters and the dimension of the answer, in the range of the question', () => {
  const question = asked('range=last_month&group_by=repository,runner&branch=main&sort=name&limit=100');
  const path =
    '/api/v1/costs?from=2026-10-01&to=2026-10-31&metric=cost&repository=acme%2Fapi&runner=&branch=main&group_by=workflow';
  assert.equal(
    parametersOf(narrowed(question, path)).toString(),
    'range=last_month&group_by=workflow&repository=acme%2Fapi&runner=&branch=main',
  );
  // After the last dimension, only the total remains.
  assert.deepEqual(narrowed(question, '/api/v1/costs?repository=a').groupBy, []);
});

test('a filter is added, changed and removed in its place', () => {
  const main: Filter = { dimension: 'branch', isNot: false, values: ['main'] };
  const bots: Filter = { dimension: 'actor', isNot: true, values: ['bot'] };
  const both = withFilter(withFilter(initial, null, main), null, bots);
  assert.deepEqual(both.filters, [main, bots]);
  const other: Filter = { ...main, isNot: true };
  assert.deepEqual(withFilter(both, main, other).filters, [other, bots]);
  assert.deepEqual(withFilter(both, main, { ...main, values: [] }).filters, [bots]);
  assert.deepEqual(withFilter(both, bots, null).filters, [main]);
  // Only one filter per kind: the second replaces the first.
  assert.deepEqual(withFilter(both, null, { ...main, values: ['dev'] }).filters, [
    bots,
    { ...main, values: ['dev'] },
  ]);
});

test('a value reads as people write it, and is taken literally', () => {
  assert.deepEqual(['main', '!a', '=b', 'c*', null].map(literal), ['main', '=!a', '==b', '=c*', '']);
  assert.equal(filterValueTitle('branch', '=c*'), 'c*');
  assert.equal(filterValueTitle('runner', ''), 'Unpriced');
  assert.equal(filterValueTitle('team', ''), 'Unowned');
  assert.equal(filterValueTitle('branch', ''), 'none');
  assert.equal(filterValueTitle('weekday', 'monday'), 'Monday');
  assert.equal(filterValueTitle('hour', '09'), '09:00');
  assert.equal(filterValueTitle('workflow', 'wf_1', new Map([['wf_1', 'CI (acme/api)']])), 'CI (acme/api)');
});

test('a long range by day lists fewer rows', () => {
  assert.equal(maxRowsFor(initial, today), 100);
  assert.equal(maxRowsFor(asked('days=365&granularity=day'), today), 54);
});

test('what has passed of today is not compared with whole days', () => {
  for (const search of ['days=1', `from=${today}&to=${today}`]) {
    assert.equal(queryOf(asked(search), today).compare, 'none', search);
    assert.equal(asked(search).compare, 'previous_period', 'longer periods are compared again');
  }
  assert.equal(queryOf(asked('days=2'), today).compare, 'previous_period');
});

test('a table of hours has all of them', () => {
  assert.equal(queryOf(asked('?group_by=hour'), today).limit, 24);
  assert.equal(queryOf(asked('?group_by=hour&limit=100'), today).limit, 100);
  assert.equal(queryOf(asked('?group_by=job'), today).limit, 20);
});

test('one pattern stands for all found values only if the server finds them by it', () => {
  const found = ['Mobile', 'Machine Learning'].map((title) => ({ text: title, title }));
  assert.equal(patternOf('team', 'M', found), '*M*');
  assert.equal(patternOf('team', 'm', found), null, 'it would find none of them');
  assert.equal(patternOf('repository', 'm', found), '*m*');
  const runners = ['6', '12'].map((cores) => ({ text: `macos_${cores}_core`, title: `macOS ${cores}-core` }));
  assert.equal(patternOf('runner', 'macOS', runners), '*macos*');
  assert.equal(patternOf('team', 'M', found.slice(1)), null, 'a single one is a choice already');
  assert.equal(patternOf('team', 'Mobile', found), null);
  assert.equal(patternOf('team', ' M*e ', found), 'M*e');
  assert.equal(patternOf('team', 'new', []), '*new*');
});
