import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { emitEvents, onlyDelivery, subscribe } from '../../../test/harness/deliveries.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import {
  deliveryId,
  insertAttempt,
  insertDeliveries,
  newWebhook,
  readWebhook,
} from '../../../test/harness/webhooks.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;
const path = (id: string) => `/api/v1/webhooks/${id}`;

test('the list has the statuses of the latest twenty deliveries of each webhook, oldest first', async () => {
  const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
  const { id } = await newWebhook(organization);
  await newWebhook(other);
  const { id: second } = await newWebhook(organization, { url: 'https://second.example.com' });
  const at = (minute: number) => new Date(Date.UTC(2026, 2, 18, 9, minute));
  const older = Array.from({ length: 20 }, (_, minute) => ({
    status: 'failed' as const,
    createdAt: at(minute),
  }));
  await insertDeliveries(testApp, organization, id, [
    ...older,
    { status: 'success', createdAt: at(30) },
    { status: 'pending', createdAt: at(31) },
  ]);
  await insertDeliveries(testApp, organization, second, [
    { id: deliveryId(99), status: 'success', createdAt: at(32) },
  ]);
  type Listed = { id: string; latest_deliveries: string[] };
  const listOf = async (of: typeof organization) =>
    (await of.get('/api/v1/webhooks')).body.data.webhooks.map((webhook: Listed) => [
      webhook.id,
      webhook.latest_deliveries,
    ]);
  const statuses = [...Array.from({ length: 18 }, () => 'failed'), 'success', 'pending'];
  assert.deepEqual(Object.fromEntries(await listOf(organization)), { [id]: statuses, [second]: ['success'] });
  assert.deepEqual((await listOf(other))[0][1], []);
});

describe('the health of a webhook', () => {
  test('is nulls and zeros before anything is sent', async () => {
    const organization = await testApp.newOrganization();
    const webhook = await readWebhook(organization, (await newWebhook(organization)).id);
    assert.equal(webhook.rotation, null);
    assert.deepEqual(webhook.health, {
      status_reason: 'No deliveries yet.',
      failing_since: null,
      last_error: null,
      success_rate: null,
      deliveries: { pending: 0, held: 0, failed: 0, success: 0 },
      oldest_undelivered_at: null,
      next_attempt_at: null,
    });
  });

  test('says since when and why it fails, what waits, and when the next attempt is due', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const at = (minute: number) => new Date(Date.UTC(2026, 2, 18, 9, minute));
    const [failed, retried] = await insertDeliveries(testApp, organization, id, [
      { status: 'failed', createdAt: at(1), attempts: 5 },
      { status: 'success', createdAt: at(2), attempts: 2 },
      { status: 'success', createdAt: at(3), attempts: 1 },
      { status: 'pending', createdAt: at(5), dueAt: at(50) },
      { status: 'pending', createdAt: at(4), dueAt: at(20), lease: 'x', leasedUntil: at(30) },
      { status: 'held', createdAt: at(6) },
    ]);
    await insertAttempt(testApp, organization, retried!, { endedAt: at(9), message: 'an earlier one' });
    await insertAttempt(testApp, organization, failed!, { endedAt: at(8), message: 'an older one' });
    const latest = {
      number: 5,
      endedAt: at(40),
      errorClass: 'status',
      message: 'answered 503',
      responseCode: 503,
    };
    await insertAttempt(testApp, organization, failed!, latest);
    await app.db
      .updateTable('webhooks')
      .set({ status: 'failing', failingSince: at(41), lastDeliveryAt: at(40), lastDeliveryStatus: 'failed' })
      .where('id', '=', id)
      .execute();
    const { health, ...webhook } = await readWebhook(organization, id);
    assert.equal(webhook.last_delivery_status, 'failed');
    assert.match(health.status_reason, /Failing since 2026-03-18T09:41:00\.000Z.*answered 503\.$/);
    assert.deepEqual(
      { ...health, status_reason: '' },
      {
        status_reason: '',
        failing_since: at(41).toISOString(),
        last_error: {
          error_class: 'status',
          message: 'answered 503',
          response_code: 503,
          at: at(40).toISOString(),
        },
        success_rate: 2 / 3,
        deliveries: { pending: 2, held: 1, failed: 1, success: 2 },
        oldest_undelivered_at: at(4).toISOString(),
        next_attempt_at: at(50).toISOString(),
      },
    );
    await organization.send('PUT', path(id), { status: 'paused' });
    assert.match((await readWebhook(organization, id)).health.status_reason, /Paused: 1 delivery is held\./);
    await organization.send('PUT', path(id), { status: 'active' });
    assert.match((await readWebhook(organization, id)).health.status_reason, /Active, but .*answered 503\.$/);
  });

  test('shows in the list too: failed from the first failed attempt on, with its response and next attempt', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id } = await subscribe(organization, receiver);
    const listed = async () => {
      const [{ latest_deliveries: _, ...webhook }] = (await organization.get('/api/v1/webhooks')).body.data
        .webhooks;
      const detailed = await readWebhook(organization, id);
      const { last_delivery_status: status, last_response_code: code, next_attempt_at: next } = webhook;
      assert.deepEqual({ ...detailed, ...webhook }, detailed, 'the webhook itself says the same');
      return [webhook.status, status, code, next];
    };
    const dueAt = async () => (await onlyDelivery(organization, id)).next_attempt_at;

    receiver.answer = 503;
    await emitEvents(testApp, organization);
    assert.deepEqual(await listed(), ['active', null, null, clock.now().toISOString()]);
    await worker.processAll();
    assert.deepEqual(await listed(), ['active', 'failed', 503, await dueAt()]);

    receiver.answer = (response) => void response.destroy();
    clock.set(await dueAt());
    await worker.processAll();
    assert.deepEqual(await listed(), ['active', 'failed', null, await dueAt()]);

    receiver.answer = 204;
    clock.set(await dueAt());
    await worker.processAll();
    assert.deepEqual(await listed(), ['active', 'success', 204, null]);
  });

  test('counts the last 1,000 deliveries that ended', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    const at = (second: number) => new Date(clock.now().getTime() + second * 1_000);
    await insertDeliveries(
      testApp,
      organization,
      id,
      Array.from({ length: 1_003 }, (_, index) => ({
        status: index < 4 ? ('failed' as const) : ('success' as const),
        createdAt: at(index),
      })),
    );
    const { health } = await readWebhook(organization, id);
    assert.deepEqual(health.deliveries, { pending: 0, held: 0, failed: 1, success: 999 });
    assert.equal(health.success_rate, 0.999);
  });
});
