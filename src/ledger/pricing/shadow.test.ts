import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';

const testApp = await sharedTestApp();

const onDay = (day: string, job: Record<string, unknown> & { name?: string }) =>
  newRun({
    created_at: `${day}T10:00:00Z`,
    workflow_name: job.name ?? 'Build',
    jobs: [newJob({ started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:05:00Z`, ...job })],
  });

async function setRates(organization: TestOrganization, rates: object[]) {
  return organization.send('PUT', '/api/v1/pricing/shadow-rates', { rates });
}

test('self-hosted minutes cost the rate of their day, apart from every other cost', async () => {
  const organization = await testApp.newOrganization();
  await submit(
    organization,
    onDay('2026-03-16', { labels: ['self-hosted'] }),
    onDay('2026-03-17', { labels: ['self-hosted'] }),
    onDay('2026-03-18', { labels: ['self-hosted'], name: 'Test' }),
    onDay('2026-03-18', { labels: ['depot-x'] }),
    onDay('2026-03-18', { runner: 'linux_2_core' }),
  );
  const set = await setRates(organization, [
    { runner_kind: 'self_hosted', usd_per_minute: 0.01, effective_from: '2026-03-17' },
    { runner_kind: 'self_hosted', usd_per_minute: 0.03, effective_from: '2026-03-18' },
  ]);
  assert.equal(set.status, 200, set.text);
  const { body } = await organization.get('/api/v1/pricing/shadow');
  assert.deepEqual(body.data.total, { minutes: 20, unrated_minutes: 10, shadow_cost: 0.2 });
  assert.deepEqual(
    body.data.workflows.map((each: Json) => [each.workflow_name, each.minutes, each.shadow_cost]),
    [
      ['Test', 5, 0.15],
      ['Build', 15, 0.05],
    ],
  );
  const summary = await organization.get('/api/v1/dashboard/summary');
  assert.equal(summary.body.total_cost, 0.04);
  const today = await organization.get('/api/v1/pricing/shadow', { days: 1 });
  assert.deepEqual(today.body.data.total, { minutes: 10, unrated_minutes: 5, shadow_cost: 0.15 });
});

test('rates are replaced together, with an audit entry', async () => {
  const organization = await testApp.newOrganization();
  await setRates(organization, [{ runner_kind: 'custom:Lab', usd_per_minute: 0.01 }]);
  const set = await setRates(organization, [{ runner_kind: 'third_party', usd_per_minute: 0.004 }]);
  const expected = [{ runner_kind: 'third_party', usd_per_minute: 0.004, effective_from: '1970-01-01' }];
  assert.deepEqual(set.body.data, expected);
  assert.deepEqual((await organization.get('/api/v1/pricing/shadow-rates')).body.data, expected);
  await setRates(organization, expected);
  const { body } = await organization.get('/api/v1/audit-log');
  const entries = body.data.filter(({ action }: { action: string }) => action === 'shadow_rates.update');
  assert.equal(entries.length, 2);
  assert.equal(entries[0].details.before.rates[0].runner_kind, 'custom:Lab');
  const stranger = await testApp.newOrganization();
  assert.deepEqual((await stranger.get('/api/v1/pricing/shadow-rates')).body.data, []);
});

test('a rate is refused for billed runners, and when it is given twice', async () => {
  const organization = await testApp.newOrganization();
  const billed = await setRates(organization, [{ runner_kind: 'linux_2_core', usd_per_minute: 1 }]);
  assert.equal(billed.body.errors[0].path, 'body.rates[0].runner_kind');
  const rate = { runner_kind: 'self_hosted', usd_per_minute: 1 };
  const twice = await setRates(organization, [rate, rate]);
  assert.equal(twice.body.errors[0].path, 'body.rates[1]');
});
