import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import {
  base,
  deliveriesOf,
  emitEvents,
  latestDelivery,
  onlyDelivery,
  secondsToNextAttempt,
  statusOf,
  subscribe,
} from '../../../test/harness/deliveries.ts';
import { never, openWebhookReceiver, type WebhookReceiver } from '../../../test/harness/webhookReceiver.ts';
import { deleteOldBodies, recordEvent } from '../../events/outbox.ts';

const testApp = await startTestApp();
const { app, clock, worker } = testApp;

describe('a delivery', () => {
  test('is one signed POST of exactly the stored bytes', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id, secret } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization, [{ text: 'Ünïcode "quoted"', z: 1, a: 2 }]);
    await worker.processAll();
    const [request, ...others] = receiver.received;
    assert.deepEqual(others, []);
    const { headers, body } = request!;
    const event = JSON.parse(body.toString());
    assert.deepEqual(Object.keys(event), ['id', 'event', 'timestamp', 'data']);
    assert.equal(
      body.toString(),
      JSON.stringify({ ...event, data: { text: 'Ünïcode "quoted"', z: 1, a: 2 } }),
    );
    assert.equal(headers['content-type'], 'application/json; charset=utf-8');
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    assert.equal(headers['x-service-signature'], `sha256=${signature}`);
    assert.deepEqual(
      [headers['x-service-event'], headers['x-service-attempt'], headers['webhook-id']],
      ['cost.threshold', '1', event.id],
    );
    const delivery = await onlyDelivery(organization, id);
    assert.equal(headers['x-service-delivery'], delivery.id);
    assert.deepEqual(
      [delivery.event, delivery.status, delivery.response_code, delivery.delivered_at, delivery.body],
      ['cost.threshold', 'success', 204, clock.now().toISOString(), body.toString()],
    );
    assert.ok(Number.isInteger(delivery.response_time_ms));
    const [listed] = (await organization.get(base)).body.data.webhooks;
    assert.deepEqual(
      [listed.last_delivery_status, listed.last_delivery_at],
      ['success', clock.now().toISOString()],
    );
  });

  test('is verified by the Standard Webhooks library, with generated and given secrets', async () => {
    const organization = await testApp.newOrganization();
    for (const given of [undefined, 'a secret of my own', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']) {
      clock.set(new Date());
      const receiver = await openWebhookReceiver();
      const { secret } = await subscribe(
        organization,
        receiver,
        given === undefined ? {} : { secret: given },
      );
      await emitEvents(testApp, organization);
      await worker.processAll();
      const { headers, body } = receiver.received[0]!;
      const library = secret.startsWith('whsec_')
        ? new Webhook(secret)
        : new Webhook(secret, { format: 'raw' });
      const verified = library.verify(body.toString(), headers as Record<string, string>);
      assert.deepEqual(verified, JSON.parse(body.toString()));
    }
  });

  test('has five attempts on the retry schedule with the same bytes, then its webhook is failing', async () => {
    clock.set('2026-03-18T12:00:00Z');
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    receiver.answer = (response) => void response.writeHead(500).end('no\0t now');
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    const restarted = await testApp.secondWorker();
    for (const [index, seconds] of secondsToNextAttempt.entries()) {
      assert.equal(receiver.received.length, index + 1);
      assert.equal(await statusOf(organization, id), 'active');
      const { next_attempt_at: due } = await onlyDelivery(organization, id);
      const wait = (Date.parse(due) - clock.now().getTime()) / 1_000;
      assert.ok(wait >= (seconds - 1) / 1.1 - 0.001 && wait <= seconds, `${wait} of ${seconds}`);
      clock.set(new Date(Date.parse(due) - 1));
      await worker.processAll();
      assert.equal(receiver.received.length, index + 1, 'not before it is due');
      clock.set(due);
      await (index === 1 ? restarted : worker).processAll();
    }
    clock.forward(7 * 24 * 3_600);
    await worker.processAll();
    assert.equal(receiver.received.length, 5);
    assert.ok(receiver.received.every(({ body }) => body.equals(receiver.received[0]!.body)));
    assert.deepEqual(
      receiver.received.map(({ headers }) => headers['x-service-attempt']),
      ['1', '2', '3', '4', '5'],
    );
    assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1);
    const delivery = await onlyDelivery(organization, id);
    assert.deepEqual([delivery.status, delivery.next_attempt_at, delivery.attempts], ['failed', null, 5]);
    assert.deepEqual(
      delivery.attempts_log.map((attempt: { [field: string]: unknown }) => [
        attempt.number,
        attempt.reason,
        attempt.outcome,
        attempt.response_code,
        attempt.error_class,
        attempt.response_body,
      ]),
      [1, 2, 3, 4, 5].map((number) => [number, 'schedule', 'failure', 500, 'http_status', 'no\uFFFDt now']),
    );
    assert.equal(await statusOf(organization, id), 'failing');
  });

  test('waits for Retry-After, up to two hours, and never less than the schedule', async () => {
    for (const [retryAfter, least, most] of [
      ['600', 600, 600],
      ['99999999', 7_200, 7_200],
      ['1', 60, 66],
      ['Wed, 18 Mar 2026 12:10:00 GMT', 600, 600],
      ['soon', 60, 66],
    ] as const) {
      const organization = await testApp.newOrganization();
      const receiver = await openWebhookReceiver();
      receiver.answer = (response) => void response.writeHead(429, { 'retry-after': retryAfter }).end();
      const { id } = await subscribe(organization, receiver);
      clock.set('2026-03-18T12:00:00Z');
      await emitEvents(testApp, organization);
      await worker.processAll();
      const { next_attempt_at: due } = await onlyDelivery(organization, id);
      const wait = (Date.parse(due) - clock.now().getTime()) / 1_000;
      assert.ok(wait >= least && wait <= most, `${retryAfter}: ${wait}`);
    }
  });

  test("fails on a redirect, a 410 and a 304, and names the redirect's host", async () => {
    for (const status of [302, 410, 304]) {
      const organization = await testApp.newOrganization();
      const receiver = await openWebhookReceiver();
      receiver.answer = (response) =>
        void response.writeHead(status, { location: 'https://login.example.com/?to=secret' }).end();
      const { id } = await subscribe(organization, receiver);
      await emitEvents(testApp, organization);
      await worker.processAll();
      const delivery = await onlyDelivery(organization, id);
      assert.deepEqual([delivery.status, delivery.response_code], ['pending', status]);
      const [{ message, error_class }] = delivery.attempts_log;
      assert.equal(error_class, 'http_status');
      assert.equal(message.includes('login.example.com'), status !== 410);
      assert.ok(!message.includes('secret'));
      assert.equal(receiver.received.length, 1);
    }
  });

  test('succeeds with a 2xx, even if the response body breaks off', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    receiver.answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('taken', () => response.socket?.resetAndDestroy());
    };
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    const delivery = await onlyDelivery(organization, id);
    assert.equal(delivery.status, 'success');
    assert.match(delivery.attempts_log[0].message, /broke off/);
  });

  test("uses the webhook's current URL and secret", async () => {
    const organization = await testApp.newOrganization();
    const [former, current] = [await openWebhookReceiver(), await openWebhookReceiver()];
    former.answer = 503;
    const { id, secret } = await subscribe(organization, former);
    await emitEvents(testApp, organization);
    await worker.processAll();
    await organization.send('PUT', `${base}/${id}`, { url: current.url });
    const rotated = (await organization.send('POST', `${base}/${id}/rotate-secret`)).body.data.secret;
    clock.forward(67);
    await worker.processAll();
    assert.deepEqual([former.received.length, current.received.length], [1, 1]);
    const { headers, body } = current.received[0]!;
    const signed = (key: string) => `sha256=${createHmac('sha256', key).update(body).digest('hex')}`;
    assert.equal(headers['x-service-signature'], signed(secret));
    assert.equal(String(headers['webhook-signature']).split(' ').length, 2);
    clock.forward(24 * 3_600);
    await emitEvents(testApp, organization);
    await worker.processAll();
    const later = current.received[1]!;
    const expected = createHmac('sha256', rotated).update(later.body).digest('hex');
    assert.equal(later.headers['x-service-signature'], `sha256=${expected}`);
    assert.equal(String(later.headers['webhook-signature']).split(' ').length, 1);
  });
});

