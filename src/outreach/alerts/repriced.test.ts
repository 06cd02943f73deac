import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAlert, eventsOf, newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { alertPollers } from './alerts.ts';
import { announceThresholds } from './thresholds.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;
const alerts = createWorker(alertPollers({ ...app, mailer: null }), app);

test('alerts wait until a reprice has ended, but not for a dry run', async () => {
  const [organization, dry, other] = [
    await testApp.newOrganization(),
    await testApp.newOrganization(),
    await testApp.newOrganization(),
  ];
  clock.set('2026-03-30T12:00:00Z');
  const ids: string[] = [];
  for (const each of [organization, dry, other]) {
    ids.push(await newAlert(each));
    await spend(each, 12, '2026-03-30');
  }
  const days = { from: '2026-03-01', to: '2026-03-31' };
  assert.equal((await organization.send('POST', '/api/v1/reprices', days)).status, 202);
  assert.equal((await dry.send('POST', '/api/v1/reprices', { ...days, dry_run: true })).status, 202);
  clock.set('2026-03-31T00:06:00Z');
  const triggers = async () =>
    Promise.all(
      [organization, dry, other].map(async (each, index) => (await triggersOf(each, ids[index]!)).length),
    );
  const shares = async () =>
    Promise.all(
      [organization, dry, other].map(
        async (each) => (await eventsOf(testApp, each, 'cost.threshold')).length,
      ),
    );
  await alerts.processAll();
  assert.deepEqual(
    [await triggers(), await shares()],
    [
      [0, 1, 1],
      [0, 4, 4],
    ],
  );
  await worker.processAll();
  assert.deepEqual(
    [await triggers(), await shares()],
    [
      [1, 1, 1],
      [4, 4, 4],
    ],
  );
});

test('a reprice that starts while other budgets are judged delays the rest', async () => {
  const organization = await testApp.newOrganization();
  clock.set('2026-03-30T12:00:00Z');
  await newAlert(organization);
  await spend(organization, 12, '2026-03-30');
  const days = { from: '2026-03-01', to: '2026-03-31' };
  const { db } = app;
  const inBetween = new Proxy(db, {
    get: (_, name) => {
      if (name !== 'transaction') return (db[name as keyof typeof db] as () => unknown).bind(db);
      const execute: ReturnType<typeof db.transaction>['execute'] = async (work) => {
        await organization.send('POST', '/api/v1/reprices', days);
        return db.transaction().execute(work);
      };
      return () => ({ execute });
    },
  });
  const shares = async () => (await eventsOf(testApp, organization, 'cost.threshold')).length;
  await announceThresholds({ ...app, mailer: null, db: inBetween });
  assert.equal(await shares(), 0);
  await worker.processAll();
  assert.equal(await shares(), 4);
});

test('a budget created during a reprice announces what it had already reached afterwards, by the new prices', async () => {
  const organization = await testApp.newOrganization();
  clock.set('2026-03-30T12:00:00Z');
  const times = { started_at: '2026-03-29T00:00:00Z', completed_at: '2026-03-30T01:00:00Z' };
  await submit(organization, newRun({ ...times, jobs: [newJob({ ...times, labels: ['ours'] })] }));
  const rule = { match: 'label', pattern: 'ours', name: 'Ours', usd_per_minute: 0.004 };
  assert.equal((await organization.send('POST', '/api/v1/pricing/rules', rule)).status, 201);
  await organization.send('POST', '/api/v1/reprices', { from: '2026-03-01', to: '2026-03-31' });
  const { body } = await createAlert(organization);
  assert.deepEqual(body.reached_shares, []);
  await worker.processAll();
  const [event, ...others] = await eventsOf(testApp, organization, 'cost.threshold');
  assert.deepEqual(event.data.threshold, {
    percentage: 50,
    budget: 10,
    current_spend: 6,
    reached_before: true,
  });
  assert.deepEqual(others, []);
});
