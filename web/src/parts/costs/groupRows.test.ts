import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Costs } from '../../analysis/queries.ts';
import { initial, type Question } from '../../analysis/question.ts';
import { rowsOf } from './groupRows.ts';

const today = '2026-11-22';
const figure = { change: null, change_percent: null };
const point = (start: string, value: number, previous_value: number) => ({
  start,
  value,
  previous_value,
  is_anomalous: null,
  ...figure,
});
const costs: Costs = {
  period: { start: '2026-11-16', end: '2026-11-17', days: 2 },
  previous_period: { start: '2026-11-14', end: '2026-11-15', days: 2 },
  anomaly_threshold_percent: null,
  metric: 'cost',
  granularity: 'day',
  group_by: ['job'],
  total: {
    value: 8,
    previous_value: 5,
    ...figure,
    series: [point('2026-11-16', 6, 1), point('2026-11-17', 2, 4)],
  },
  groups: [
    {
      by: [{ dimension: 'job', value: 'build', name: 'build' }],
      share_percent: 75,
      value: 6,
      previous_value: 0,
      ...figure,
      series: [],
      narrow: '/api/v1/costs?job=build&group_by=runner',
    },
  ],
  other: { groups: 30, share_percent: 25, value: 2, previous_value: 5, ...figure, series: [] },
};
const parts = [
  { key: 'repository=acme/api', slot: 3 },
  { key: 'repository=acme/web', slot: 5 },
];

test('beside a treemap, a row has the color of the area it is in', () => {
  const by = (repository: string, job: string) => [
    { dimension: 'repository' as const, value: repository, name: repository },
    { dimension: 'job' as const, value: job, name: job },
  ];
  const groups = [by('acme/web', 'build'), by('acme/api', 'build'), by('acme/web', 'test')].map((names) => ({
    ...costs.groups[0]!,
    by: names,
  }));
  const context = { costs: { ...costs, groups, other: null }, parts, isByFirst: true, today };
  const colored = rowsOf({ ...initial, groupBy: ['repository', 'job'] }, context);
  assert.deepEqual(
    colored.map(({ part, slot }) => [part, slot]),
    [
      ['repository=acme/web', 5],
      ['repository=acme/api', 3],
      ['repository=acme/web', 5],
    ],
  );
});

const rows = (question: Question) => rowsOf(question, { costs, parts: [], isByFirst: false, today });

test('a group leads to what is in it, and the others to a longer list', () => {
  const [build, others, ...more] = rows({ ...initial, groupBy: ['job'] });
  assert.deepEqual([build!.title, build!.share, build!.next?.groupBy], ['build', 75, ['runner']]);
  assert.deepEqual(build!.next?.filters, [{ dimension: 'job', isNot: false, values: ['build'] }]);
  assert.deepEqual([others!.title, others!.value, others!.next?.limit, more], ['30 others', 2, 100, []]);
  assert.equal(rows({ ...initial, groupBy: ['job'], limit: 100 })[1]!.next, null);
});

test('without groups, the days are the rows, sorted as asked, and each leads to its day', () => {
  const sorted = (sort: Question['sort']) =>
    rows({ ...initial, groupBy: [], sort }).map(({ title, value, share }) => [title, value, share]);
  const [monday, tuesday] = [
    ['Mon, Nov 16, 2026', 6, 75],
    ['Tue, Nov 17, 2026', 2, 25],
  ];
  assert.deepEqual(sorted('-value'), [monday, tuesday]);
  assert.deepEqual(sorted('share'), [tuesday, monday]);
  assert.deepEqual(sorted('-change'), [monday, tuesday]);
  assert.deepEqual(sorted('change'), [tuesday, monday]);
  assert.deepEqual(sorted('-name'), [tuesday, monday]);
  const [first] = rows({ ...initial, groupBy: [] });
  assert.deepEqual(first!.next?.range, { kind: 'dates', from: '2026-11-16', to: '2026-11-16' });
});
