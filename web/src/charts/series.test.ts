import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { addDays } from '../analysis/ranges.ts';
import {
  commonOf,
  legendOf,
  needsLog,
  peakOf,
  secondOf,
  shortened,
  sparkPath,
  tilesOf,
  topSeries,
  unusualDays,
  withoutCommon,
  type Group,
} from './series.ts';

type Asked = Parameters<typeof topSeries>[0];

const figure = { previous_value: null, change: null, change_percent: null };
const seriesOf = (...values: number[]) =>
  values.map((value, index) => ({
    start: addDays('2026-11-01', index),
    value,
    ...figure,
    is_anomalous: null,
  }));

function group(names: Record<string, string>, ...values: number[]): Group {
  return {
    by: Object.entries(names).map(([dimension, name]) => ({
      dimension: dimension as 'job',
      value: name,
      name,
    })),
    share_percent: 0,
    value: values.reduce((sum, value) => sum + value, 0),
    ...figure,
    series: seriesOf(...values),
    narrow: `/api/v1/costs?x=${Object.values(names).join('+')}`,
  };
}

function costsOf(groups: Group[], other: Asked['other'] = null): Asked {
  const sums = (groups[0]?.series ?? []).map((_, index) =>
    groups.reduce((sum, { series }) => sum + series[index]!.value, other?.series[index]?.value ?? 0),
  );
  return {
    period: { start: '2026-11-01', end: '2026-11-02', days: 2 },
    previous_period: null,
    anomaly_threshold_percent: null,
    metric: 'cost',
    granularity: 'day',
    group_by: groups[0]?.by.map(({ dimension }) => dimension) ?? [],
    total: { value: sums.reduce((sum, value) => sum + value, 0), ...figure, series: seriesOf(...sums) },
    groups,
    other,
  };
}

test('the eight largest have a series each, and the rest is what is left of the total', () => {
  const groups = Array.from({ length: 9 }, (_, index) => group({ job: `j${index}` }, index + 0.1, 0.2));
  const other = { groups: 4, share_percent: 0, value: 3, ...figure, series: seriesOf(1, 2) };
  const series = topSeries(costsOf(groups, other));
  assert.deepEqual(
    series.map(({ title }) => title),
    ['j8', 'j7', 'j6', 'j5', 'j4', 'j3', 'j2', 'j1', '5 others'],
  );
  const rest = series.at(-1)!;
  assert.deepEqual([rest.slot, rest.narrow], [null, null]);
  assert.deepEqual(rest.values, [1.1, 2.2]);
  assert.equal(rest.value, 3.3);
});

test('a ninth group is one other', () => {
  const groups = Array.from({ length: 9 }, (_, index) => group({ job: `j${index}` }, index + 1, 0));
  const series = topSeries(costsOf(groups));
  const last = series.at(-1)!;
  assert.deepEqual([series.length, last.title, last.slot, last.key], [9, '1 other', null, '']);
  assert.deepEqual([last.value, last.values], [1, [1, 0]]);
});

test('all series add up to the total, whatever the groups', () => {
  const anyGroups = fc.array(fc.tuple(fc.nat(1_000), fc.nat(1_000)), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(anyGroups, (drawn) => {
      const costs = costsOf(drawn.map(([a, b], index) => group({ job: String(index) }, a / 10, b / 10)));
      const series = topSeries(costs);
      costs.total.series.forEach(({ value }, index) => {
        const sum = series.reduce((all, { values }) => all + values[index]!, 0);
        assert.ok(Math.abs(sum - value) < 1e-6);
      });
    }),
  );
});

test('without groups, the total is the series', () => {
  const [only, ...none] = topSeries({
    ...costsOf([]),
    total: { value: 3, ...figure, series: seriesOf(1, 2) },
  });
  assert.deepEqual([only!.title, only!.values, none], ['Total', [1, 2], []]);
});

test('what all names have in common is left out where there is little room', () => {
  const named = (...titles: string[]) => titles.map((title) => ({ key: title, title }));
  assert.equal(commonOf(named('acme/api', 'acme/web')), 'acme/');
  assert.equal(commonOf(named('CI (acme/api)', 'Deploy (acme/api)')), ' (acme/api)');
  assert.equal(commonOf(named('CI (acme/api)', 'CI (acme/web)')), 'acme/');
  for (const titles of [['acme/api'], ['acme/api', 'other/web'], ['main', 'dev'], []])
    assert.equal(commonOf(named(...titles)), '');
  assert.equal(withoutCommon('CI (acme/web)', 'acme/'), 'CI (web)');
  assert.equal(withoutCommon('acme/api', 'acme/'), 'api');
  assert.equal(withoutCommon('3 others', 'acme/'), '3 others');
});

