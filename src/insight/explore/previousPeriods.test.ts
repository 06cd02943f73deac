/** All that compares with a previous period chooses it by one rule. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAlert, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { request, sharedTestApp, startTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { addDays } from '../../platform/lib/days.ts';

const testApp = await sharedTestApp();

type Query = Record<string, string | number>;

/** A run of one job on 2-core Linux. */
function runOf(minutes: number, day: string) {
  const started_at = `${day}T08:00:00Z`;
  const completed_at = new Date(Date.parse(started_at) + minutes * 60_000).toISOString();
  return newRun({ created_at: started_at, started_at, jobs: [newJob({ started_at, completed_at })] });
}

test('the same words are compared with the same days everywhere', async () => {
  const organization = await testApp.newOrganization();
  const days = Array.from({ length: 80 }, (_, index) => addDays('2026-03-18', -index));
  await submit(organization, ...days.map((day, index) => runOf(1 + index, day)));
  const ask = async (query: Query) => (await organization.get('/api/v1/costs', query)).body.data;
  const compare = 'previous_period';
  const month = { from: '2026-03-01', to: '2026-03-18' };
  const cases: [Query, string, string][] = [
    [month, '2026-02-01', '2026-02-18'],
    [{ from: '2026-03-01' }, '2026-02-01', '2026-02-18'],
    [{ days: 18 }, '2026-02-11', '2026-02-28'],
    [{ from: '2026-02-01', to: '2026-02-28' }, '2026-01-01', '2026-01-31'],
    [{ from: '2026-03-16', to: '2026-03-18' }, '2026-03-09', '2026-03-11'],
    [{ from: '2026-03-15', to: '2026-03-18', week_start: 'sunday' }, '2026-03-08', '2026-03-11'],
    [{ from: '2026-03-10', to: '2026-03-16' }, '2026-03-03', '2026-03-09'],
  ];
  for (const [query, start, end] of cases) {
    const costs = await ask({ ...query, compare, group_by: 'branch' });
    const before = await ask({ from: start, to: end });
    assert.deepEqual([costs.previous_period.start, costs.previous_period.end], [start, end]);
    assert.equal(costs.total.previous_value, before.total.value);
    const others = ['/costs/change', '/costs/workflows', ...('to' in query ? ['/waste/fixes'] : [])];
    for (const other of others) {
      const { body, text } = await organization.get(`/api/v1${other}`, { ...query, compare });
      const found = body.data?.previous?.period ?? body.data?.previous_period ?? body.previous_period;
      assert.deepEqual(found, costs.previous_period, `${other}: ${text}`);
    }
    const narrowed = (await organization.get(costs.groups[0].narrow)).body.data;
    assert.deepEqual(narrowed.previous_period, costs.previous_period);
  }
  const showback = (await organization.get('/api/v1/showback', { by: 'team', month: '2026-03' })).body.data;
  const shown = await ask({ ...month, compare });
  assert.deepEqual(showback.previous_period, shown.previous_period);
  assert.equal(showback.total.previous_cost, shown.total.previous_value);
});

