import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAlert, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { sharedTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { addDays, type Day } from '../../platform/lib/days.ts';

const testApp = await sharedTestApp();

const path = '/api/v1/alerts/measurements';

async function measured(organization: TestOrganization) {
  const answer = await organization.get(path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.measurements;
}

const rules = [
  { alert_type: 'budget', threshold_amount: 25, period: 'month' },
  {
    alert_type: 'budget',
    threshold_amount: 3,
    period: 'week',
    scope: { type: 'repository', value: 'acme/web' },
  },
  { alert_type: 'budget', threshold_amount: 5, period: 'month', scope: { type: 'branch', value: 'main' } },
  { alert_type: 'anomaly', threshold_amount: 50, check_frequency: 'daily' },
  { alert_type: 'anomaly', threshold_amount: 50, check_frequency: 'weekly' },
] as const;

test('measurements of all alerts equal their previews, in one answer', async () => {
  const organization = await testApp.newOrganization();
  for (const [index, day] of [
    '02-04',
    '02-11',
    '02-18',
    '02-25',
    '03-04',
    '03-11',
    '03-16',
    '03-17',
    '03-18',
  ].entries()) {
    await spend(organization, 1 + index, `2026-${day}`);
    await spend(organization, 1, `2026-${day}`, 'Web', '02:00:00', { repo_name: 'acme/web', branch: 'main' });
  }
  const ids: string[] = [];
  for (const rule of rules) ids.push(await newAlert(organization, rule));
  const byId = new Map(
    (await measured(organization)).map((one: { alert_id: string }) => [one.alert_id, one]),
  );
  assert.deepEqual(new Set(byId.keys()), new Set(ids));
  const found = ids.map((id) => byId.get(id)) as Answer['body'][];
  for (const [index, rule] of rules.entries()) {
    const {
      alert_id: _,
      name: _name,
      as_of,
      unit,
      measure,
      threshold_value,
      forecast,
      open_trigger: open,
      ...seen
    } = found[index];
    assert.equal(open, null);
    const preview = await organization.send('POST', '/api/v1/alerts/preview', { ...rule, name: 'x' });
    const { series, forecast: expected, ...of } = preview.body.data;
    assert.deepEqual([unit, measure], [of.unit, of.measure]);
    const isBudget = rule.alert_type === 'budget';
    const { at, over_threshold: isOver, ...judged } = series.at(isBudget ? -1 : -2);
    assert.equal(isOver, seen.current_value > threshold_value);
    assert.deepEqual([as_of, seen, forecast], [at, judged, expected], JSON.stringify(rule));
    assert.equal(threshold_value, rule.threshold_amount);
    assert.equal(forecast === null, !isBudget);
  }
  assert.equal(found[0].observed, 9 + 8 + 7 + 6 + 5 + 5);
  assert.equal(found[0].forecast.over_on, '2026-03-17');
});

test('measurements leave out alerts that are off, and lack what has no history', async () => {
  const organization = await testApp.newOrganization();
  assert.deepEqual(await measured(organization), []);
  await newAlert(organization, { ...rules[0], enabled: false });
  const on = await newAlert(organization, rules[3]);
  assert.deepEqual(await measured(organization), [
    {
      alert_id: on,
      name: 'CI budget',
      as_of: '2026-03-18T00:00:00.000Z',
      insufficient_data: true,
      unit: 'percent',
      measure: 'list_cost',
      threshold_value: 50,
      so_far: false,
      current_value: 0,
      observed: 0,
      baseline: null,
      recurs: null,
      period: { start: '2026-03-17', end: '2026-03-17' },
      forecast: null,
      open_trigger: null,
    },
  ]);
});

test('a peak that two of the last three months had on the same day is normal, and says so', async () => {
  const organization = await testApp.newOrganization();
  const weeksBefore = (day: Day) => [7, 14, 21, 28].map((days) => addDays(day, -days));
  const peaks = ['2026-01-17', '2026-02-17', '2026-03-17'];
  const usual = new Set(peaks.flatMap(weeksBefore));
  for (const day of usual) if (!peaks.includes(day)) await spend(organization, 2, day);
  for (const day of peaks) await spend(organization, 9, day);
  const id = await newAlert(organization, rules[3]);
  const [last] = await measured(organization);
  assert.deepEqual(
    [last.observed, last.baseline, last.current_value, last.recurs],
    [9, 9, 0, 'day_of_month'],
  );
  const preview = await organization.send('POST', '/api/v1/alerts/preview', { name: 'Spike', ...rules[3] });
  const seen = preview.body.data.series.find(({ at }: { at: string }) => at === last.as_of);
  assert.deepEqual([seen.baseline, seen.recurs], [9, 'day_of_month']);
  await spend(organization, 20, '2026-03-17');
  const [above] = await measured(organization);
  assert.deepEqual([above.baseline, above.current_value, above.recurs], [2, 1_350, null]);
  assert.equal((await checkAlert(organization, id)).recurs, null);
});

test('a measurement has what its open trigger saw, which a check of today can make another day', async () => {
  const organization = await testApp.newOrganization();
  for (const day of ['02-18', '02-25', '03-04', '03-11', '03-17', '03-18'])
    await spend(organization, day === '03-18' ? 20 : 2, `2026-${day}`);
  const id = await newAlert(organization, rules[3]);
  const check = await checkAlert(organization, id);
  const [{ period, open_trigger: open }] = await measured(organization);
  const [trigger] = await triggersOf(organization, id);
  assert.deepEqual(period, { start: '2026-03-17', end: '2026-03-17' });
  assert.deepEqual(open, {
    id: trigger.id,
    alert_type: 'anomaly',
    measure: 'list_cost',
    triggered_at: trigger.triggered_at,
    current_value: 900,
    threshold_value: 50,
    observed: 20,
    baseline: 2,
    period: check.period,
  });
  assert.equal(check.period.end, '2026-03-18');
  await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 1_000 });
  await checkAlert(organization, id);
  assert.equal((await measured(organization))[0].open_trigger, null);
});

test('measurements are for those who may read alerts, each of their own organization', async () => {
  const [ours, theirs] = [await testApp.newOrganization(), await testApp.newOrganization()];
  await newAlert(ours);
  assert.deepEqual(await measured(theirs), []);
  const of = (token: string, query = '') => ours.send('GET' as 'PUT', `${path}${query}`, undefined, token);
  assertProblem(await of(theirs.token, `?org_id=${ours.orgId}`), 403, 'wrong_organization');
  assertProblem(await of('none'), 401, 'invalid_token');
  assertProblem(await of(await ours.newToken('viewer', ['costs:read'])), 403, 'scope_missing');
  assertProblem(await of(ours.token, '?days=7'), 400, 'invalid_request');
  assert.equal((await of(await ours.newToken('viewer', ['alerts:read']))).status, 200);
});
