import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { base, emitEvents, latestDelivery, subscribe } from '../../../test/harness/deliveries.ts';
import { gateTo } from '../../../test/harness/gate.ts';
import { holdAnswers, never, openWebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { deliveryRows } from '../../../test/harness/webhooks.ts';
import { openDatabase } from '../../platform/db/database.ts';
import { claimDeliveries } from './claim.queries.ts';
import { returnDeliveries } from './deliver.queries.ts';
import { createDeliverer } from './deliver.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;

/** Claims deliveries like a worker that then dies. */
function claimAndDie({ orgId }: TestOrganization, id: string) {
  const now = clock.now();
  return app.db.transaction().execute((tx) =>
    claimDeliveries(tx, orgId, {
      now,
      lease: { id: 'deliveries of a worker that died', until: new Date(now.getTime() + 60_000) },
      shares: [{ id, share: 100 }],
      isDistributed: true,
    }),
  );
}

const outcomes = (delivery: Answer['body']) =>
  delivery.attempts_log.map(({ number, outcome }: Answer['body']) => [number, outcome]);

test('are sent by another worker, and the lost attempt is unknown', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  assert.equal((await claimAndDie(organization, id)).length, 1);
  await worker.processAll();
  assert.equal(receiver.received.length, 0, 'it is leased');
  assert.deepEqual(outcomes(await latestDelivery(organization, id)), [[1, 'in_flight']]);
  clock.forward(61);
  await worker.processAll();
  const delivery = await latestDelivery(organization, id);
  assert.deepEqual(outcomes(delivery), [
    [1, 'unknown'],
    [2, 'success'],
  ]);
  assert.deepEqual([delivery.status, receiver.received.length], ['success', 1]);
});

test('ignore what a worker learns after its lease has expired', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const answerFirst = holdAnswers(receiver, 500);
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  const slow = await testApp.secondWorker();
  slow.start();
  await receiver.taken(1);
  clock.forward(61);
  receiver.answer = 200;
  await worker.processAll();
  const delivered = await latestDelivery(organization, id);
  answerFirst();
  await slow.stop();
  assert.deepEqual(await latestDelivery(organization, id), delivered);
  assert.deepEqual(outcomes(delivered), [
    [1, 'unknown'],
    [2, 'success'],
  ]);
});

test('are sent once by two workers', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  await subscribe(organization, receiver);
  await emitEvents(
    testApp,
    organization,
    Array.from({ length: 200 }, (_, count) => ({ count })),
  );
  const second = await testApp.secondWorker();
  await Promise.all([worker.processAll(), second.processAll()]);
  await receiver.taken(200);
  assert.equal(receiver.received.length, 200);
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size, 200);
});

test('are not repeated if the webhook is deleted or paused during an attempt', async () => {
  for (const end of ['DELETE', 'PUT'] as const) {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const answerFirst = holdAnswers(receiver, 500);
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    const busy = await testApp.secondWorker();
    busy.start();
    await receiver.taken(1);
    await organization.send(end, `${base}/${id}`, end === 'PUT' ? { status: 'paused' } : undefined);
    answerFirst();
    await busy.stop();
    clock.forward(3_600);
    await worker.processAll();
    assert.equal(receiver.received.length, 1);
    if (end === 'PUT') assert.equal((await latestDelivery(organization, id)).status, 'held');
  }
});

test('keep a response that arrives while the database is away', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const answerFirst = holdAnswers(receiver, 204);
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  const gate = await gateTo(app.config);
  const database = await openDatabase({ databaseUrl: gate.databaseUrl, dataDir: '' }, { mayCreate: true });
  const failures: unknown[] = [];
  const log = { ...app.log, warn: () => {}, error: (failure: unknown) => void failures.push(failure) };
  const deliverer = createDeliverer({ ...app, db: database.db, log, webhookConcurrency: 8 });
  assert.equal(await deliverer.deliver(), true);
  await receiver.taken(1);
  gate.shut();
  answerFirst();
  await assert.rejects(async () => {
    while (await deliverer.deliver());
  });
  await assert.rejects(deliverer.deliver(), 'it is kept and retried');
  gate.open();
  while (await deliverer.deliver());
  await database.close();
  assert.deepEqual(outcomes(await latestDelivery(organization, id)), [[1, 'success']]);
  assert.equal(receiver.received.length, 1);
});

test('keep a response that the database does not take at first', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  const deliverer = createDeliverer({ ...app, webhookConcurrency: 8 });
  assert.equal(await deliverer.deliver(), true);
  await sql`alter table delivery_attempts rename to not_found`.execute(app.db);
  await assert.rejects(async () => {
    while (await deliverer.deliver());
  });
  await sql`alter table not_found rename to delivery_attempts`.execute(app.db);
  while (await deliverer.deliver());
  assert.deepEqual(outcomes(await latestDelivery(organization, id)), [[1, 'success']]);
  assert.equal(receiver.received.length, 1);
});