test('a legend leaves out the owner of a repository, also of one alone', () => {
  const titleOf = (key: string, title: string) => shortened([{ key, title }])[0]!.title;
  assert.equal(titleOf('repository=acme/api', 'acme/api'), 'api');
  assert.equal(titleOf('workflow=wf_1', 'CI (acme/api)'), 'CI (api)');
  assert.equal(titleOf('branch=fix/api', 'fix/api'), 'fix/api');
});

test('areas are nested by the first dimension, and the rest is one area', () => {
  const groups = [
    group({ repository: 'acme/web', workflow: 'CI (acme/web)' }, 5),
    group({ repository: 'acme/api', workflow: 'CI (acme/api)' }, 4),
    group({ repository: 'acme/api', workflow: 'Deploy (acme/api)' }, 3),
    group({ repository: 'acme/old', workflow: 'CI (acme/old)' }, 0),
  ];
  const other = { groups: 2, share_percent: 0, value: 1, ...figure, series: [] };
  const tiles = tilesOf(costsOf(groups, other));
  assert.deepEqual(
    tiles.map(({ name, value, children }) => [name, value, children.map((leaf) => leaf.name)]),
    [
      ['api', 7, ['CI', 'Deploy']],
      ['web', 5, ['CI']],
      ['2 others', 1, ['2 others']],
    ],
  );
  const { filters } = { filters: [{ dimension: 'workflow' as const, isNot: false, values: ['wf_1'] }] };
  assert.equal(secondOf('repository', { metric: 'cost', filters: [] }), 'workflow');
  assert.equal(secondOf('repository', { metric: 'cost', filters }), 'job');
  assert.equal(secondOf('branch', { metric: 'runs', filters: [] }), 'repository');
  assert.equal(secondOf('workflow', { metric: 'runs', filters: [] }), undefined);
});

test('the legend of areas names those with a color, and the rest together', () => {
  const tiles = (count: number) =>
    tilesOf(costsOf(Array.from({ length: count }, (_, index) => group({ job: `j${index}` }, index + 1))));
  const names = (count: number) => legendOf(tiles(count)).map(({ name, value }) => [name, value]);
  assert.deepEqual(names(9).at(-1), ['j0', 1]);
  assert.deepEqual([names(10).length, names(10).at(-1)], [9, ['Others', 3]]);
});

test('a small line fits its picture', () => {
  assert.equal(sparkPath([0, 2, 1], 10, 10), 'M0.0 10.0L5.0 0.0L10.0 5.0');
  assert.equal(sparkPath([0, 0], 10, 10), 'M0 10H10');
});

test('areas inside others leave out what all their names share', () => {
  const groups = [
    group({ team: 'Web', repository: 'acme/web' }, 3),
    group({ team: 'Core', repository: 'acme/api' }, 2),
  ];
  const leaves = tilesOf(costsOf(groups)).flatMap(({ children }) => children);
  assert.deepEqual(
    leaves.map(({ parent, name }) => [parent, name]),
    [
      ['Web', 'web'],
      ['Core', 'api'],
    ],
  );
  const titled = groups.map((each) => ({
    key: each.by[1]!.name,
    title: each.by.map(({ name }) => name).join(' · '),
  }));
  assert.equal(commonOf(titled), 'acme/');
});

test('an unusual day is marked if it costs as much as most', () => {
  const days = (amounts: number[], unusual: number[]) =>
    seriesOf(...amounts).map((day, index) => ({ ...day, is_anomalous: unusual.includes(index) }));
  const series = days([100, 4, 100, 196], [1, 2, 3]);
  assert.deepEqual(unusualDays({ series }), ['2026-11-03', '2026-11-04']);
  assert.deepEqual(unusualDays({ series: days([100, 4, 100, 196], []) }), []);
});

test('lines need a logarithmic axis if the highest is more than five times the second', () => {
  const needs = (...peaks: number[]) => needsLog(peaks.map((peak) => ({ values: [0, peak, 1] })));
  assert.deepEqual([needs(51, 10), needs(10, 51, 3), needs(50, 10), needs(50)], [true, true, false, false]);
  assert.equal(needsLog([{ values: [50] }, { values: [0] }]), false);
  const lines = [
    { title: 'web', values: [4] },
    { title: 'mobile', values: [1, 60] },
  ];
  assert.deepEqual(peakOf(lines), { line: lines[1], times: 15 });
});