describe('months of other lengths', async () => {
  const organization = await testApp.newOrganization();
  const days = Array.from({ length: 261 }, (_, index) => addDays('2026-03-18', -index));
  await submit(organization, ...days.map((day, index) => runOf(1 + index, day)));
  type Point = { start: string; value: number; previous_value: number | null };
  const ask = async (query: Query): Promise<Point & { series: Point[] }> =>
    (await organization.get('/api/v1/costs', query)).body.data.total;
  const compare = 'previous_period';
  const previousOf = ({ series }: { series: Point[] }) => series.map(({ previous_value: value }) => value);
  const december = { from: '2025-12-01', to: '2025-12-31', compare, granularity: 'day' };

  test('are compared by date, and the total with the whole month', async () => {
    const costs = await ask({ from: '2025-07-01', granularity: 'day' });
    const costOn = new Map(costs.series.map(({ start, value }) => [start, value]));
    const cases: [query: Query, before: string, count: number][] = [
      [{ from: '2026-02-01', to: '2026-02-28' }, '2026-01', 28],
      [december, '2025-11', 30],
      [{ from: '2026-03-01' }, '2026-02', 18],
    ];
    for (const [query, before, count] of cases) {
      const { series, previous_value } = await ask({ ...query, compare, granularity: 'day' });
      const expected = series.map(({ start }, index) =>
        index < count ? costOn.get(`${before}${start.slice(7)}`) : null,
      );
      assert.deepEqual(previousOf({ series }), expected, before);
      if (query.to === undefined) continue;
      const whole = costs.series.filter(({ start }) => start.startsWith(before));
      const sum = whole.reduce((total, { value }) => total + value, 0);
      assert.equal(previous_value!.toFixed(9), sum.toFixed(9));
    }
  });

  test('stand at their month or its weeks as a whole', async () => {
    const quarter = { from: '2025-10-01', to: '2025-12-31', compare, granularity: 'month' };
    const earlier = await ask({ from: '2025-07-01', to: '2025-09-30', granularity: 'month' });
    const values = earlier.series.map(({ value }) => value);
    assert.deepEqual(previousOf(await ask(quarter)), values);
    const byWeek = await ask({ from: '2026-02-01', to: '2026-02-28', compare, granularity: 'week' });
    const sum = previousOf(byWeek).reduce<number>((total, value) => total + value!, 0);
    assert.equal(sum.toFixed(9), byWeek.previous_value!.toFixed(9));
  });

  test('leave cells of CSV empty for days without a date to compare', async () => {
    const headers = { authorization: `Bearer ${organization.token}`, accept: 'text/csv' };
    const url = `/api/v1/costs?${new URLSearchParams(december).toString()}`;
    const { text } = await request(testApp.server, { method: 'GET', url, headers });
    const lines = text.trimEnd().split(/\r?\n/);
    assert.match(lines.at(-1)!, /^total,2025-12-31,[\d.]+,,,(true|false)?$/);
    assert.match(lines.at(-2)!, /^total,2025-12-30,[\d.]+,[\d.]+,-?[\d.]+,/);
  });
});

describe('on the first day of', async () => {
  const { clock, newOrganization } = await startTestApp();
  const organization = await newOrganization();
  const costs: [day: string, dollars: number][] = [
    ['2026-02-01', 2],
    ['2026-02-23', 3],
    ['2026-02-28', 5],
    ['2026-03-01', 20],
    ['2026-03-02', 20],
  ];
  for (const [day, dollars] of costs) await spend(organization, dollars, day);

  const cases = [
    { period: 'month', today: '2026-03-01', before: '2026-02-01', cost: 2 },
    { period: 'week', today: '2026-03-02', before: '2026-02-23', cost: 3 },
  ];
  for (const { period, today, before, cost } of cases)
    test(`a ${period}, all compare it with the first day of the last one`, async () => {
      clock.set(`${today}T12:00:00Z`);
      const ask = async (path: string, query: Query) => (await organization.get(path, query)).body.data;
      const dates = { from: today, compare: 'previous_period' };
      const { total, previous_period: days } = await ask('/api/v1/costs', dates);
      assert.deepEqual([days.start, days.end, total.previous_value], [before, before, cost]);
      const yesterday = await ask('/api/v1/costs', { days: 1, compare: 'previous_period' });
      assert.equal(yesterday.previous_period.start, addDays(today, -1));
      const change = await ask('/api/v1/costs/change', dates);
      assert.deepEqual([change.previous_period, change.total.previous_value], [days, cost]);
      const alert = await newAlert(organization, { period, threshold_amount: 10 });
      await checkAlert(organization, alert);
      const [trigger] = await triggersOf(organization, alert);
      const { explanation } = await ask(`/api/v1/alerts/${alert}/triggers/${trigger.id}`, {});
      assert.equal(explanation.baseline, cost);
      if (period === 'week') return;
      const showback = await ask('/api/v1/showback', { by: 'team' });
      assert.deepEqual([showback.previous_period, showback.total.previous_cost], [days, cost]);
    });
});