describe('a failing webhook', () => {
  async function failingWebhook(organization: TestOrganization, receiver: WebhookReceiver): Promise<string> {
    receiver.answer = 500;
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    for (const seconds of secondsToNextAttempt) {
      clock.forward(seconds);
      await worker.processAll();
    }
    assert.equal(await statusOf(organization, id), 'failing');
    return id;
  }

  test('still gets new events, one at a time, and is active after the first 2xx', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const id = await failingWebhook(organization, receiver);
    let [underWay, most] = [0, 0];
    receiver.answer = (response) => {
      most = Math.max(most, ++underWay);
      // Long enough for others to arrive, if there were any.
      setTimeout(() => {
        underWay--;
        response.writeHead(500).end();
      }, 20);
    };
    for (let count = 0; count < 5; count++) await emitEvents(testApp, organization);
    await worker.processAll();
    assert.equal(receiver.received.length, 10);
    assert.equal(most, 1);
    const health = (await organization.get(`${base}/${id}`)).body.data;
    assert.notEqual(health.failing_since, null);
    assert.equal(health.health.last_error.response_code, 500);
    receiver.answer = 200;
    clock.forward(67);
    await worker.processAll();
    assert.equal(await statusOf(organization, id), 'active');
    assert.equal((await organization.get(`${base}/${id}`)).body.data.failing_since, null);
    const deliveries = await deliveriesOf(organization, id);
    assert.deepEqual(
      deliveries.map(({ status }) => status),
      ['success', 'success', 'success', 'success', 'success', 'failed'],
      'a delivery without attempts left stays failed',
    );
  });
});

