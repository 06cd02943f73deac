import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { base, emitEvents, subscribe } from '../../../test/harness/deliveries.ts';
import { openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { createFinder } from './claim.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;

/** Webhooks with one due delivery each, of two organizations. */
async function setUp() {
  const receiver = await openWebhookReceiver();
  const organizations = [await testApp.newOrganization(), await testApp.newOrganization()] as const;
  const ids: string[] = [];
  for (const organization of [...organizations, organizations[0]])
    ids.push((await subscribe(organization, receiver)).id);
  for (const organization of organizations) await emitEvents(testApp, organization);
  return { ids, organizations };
}

const idsOf = (webhooks: { id: string }[]) => webhooks.map(({ id }) => id).toSorted();

describe('webhooks with something to send are found', () => {
  beforeEach(async () => {
    await sql`truncate deliveries cascade`.execute(app.db);
  });

  test('each in turn, if there are more than one claim takes', async () => {
    const { ids } = await setUp();
    const find = createFinder(app, 2);
    const found = [await find([]), await find([]), await find([])];
    for (const each of found) assert.equal(each.length, 2);
    assert.deepEqual(idsOf(found.flat()), [...ids, ...ids].toSorted());
    assert.deepEqual(idsOf(await createFinder(app)(ids.slice(1))), ids.slice(0, 1));
  });

  test('also if another one has more due than is read at once', async () => {
    const { ids } = await setUp();
    const copied = sql`select org_id, id || n, webhook_id, event_id, event, status, created_at, due_at
      from deliveries, generate_series(1, 600) n`;
    await sql`
      insert into deliveries (org_id, id, webhook_id, event_id, event, status, created_at, due_at) ${copied}
    `.execute(app.db);
    assert.deepEqual(idsOf(await createFinder(app)([])), ids.toSorted());
  });

  test('except those that are paused or deleted, or whose deliveries are due later', async () => {
    const { ids, organizations } = await setUp();
    const [paused, deleted, third] = ids as [string, string, string];
    await sql`update webhooks set status = 'paused' where id = ${paused}`.execute(app.db);
    await organizations[1].send('DELETE', `${base}/${deleted}`);
    assert.deepEqual(idsOf(await createFinder(app)([])), [third]);
    const resendAt = clock.now();
    await sql`update deliveries set resend_at = ${resendAt} where webhook_id = ${paused}`.execute(app.db);
    assert.deepEqual(idsOf(await createFinder(app)([])), [paused, third].toSorted());
    await sql`update deliveries set due_at = due_at + interval '1 second', resend_at = null`.execute(app.db);
    assert.deepEqual(await createFinder(app)([]), []);
  });
});
