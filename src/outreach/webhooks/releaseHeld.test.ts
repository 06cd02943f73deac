import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { deliveryId, deliveryRows, newWebhook, insertDeliveries } from '../../../test/harness/webhooks.ts';
import { releaseHeld } from './deliveries.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;

// The poller handles webhooks of all organizations together.
beforeEach(async () => {
  await app.db.deleteFrom('deliveries').execute();
});

async function statesOf(webhookId: string) {
  const rows = await deliveryRows(testApp, webhookId);
  return rows.map(({ id, status, dueAt }) => [id, status, dueAt]);
}

/** Marks every due delivery as sent. */
async function sendAll(webhookId: string): Promise<void> {
  await app.db
    .updateTable('deliveries')
    .set({ status: 'success', dueAt: null })
    .where('webhookId', '=', webhookId)
    .where('dueAt', 'is not', null)
    .execute();
}

const isDue = ([, status, dueAt]: unknown[]) => status === 'pending' && dueAt !== null;
const idOf = ([id]: unknown[]) => id;

describe('deliveries of a paused webhook', () => {
  test('are held if they wait for an automatic attempt, and only then', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization, { status: 'paused' });
    const now = clock.now();
    const later = new Date(now.getTime() + 60_000);
    await insertDeliveries(testApp, organization, id, [
      { dueAt: now, resendAt: later },
      { dueAt: later, automaticAttempts: 2 },
      { dueAt: now, lease: 'x', leasedUntil: later },
      { resendAt: now },
      { status: 'failed', resendAt: now },
      { status: 'success' },
    ]);
    assert.equal(await releaseHeld(app), true);
    const rows = await deliveryRows(testApp, id);
    assert.deepEqual(
      rows.map(({ status, dueAt, resendAt }) => [status, dueAt, resendAt]),
      [
        ['held', null, later],
        ['held', null, null],
        ['pending', now, null],
        ['pending', null, now],
        ['failed', null, now],
        ['success', null, null],
      ],
    );
    assert.equal(rows[1]?.automaticAttempts, 2);
    assert.equal(await releaseHeld(app), false);
  });

  test('are all held in the end, however many there are', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization, { status: 'paused' });
    const rows = Array.from({ length: 1_100 }, () => ({ dueAt: clock.now() }));
    await insertDeliveries(testApp, organization, id, rows);
    let turns = 0;
    while (await releaseHeld(app)) turns++;
    assert.equal(turns, 3);
    assert.ok((await statesOf(id)).every(([, status]) => status === 'held'));
  });
});

describe('held deliveries of a webhook that is active again', () => {
  test('become due oldest first, twenty at a time', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization, { status: 'paused' });
    // The ids sort the other way.
    const start = clock.now().getTime();
    const rows = Array.from({ length: 45 }, (_, index) => ({
      id: deliveryId(100 - index),
      status: 'held' as const,
      createdAt: new Date(start + index),
    }));
    const oldestFirst = await insertDeliveries(testApp, organization, id, rows);
    assert.equal(await releaseHeld(app), false, 'it is still paused');
    await organization.send('PUT', `/api/v1/webhooks/${id}`, { status: 'active' });
    clock.forward(10);
    assert.equal(await releaseHeld(app), true);
    const first = (await statesOf(id)).filter(isDue);
    assert.deepEqual(first.map(idOf).toReversed(), oldestFirst.slice(0, 20));
    assert.ok(first.every(([, , dueAt]) => (dueAt as Date).getTime() === clock.now().getTime()));
    assert.equal(await releaseHeld(app), false, 'twenty are due already');
    const rest = [];
    for (const count of [20, 5]) {
      await sendAll(id);
      assert.equal(await releaseHeld(app), true);
      const due = (await statesOf(id)).filter(isDue).map(idOf).toReversed();
      assert.equal(due.length, count);
      rest.push(...due);
    }
    assert.deepEqual(rest, oldestFirst.slice(20));
    await sendAll(id);
    assert.equal(await releaseHeld(app), false);
  });

  test('are released despite later retries, and for a failing webhook too', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    await app.db.updateTable('webhooks').set({ status: 'failing' }).where('id', '=', id).execute();
    const later = new Date(clock.now().getTime() + 60_000);
    const waiting = Array.from({ length: 30 }, () => ({ dueAt: later }));
    await insertDeliveries(testApp, organization, id, [...waiting, { status: 'held' as const }]);
    assert.equal(await releaseHeld(app), true);
    assert.deepEqual((await statesOf(id)).at(-1), [deliveryId(30), 'pending', clock.now()]);
  });

  test('of one webhook do not delay others', async () => {
    const organization = await testApp.newOrganization();
    const [busy, other] = [await newWebhook(organization), await newWebhook(organization)];
    const now = clock.now();
    const due = Array.from({ length: 20 }, () => ({ dueAt: now }));
    await insertDeliveries(testApp, organization, busy.id, [
      ...due,
      { id: 'del_kept', status: 'held' as const },
    ]);
    await insertDeliveries(testApp, organization, other.id, [{ id: 'del_free', status: 'held' as const }]);
    assert.equal(await releaseHeld(app), true);
    assert.deepEqual((await statesOf(busy.id)).at(-1), ['del_kept', 'held', null]);
    assert.deepEqual(await statesOf(other.id), [['del_free', 'pending', now]]);
  });

  test('of a deleted webhook are never sent', async () => {
    const organization = await testApp.newOrganization();
    const { id } = await newWebhook(organization);
    await insertDeliveries(testApp, organization, id, [{ status: 'held' as const }]);
    await organization.send('DELETE', `/api/v1/webhooks/${id}`);
    assert.equal(await releaseHeld(app), false);
    assert.deepEqual(await statesOf(id), [[deliveryId(0), 'held', null]]);
  });
});