describe('a paused webhook', () => {
  test('holds its events and sends them oldest first when it resumes', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id } = await subscribe(organization, receiver);
    receiver.answer = 500;
    await emitEvents(testApp, organization, [{ order: 0 }]);
    await worker.processAll();
    await organization.send('PUT', `${base}/${id}`, { status: 'paused' });
    for (const order of [1, 2, 3]) {
      clock.forward(1);
      await emitEvents(testApp, organization, [{ order }]);
    }
    clock.forward(24 * 3_600);
    await worker.processAll();
    assert.equal(receiver.received.length, 1);
    assert.ok((await deliveriesOf(organization, id)).every(({ status }) => status === 'held'));
    receiver.answer = 200;
    await organization.send('PUT', `${base}/${id}`, { status: 'active' });
    await worker.processAll();
    const orders = receiver.received.map(({ body }) => JSON.parse(body.toString()).data.order);
    assert.deepEqual(
      orders.toSorted((a, b) => a - b),
      [0, 0, 1, 2, 3],
    );
    assert.ok((await deliveriesOf(organization, id)).every(({ status }) => status === 'success'));
  });

  test('gives up deliveries after holding them for 30 days', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id } = await subscribe(organization, receiver, { status: 'paused' });
    await emitEvents(testApp, organization);
    assert.equal((await deliveriesOf(organization, id))[0].status, 'held');
    clock.forward(30 * 24 * 3_600);
    await worker.processAll();
    assert.equal((await deliveriesOf(organization, id))[0].status, 'held');
    clock.forward(1);
    await worker.processAll();
    const [delivery] = await deliveriesOf(organization, id);
    assert.deepEqual([delivery.status, delivery.error_class], ['failed', 'expired']);
    await organization.send('PUT', `${base}/${id}`, { status: 'active' });
    await worker.processAll();
    assert.equal(receiver.received.length, 0);
  });
});

