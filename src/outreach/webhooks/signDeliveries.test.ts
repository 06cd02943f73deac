import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { deliveryId, deliveryRows, newWebhook, insertDeliveries } from '../../../test/harness/webhooks.ts';
import { verifyWebhook } from '../../verifyWebhook.ts';

const testApp = await startTestApp();
const { clock } = testApp;
const organization = await testApp.newOrganization();
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

async function signed(id: string, body: object = {}, token?: string) {
  const path = `/api/v1/webhooks/${id}/deliveries/sign`;
  const answer = await organization.send('POST', path, { from: start.toISOString(), ...body }, token);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.deliveries as { id: string; headers: Record<string, string>; body: string }[];
}

const idsOf = (deliveries: { id: string }[]) => deliveries.map(({ id }) => id);

test('gives the deliveries of one webhook from an instant on, oldest first, without those the caller has', async () => {
  const { id } = await newWebhook(organization);
  const other = await newWebhook(organization);
  await put(id, { del_a: 2, del_b: 1, del_early: -1 });
  await put(other.id, { del_other: 1 });
  assert.deepEqual(idsOf(await signed(id)), ['del_b', 'del_a']);
  assert.deepEqual(idsOf(await signed(id, { without: ['del_b'] })), ['del_a']);
});

test('gives a hundred at once', async () => {
  const { id } = await newWebhook(organization);
  const numbers = Array.from({ length: 101 }, (_, index) => index);
  await put(id, Object.fromEntries(numbers.map((number) => [deliveryId(number), number])));
  const first = idsOf(await signed(id));
  assert.deepEqual(first, numbers.slice(0, 100).map(deliveryId));
  assert.deepEqual(idsOf(await signed(id, { without: first })), [deliveryId(100)]);
});

test('leaves out other event types, and bodies that are no longer stored', async () => {
  const { id } = await newWebhook(organization);
  await put(id, { del_wanted: 5 }, { event: 'cost.threshold' });
  await put(id, { del_without: 1 }, { event: 'cost.threshold', body: null });
  await put(id, { del_of_alert: 2 }, { event: 'alert.triggered' });
  assert.deepEqual(idsOf(await signed(id, { event: 'cost.threshold' })), ['del_wanted']);
});

test('signs the stored body with all secrets of the webhook, and stores nothing', async () => {
  const { id, secret } = await newWebhook(organization);
  const text = '{ "id": "evt_x",  "event": "alert.triggered" }';
  await put(id, { del_signed: 0 }, { body: text });
  const before = await deliveryRows(testApp, id);
  const [first] = await signed(id);
  const rotated = await organization.send('POST', `/api/v1/webhooks/${id}/rotate-secret`);
  const [second] = await signed(id);

  const { body, headers } = first!;
  assert.equal(body, text);
  assert.deepEqual(
    [headers['x-service-delivery'], headers['x-service-event']],
    ['del_signed', 'alert.triggered'],
  );
  verifyWebhook({ body: Buffer.from(body), headers, secret, now: clock.now() });
  for (const one of [secret, rotated.body.data.secret])
    verifyWebhook({ body: Buffer.from(text), headers: second!.headers, secret: one, now: clock.now() });
  assert.deepEqual(await deliveryRows(testApp, id), before);
});

test('is only for those who may change the webhook, and for audit events only with the rights to them', async () => {
  const { id } = await newWebhook(organization);
  await put(id, { del_audit: 0 }, { event: 'audit.recorded' });
  const path = `/api/v1/webhooks/${id}/deliveries/sign`;
  const asToken = async (scopes: string[]) => {
    const body = { name: scopes.join(), role: 'admin', scopes };
    const { token } = (await organization.send('POST', '/api/v1/tokens', body)).body.data;
    return organization.send('POST', path, { from: start.toISOString() }, token);
  };
  assertProblem(await asToken(['webhooks:read']), 403, 'scope_missing');
  assertProblem(await asToken(['webhooks:write']), 403, 'scope_missing');
  assert.equal((await asToken(['webhooks:write', 'admin'])).status, 200);
  const gone = { from: start.toISOString() };
  const unknown = await organization.send('POST', '/api/v1/webhooks/wh_none/deliveries/sign', gone);
  assertProblem(unknown, 404, 'webhook_not_found');
});
