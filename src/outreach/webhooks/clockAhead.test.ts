import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { emitEvents, latestDelivery, onlyDelivery, subscribe } from '../../../test/harness/deliveries.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { claimDeliveries } from './claim.queries.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;
const rightTime = '2026-03-18T12:00:00Z';
const aheadTime = '2027-03-18T12:00:00Z';

test('a retry that a clock ahead has set is made at once, and the next one follows the schedule', async () => {
  clock.set(aheadTime);
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  receiver.answer = 500;
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  await worker.processAll();
  clock.set(rightTime);
  await worker.processAll();
  assert.equal(receiver.received.length, 2);
  const { attempts_log: attempts, next_attempt_at: next } = await onlyDelivery(organization, id);
  const starts = attempts.map(({ started_at: at }: { started_at: string }) => at.slice(0, 16));
  assert.deepEqual(starts, ['2026-03-18T12:00', '2026-03-18T12:00']);
  assert.match(next, /^2026-03-18T12:05/);
  clock.forward(120);
  await worker.processAll();
  assert.equal(receiver.received.length, 2, 'a retry of the right clock waits');
});

test('what a clock ahead has recorded or was sending is sent at once', async () => {
  clock.set(aheadTime);
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  const lease = { id: 'of a worker with a clock ahead', until: new Date(clock.now().getTime() + 60_000) };
  const claim = { now: clock.now(), lease, shares: [{ id, share: 1 }], isDistributed: false };
  await app.db.transaction().execute((tx) => claimDeliveries(tx, organization.orgId, claim));
  await emitEvents(testApp, organization);
  clock.set(rightTime);
  await worker.processAll();
  assert.equal(receiver.received.length, 2);
  assert.equal((await latestDelivery(organization, id)).status, 'success');
});
