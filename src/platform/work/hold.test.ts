import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { emitEvents, onlyDelivery, subscribe } from '../../../test/harness/deliveries.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { setHold } from '../db/installation.ts';

test('on hold, a delivery waits without a failed attempt, and is sent once after the hold', async () => {
  const testApp = await startTestApp();
  const { app, clock, worker } = testApp;
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  await setHold(app.db, { reason: 'copied', detail: null, since: clock.now() });
  const session = await organization.get('/api/v1/session');
  assert.match(session.body.data.hold, /^This data folder is a copy, found on 2026-03-18\./);
  await emitEvents(testApp, organization, [{ number: 1 }]);
  for (let days = 0; days < 3; days++) {
    await worker.processAll();
    clock.forward(86_400);
  }
  assert.deepEqual(receiver.received, []);
  const waiting = await onlyDelivery(organization, id);
  assert.deepEqual([waiting.status, waiting.attempts], ['pending', 0]);
  await setHold(app.db, null);
  await worker.processAll();
  assert.equal(receiver.received.length, 1);
});