test('of an organization whose rows cannot be written do not stop those of others', async () => {
  const [broken, healthy] = [await testApp.newOrganization(), await testApp.newOrganization()];
  const receivers = [await openWebhookReceiver(), await openWebhookReceiver()] as const;
  await subscribe(broken, receivers[0]);
  const { id } = await subscribe(healthy, receivers[1]);
  for (const organization of [broken, healthy]) await emitEvents(testApp, organization);
  const deliverer = createDeliverer({ ...app, webhookConcurrency: 8 });
  const constraint = sql.raw(`check (org_id <> '${broken.orgId}') not valid`);
  await sql`alter table delivery_attempts add constraint broken ${constraint}`.execute(app.db);
  await assert.rejects(async () => {
    while (await deliverer.deliver());
  }, /could not deliver/);
  await receivers[1].taken(1);
  await sql`alter table delivery_attempts drop constraint broken`.execute(app.db);
  while (await deliverer.deliver());
  assert.deepEqual(outcomes(await latestDelivery(healthy, id)), [[1, 'success']]);
  assert.deepEqual(
    receivers.map(({ received }) => received.length),
    [1, 1],
  );
});

test('are not claimed for a webhook that was just paused, before they are held', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  await organization.send('PUT', `${base}/${id}`, { status: 'paused' });
  assert.deepEqual(await claimAndDie(organization, id), []);
});

test('leave no trace if they were claimed and returned unsent', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  const [claimed] = await claimAndDie(organization, id);
  const taken = { ...claimed!, lease: 'of another worker, which took it over' };
  await app.db.transaction().execute((tx) => returnDeliveries(tx, organization.orgId, [taken]));
  await worker.processAll();
  assert.equal(receiver.received.length, 0, 'only the holder of the lease can return it');
  await app.db.transaction().execute((tx) => returnDeliveries(tx, organization.orgId, [claimed!]));
  assert.deepEqual(outcomes(await latestDelivery(organization, id)), []);
  await worker.processAll();
  const delivery = await latestDelivery(organization, id);
  assert.deepEqual([delivery.attempts, outcomes(delivery)], [1, [[1, 'success']]]);
  assert.equal(receiver.received[0]!.headers['x-service-attempt'], '1');
});

/** A worker that has claimed 100 deliveries, of which it sends 48 and lets the others wait. */
async function workerAhead() {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  const { id } = await subscribe(organization, receiver);
  const emit = (count: number) =>
    emitEvents(
      testApp,
      organization,
      Array.from({ length: count }, () => ({})),
    );
  const deliverer = createDeliverer({ ...app, webhookConcurrency: 256 });
  await emit(60);
  while (await deliverer.deliver());
  const answerNext = holdAnswers(receiver, 204);
  await emit(100);
  await deliverer.deliver();
  await receiver.taken(60 + 48);
  const leased = async () => (await deliveryRows(testApp, id)).filter(({ lease }) => lease !== null);
  assert.equal((await leased()).length, 100);
  return { organization, id, receiver, deliverer, answerNext, leased };
}

test('that wait too long in a worker are returned, as if it had not claimed them', async () => {
  const { organization, id, receiver, deliverer, answerNext, leased } = await workerAhead();
  clock.forward(1.001);
  await deliverer.deliver();
  assert.equal((await leased()).length, 48);
  const waiting = (await deliveryRows(testApp, id)).filter(
    ({ status, lease }) => status === 'pending' && !lease,
  );
  assert.equal(waiting.length, 52);
  const { attempts, attempts_log: log } = (
    await organization.get(`${base}/${id}/deliveries/${waiting[0]!.id}`)
  ).body.data;
  assert.deepEqual([attempts, log], [0, []]);
  for (let index = 0; index < 48; index++) answerNext();
  receiver.answer = 204;
  while (await deliverer.deliver());
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 160);
  assert.equal(receiver.received.length, 160, 'each is sent once');
});

test('that wait in a worker that stops are returned', async () => {
  const { receiver, deliverer, answerNext, leased } = await workerAhead();
  const stopped = deliverer.stop();
  for (let index = 0; index < 48; index++) answerNext();
  await stopped;
  assert.deepEqual(await leased(), []);
  assert.equal(receiver.received.length, 60 + 48);
  receiver.answer = 204;
  await worker.processAll();
  assert.ok(receiver.received.every(({ headers }) => headers['x-service-attempt'] === '1'));
  assert.equal(receiver.received.length, 160);
});

test('are returned by a worker that stops, uncounted and due at once', async () => {
  const organization = await testApp.newOrganization();
  const receiver = await openWebhookReceiver();
  receiver.answer = never;
  const { id } = await subscribe(organization, receiver);
  await emitEvents(testApp, organization);
  const stopped = await testApp.secondWorker();
  stopped.start();
  await receiver.taken(1);
  await stopped.stop();
  receiver.answer = 200;
  await worker.processAll();
  assert.deepEqual(outcomes(await latestDelivery(organization, id)), [
    [1, 'unknown'],
    [2, 'success'],
  ]);
});
