import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import {
  base,
  emitEvents,
  onlyDelivery,
  secondsToNextAttempt,
  statusOf,
  subscribe,
} from '../../../test/harness/deliveries.ts';
import { holdAnswers, openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';

const testApp = await startTestApp();
const { clock, worker } = testApp;

describe('a resend', () => {
  test('neither cancels nor uses up the automatic attempts', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    receiver.answer = 500;
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    const before = await onlyDelivery(organization, id);
    for (let count = 0; count < 6; count++) {
      await organization.send('POST', `${base}/${id}/deliveries/${before.id}/resend`);
      await worker.processAll();
    }
    const after = await onlyDelivery(organization, id);
    assert.deepEqual([after.status, after.next_attempt_at], ['pending', before.next_attempt_at]);
    assert.equal(receiver.received.length, 7);
    for (const seconds of secondsToNextAttempt) {
      clock.forward(seconds);
      await worker.processAll();
    }
    assert.equal(receiver.received.length, 11);
    assert.equal((await onlyDelivery(organization, id)).status, 'failed');
    receiver.answer = 200;
    await organization.send('POST', `${base}/${id}/deliveries/${before.id}/resend`);
    await worker.processAll();
    const delivered = await onlyDelivery(organization, id);
    assert.deepEqual([delivered.status, delivered.attempts], ['success', 12]);
    assert.equal(await statusOf(organization, id), 'active');
    assert.equal(receiver.received.at(-1)!.headers['x-service-attempt'], '12');
  });

  test('of a delivered event leaves it delivered, whatever the receiver answers now', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    receiver.answer = 500;
    const { id: delivery } = await onlyDelivery(organization, id);
    await organization.send('POST', `${base}/${id}/deliveries/${delivery}/resend`);
    await worker.processAll();
    const after = await onlyDelivery(organization, id);
    assert.deepEqual([after.status, after.response_code, after.attempts], ['success', 204, 2]);
    assert.equal(after.attempts_log.at(-1).response_code, 500);
  });

  test('a ping has one attempt, even if the webhook is paused', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    receiver.answer = 500;
    const { id } = await subscribe(organization, receiver, { status: 'paused' });
    await organization.send('POST', `${base}/${id}/ping`);
    await worker.processAll();
    clock.forward(24 * 3_600);
    await worker.processAll();
    assert.equal(receiver.received.length, 1);
    const ping = await onlyDelivery(organization, id);
    assert.deepEqual([ping.event, ping.status], ['webhook.ping', 'failed']);
    assert.equal(await statusOf(organization, id), 'paused');
  });

  test('requested during an attempt means another attempt', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const answerFirst = holdAnswers(receiver, 204);
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    const busy = await testApp.secondWorker();
    busy.start();
    await receiver.taken(1);
    clock.forward(1);
    const { id: delivery } = await onlyDelivery(organization, id);
    await organization.send('POST', `${base}/${id}/deliveries/${delivery}/resend`);
    receiver.answer = 204;
    answerFirst();
    await receiver.taken(2);
    await busy.stop();
    await worker.processAll();
    assert.equal(receiver.received.length, 2);
  });
});
