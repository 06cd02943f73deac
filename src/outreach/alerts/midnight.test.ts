import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkAlert, eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';

const testApp = await startTestApp();
const { clock, worker } = testApp;

const dayBudget = { period: 'day', threshold_amount: 10 };
const justAfterMidnight = '2026-03-18T00:00:01Z';
const afterTheScheduledCheck = '2026-03-18T00:06:00Z';

async function alertOf(organization: TestOrganization, fields: object): Promise<string> {
  clock.set('2026-03-17T12:00:00Z');
  return newAlert(organization, { notify_email: false, ...fields });
}

describe('a check on demand just after midnight, before the scheduled one', () => {
  test('does not announce the day that ended twice', async () => {
    const organization = await testApp.newOrganization();
    const id = await alertOf(organization, dayBudget);
    await spend(organization, 12, '2026-03-17');
    await checkAlert(organization, id);
    clock.set(justAfterMidnight);
    assert.equal((await checkAlert(organization, id)).triggered, false);
    clock.set(afterTheScheduledCheck);
    await worker.processAll();
    const triggers = await triggersOf(organization, id);
    assert.deepEqual(
      triggers.map(({ current_value, resolved_at, resolution }) => [current_value, resolved_at, resolution]),
      [[12, '2026-03-18T00:00:01.000Z', 'period_ended']],
    );
    assert.equal((await organization.get(`/api/v1/alerts/${id}`)).body.state, 'ok');
  });

  test('still announces the day that ended', async () => {
    const organization = await testApp.newOrganization();
    const id = await alertOf(organization, dayBudget);
    await spend(organization, 12, '2026-03-17');
    clock.set(justAfterMidnight);
    await spend(organization, 15, '2026-03-18');
    assert.equal((await checkAlert(organization, id)).current_value, 15);
    clock.set(afterTheScheduledCheck);
    await worker.processAll();
    const triggers = await triggersOf(organization, id);
    assert.deepEqual(
      triggers.map(({ current_value, resolved_at }) => [current_value, resolved_at]),
      [
        [12, '2026-03-18T00:06:00.000Z'],
        [15, null],
      ].map(([value, resolved]) => [value, resolved === null ? null : triggers[0].triggered_at]),
    );
    assert.equal((await organization.get(`/api/v1/alerts/${id}`)).body.state, 'triggered');
    const [resolved] = await eventsOf(testApp, organization, 'alert.resolved');
    assert.deepEqual(
      [resolved.data.resolution.reason, resolved.data.resolution.duration_hours],
      ['period_ended', 0],
    );
  });

  test('does not announce an anomaly twice for the same day', async () => {
    const organization = await testApp.newOrganization();
    const id = await alertOf(organization, { alert_type: 'anomaly', threshold_amount: 50 });
    for (const day of ['02-17', '02-24', '03-03', '03-10']) await spend(organization, 10, `2026-${day}`);
    await spend(organization, 20, '2026-03-17');
    assert.equal((await checkAlert(organization, id)).triggered, true);
    clock.set(justAfterMidnight);
    for (const day of ['02-18', '02-25', '03-04', '03-11']) await spend(organization, 10, `2026-${day}`);
    assert.equal((await checkAlert(organization, id)).triggered, false);
    clock.set(afterTheScheduledCheck);
    await worker.processAll();
    const [trigger, ...others] = await triggersOf(organization, id);
    const { state } = (await organization.get(`/api/v1/alerts/${id}`)).body;
    assert.deepEqual([trigger.resolved_at, state, others], [null, 'triggered', []]);
  });

  test('handles a threshold that was lowered in between', async () => {
    const organization = await testApp.newOrganization();
    const id = await alertOf(organization, dayBudget);
    await spend(organization, 12, '2026-03-17');
    await checkAlert(organization, id);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 11 });
    clock.forward(1);
    await checkAlert(organization, id);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { threshold_amount: 10.5 });
    clock.set(afterTheScheduledCheck);
    await worker.processAll();
    assert.deepEqual(
      (await triggersOf(organization, id)).map(({ threshold_value }) => threshold_value),
      [11, 10],
    );
  });
});

test('writes an audit row only for a check that records something', async () => {
  const organization = await testApp.newOrganization();
  const id = await alertOf(organization, dayBudget);
  const checks = async () =>
    (await organization.get('/api/v1/audit-log')).body.data.filter(
      ({ action }: { action: string }) => action === 'alert.check',
    );
  await checkAlert(organization, id);
  assert.deepEqual(await checks(), []);
  await spend(organization, 12, '2026-03-17');
  await checkAlert(organization, id);
  const [entry, ...others] = await checks();
  const [trigger] = await triggersOf(organization, id);
  const details = { name: 'CI budget', trigger: trigger.id };
  assert.deepEqual([entry.target, entry.details, others], [id, details, []]);
});

test('triggers an alert once for concurrent checks', async () => {
  const organization = await testApp.newOrganization();
  const id = await alertOf(organization, dayBudget);
  await spend(organization, 12, '2026-03-17');
  const answers = await Promise.all(Array.from({ length: 5 }, () => checkAlert(organization, id)));
  assert.ok(answers.every(({ triggered }) => triggered));
  assert.equal((await triggersOf(organization, id)).length, 1);
});

test('a trigger names the last day that it counts: yesterday at midnight, and today on demand', async () => {
  const organization = await testApp.newOrganization();
  const rule = { threshold_amount: 10, period: 'month' };
  const scheduled = await alertOf(organization, rule);
  await spend(organization, 12, '2026-03-16');
  clock.set(afterTheScheduledCheck);
  await worker.processAll();
  await spend(organization, 5, '2026-03-18', 'Build', '00:05:00');
  const onDemand = await newAlert(organization, { notify_email: false, ...rule });
  await checkAlert(organization, onDemand);
  for (const [id, last, amount] of [
    [scheduled, '2026-03-17', 12],
    [onDemand, '2026-03-18', 17],
  ] as const) {
    const [trigger] = await triggersOf(organization, id);
    const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body;
    assert.deepEqual([data.counted_until, data.observed], [last, amount]);
    const asked = { group_by: 'workflow', from: data.period.start, to: data.counted_until };
    assert.equal((await organization.get('/api/v1/costs', asked)).body.data.total.value, amount);
  }
});
