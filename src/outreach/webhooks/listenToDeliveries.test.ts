import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { deliveryId, deliveryRows, newWebhook, insertDeliveries } from '../../../test/harness/webhooks.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { verifyWebhook } from '../../verifyWebhook.ts';
import { forwardDelivery, getWebhookIdOf, listenToDeliveries } from './deliveries.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const organization = await testApp.newOrganization();
const contextOf = ({ orgId }: TestOrganization) => ({ ...app, actor: cliActor(orgId) });
const ctx = contextOf(organization);
const start = clock.now();
const secondsLater = (seconds: number) => new Date(start.getTime() + seconds * 1_000);

/** Writes deliveries with these ids and fields, each the given seconds after the start. */
function put(webhookId: string, seconds: Record<string, number>, fields: object = {}): Promise<string[]> {
  const rows = Object.entries(seconds).map(([id, later]) => ({
    id,
    createdAt: secondsLater(later),
    ...fields,
  }));
  return insertDeliveries(testApp, organization, webhookId, rows);
}

test('returns each delivery once, oldest first, from its instant on', async () => {
  const { id } = await newWebhook(organization);
  const other = await newWebhook(organization);
  await put(id, { del_a: 2, del_b: 1, del_early: -1 });
  await put(other.id, { del_other: 1 });
  const listener = listenToDeliveries(ctx, id, { since: start });
  const next = async () => (await listener()).map((delivery) => delivery.id);
  assert.deepEqual(await next(), ['del_b', 'del_a']);
  assert.deepEqual(await next(), []);
  await put(id, { del_d: 60, del_c: 60 });
  assert.deepEqual(await next(), ['del_c', 'del_d']);
  await put(id, { del_committed_late: 31 });
  assert.deepEqual(await next(), ['del_committed_late']);
  await put(id, { del_e: 3_600 });
  assert.deepEqual(await next(), ['del_e']);
  assert.deepEqual(await next(), []);
});

test('never repeats a delivery, however many there are', async () => {
  const { id } = await newWebhook(organization);
  const numbers = Array.from({ length: 250 }, (_, index) => index);
  await put(id, Object.fromEntries(numbers.map((number) => [deliveryId(number), number])));
  const listener = listenToDeliveries(ctx, id, { since: start });
  const given = [...(await listener()), ...(await listener()), ...(await listener())];
  assert.deepEqual(
    given.map((delivery) => delivery.id),
    numbers.map(deliveryId),
  );
  assert.deepEqual(await listener(), []);
});

test('filters by event type, end and stored body', async () => {
  const { id } = await newWebhook(organization);
  await put(id, { del_at_end: 5, del_after: 6 }, { event: 'cost.threshold' });
  await put(id, { del_without: 1 }, { event: 'cost.threshold', body: null });
  await put(id, { del_of_alert: 2 }, { event: 'alert.triggered' });
  const listener = listenToDeliveries(ctx, id, {
    since: start,
    until: secondsLater(5),
    event: 'cost.threshold',
  });
  const given = await listener();
  assert.deepEqual(
    given.map((delivery) => delivery.id),
    ['del_at_end'],
  );
});

test('ends with its webhook', async () => {
  const { id } = await newWebhook(organization);
  const listener = listenToDeliveries(ctx, id, { since: start });
  assert.deepEqual(await listener(), []);
  await organization.send('DELETE', `/api/v1/webhooks/${id}`);
  await assert.rejects(listener(), { name: 'PublicError', code: 'webhook_not_found' });
});

test("forwards the stored body, signed with the webhook's secrets, and stores nothing", async () => {
  const { id, secret } = await newWebhook(organization);
  const body = '{ "id": "evt_x",  "event": "alert.triggered" }';
  await put(id, { del_forwarded: 0 }, { body });
  const before = await deliveryRows(testApp, id);
  const [delivery] = await listenToDeliveries(ctx, id, { since: start })();
  const receiver = await openWebhookReceiver();
  const forward = () => forwardDelivery(ctx, delivery!, { url: receiver.url });
  const outcome = await forward();
  assert.ok(outcome.kind === 'answer' && outcome.statusCode === 204);
  const rotated = await organization.send('POST', `/api/v1/webhooks/${id}/rotate-secret`);
  await forward();

  const [first, second] = receiver.received;
  const { body: text, headers } = first!;
  assert.equal(text.toString(), body);
  assert.equal(headers['x-service-delivery'], 'del_forwarded');
  assert.equal(headers['x-service-event'], 'alert.triggered');
  assert.equal(headers['webhook-id'], delivery!.eventId);
  verifyWebhook({ body: text, headers, secret, now: clock.now() });
  for (const one of [secret, rotated.body.data.secret]) {
    verifyWebhook({ body: second!.body, headers: second!.headers, secret: one, now: clock.now() });
  }
  assert.deepEqual(await deliveryRows(testApp, id), before);
});

test('shows the webhook of a delivery to its own organization only', async () => {
  const { id } = await newWebhook(organization);
  await put(id, { del_whose: 0 });
  assert.equal(await getWebhookIdOf(ctx, 'del_whose'), id);
  const other = contextOf(await testApp.newOrganization());
  await assert.rejects(getWebhookIdOf(other, 'del_whose'), { code: 'delivery_not_found' });
});