describe('events', () => {
  test('keep their bodies and answers for 30 days, and their deliveries for 90', async () => {
    const organization = await testApp.newOrganization();
    const receiver = await openWebhookReceiver();
    const { id } = await subscribe(organization, receiver);
    await emitEvents(testApp, organization);
    await worker.processAll();
    const stored = async () => {
      await worker.processAll();
      if ((await deliveriesOf(organization, id)).length === 0) return null;
      const { status, body, attempts_log: attempts } = await latestDelivery(organization, id);
      return [status, body !== null, attempts[0].response_body !== null];
    };
    clock.forward(30 * 24 * 3_600);
    assert.deepEqual(await stored(), ['success', true, true]);
    clock.forward(1);
    assert.deepEqual(await stored(), ['success', false, false]);
    clock.forward(60 * 24 * 3_600 - 1);
    assert.deepEqual(await stored(), ['success', false, false]);
    clock.forward(1);
    assert.equal(await stored(), null);
    assert.equal(receiver.received.length, 1);
  });

  test('that one organization cannot give up keep no other from losing its bodies', async () => {
    const [broken, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    for (const organization of [broken, other]) await emitEvents(testApp, organization);
    clock.forward(30 * 24 * 3_600 + 1);
    const given: string[] = [];
    const deleting = deleteOldBodies(app.db, clock.now(), async (_, orgId) => {
      if (orgId === broken.orgId) throw new Error('broken');
      given.push(orgId);
      return [];
    });
    await assert.rejects(deleting, /could not delete event bodies/);
    assert.ok(given.includes(other.orgId));
  });

  test('go to the subscribed webhooks of their own organization', async () => {
    const [organization, other] = [await testApp.newOrganization(), await testApp.newOrganization()];
    const [subscribed, unsubscribed, foreign] = [
      await openWebhookReceiver(),
      await openWebhookReceiver(),
      await openWebhookReceiver(),
    ];
    await subscribe(organization, subscribed, { events: ['alert.resolved', 'cost.threshold'] });
    await subscribe(organization, unsubscribed, { events: ['workflow.completed'] });
    await subscribe(other, foreign);
    await emitEvents(testApp, organization);
    await worker.processAll();
    assert.deepEqual(
      [subscribed, unsubscribed, foreign].map(({ received }) => received.length),
      [1, 0, 0],
    );
  });

  test('to a receiver that never answers do not delay those to another', async () => {
    const organization = await testApp.newOrganization();
    const [blackHole, healthy] = [await openWebhookReceiver(), await openWebhookReceiver()];
    blackHole.answer = never;
    const hole = await subscribe(organization, blackHole, { events: ['alert.resolved'] });
    await subscribe(organization, healthy);
    const { orgId } = organization;
    const now = clock.now();
    const resolved = {
      alert: { id: '0f8e0f6c-0f1c-4c9b-9a5e-5d5f3a1d7f10', name: 'CI budget' },
      resolution: { triggered_at: now, resolved_at: now, duration_hours: 0, reason: 'period_ended' },
    } as const;
    await app.db.transaction().execute(async (tx) => {
      for (let count = 0; count < 300; count++) {
        await recordEvent(tx, { orgId, now, subscribers: app.subscribers }, 'alert.resolved', resolved);
      }
    });
    await emitEvents(testApp, organization);
    const second = await testApp.secondWorker();
    second.start();
    await healthy.taken(1);
    await blackHole.taken(4);
    await second.stop();
    assert.equal(blackHole.received.length, 4, 'a few of one webhook at a time');
    // The worker returned attempts under way, and they do not count.
    const { attempts_log: log, status } = await latestDelivery(organization, hole.id);
    assert.deepEqual([status, log.length > 1], ['pending', false]);
    await organization.send('DELETE', `${base}/${hole.id}`);
    await worker.processAll();
    assert.equal(blackHole.received.length, 4, 'nothing goes to a deleted webhook');
  });
});
