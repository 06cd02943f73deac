import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import {
  auditOf,
  deliveryId,
  deliveryRows,
  hookUrl,
  newWebhook,
  insertAttempt,
  insertDeliveries,
} from '../../../test/harness/webhooks.ts';

const testApp = await startTestApp();
const { clock } = testApp;
const deliveriesPath = (webhookId: string, rest = '') => `/api/v1/webhooks/${webhookId}/deliveries${rest}`;
const idsOf = ({ body }: Answer): string[] => body.data.deliveries.map(({ id }: { id: string }) => id);

async function organizationWithWebhook(): Promise<{ organization: TestOrganization; webhookId: string }> {
  const organization = await testApp.newOrganization();
  return { organization, webhookId: (await newWebhook(organization)).id };
}

describe('the deliveries of a webhook', () => {
  test('have every field, and null for unknown values', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const [createdAt, deliveredAt] = [clock.now(), new Date(clock.now().getTime() + 5_000)];
    await insertDeliveries(testApp, organization, webhookId, [
      {
        status: 'failed',
        createdAt,
        deliveredAt,
        attempts: 6,
        responseCode: 500,
        responseTimeMs: 120,
        errorClass: 'status',
      },
      { createdAt: new Date(createdAt.getTime() - 1), dueAt: deliveredAt, event: 'cost.threshold' },
    ]);
    const answer = await organization.get(deliveriesPath(webhookId));
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.data, {
      deliveries: [
        {
          id: deliveryId(0),
          event: 'alert.triggered',
          status: 'failed',
          response_code: 500,
          response_time_ms: 120,
          delivered_at: deliveredAt.toISOString(),
          event_id: `evt_of_${webhookId}_${deliveryId(0)}`,
          attempts: 6,
          next_attempt_at: null,
          error_class: 'status',
          created_at: createdAt.toISOString(),
        },
        {
          id: deliveryId(1),
          event: 'cost.threshold',
          status: 'pending',
          response_code: null,
          response_time_ms: null,
          delivered_at: null,
          event_id: `evt_of_${webhookId}_${deliveryId(1)}`,
          attempts: 0,
          next_attempt_at: deliveredAt.toISOString(),
          error_class: null,
          created_at: new Date(createdAt.getTime() - 1).toISOString(),
        },
      ],
      pagination: { total: 2, page: 1, per_page: 50 },
    });
  });

  test('come newest first, page by page, without repeats', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const other = await newWebhook(organization);
    // Every three share an instant.
    const ids = await insertDeliveries(
      testApp,
      organization,
      webhookId,
      Array.from({ length: 25 }, (_, index) => ({
        createdAt: new Date(clock.now().getTime() + Math.floor(index / 3) * 1_000),
      })),
    );
    await insertDeliveries(testApp, organization, other.id, [{ id: 'del_other' }]);
    const pages = [];
    for (const page of [1, 2, 3, 4]) {
      const answer = await organization.get(deliveriesPath(webhookId), { page, per_page: 10 });
      assert.deepEqual(answer.body.data.pagination, { total: 25, page, per_page: 10 });
      pages.push(idsOf(answer));
    }
    assert.deepEqual(
      pages.map(({ length }) => length),
      [10, 10, 5, 0],
    );
    assert.deepEqual(pages.flat(), ids.toReversed());
    const large = await organization.get(deliveriesPath(webhookId), { per_page: 1_000 });
    assert.equal(large.body.data.pagination.per_page, 100);
    assertProblem(await organization.get(deliveriesPath(webhookId), { page: 0 }), 400, 'invalid_request', [
      'query.page',
    ]);
  });

  test('are sorted across pages, without a value last', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    await insertDeliveries(testApp, organization, webhookId, [
      { responseTimeMs: 30, attempts: 2 },
      { event: 'cost.threshold' },
      { responseTimeMs: 900, attempts: 6 },
    ]);
    const sorted = async (query: Record<string, string | number>) =>
      idsOf(await organization.get(deliveriesPath(webhookId), query));
    const [first, second, third] = [0, 1, 2].map(deliveryId);
    assert.deepEqual(await sorted({ sort_by: 'response_time' }), [third, first, second]);
    assert.deepEqual(await sorted({ sort_by: 'response_time', sort_order: 'asc' }), [first, third, second]);
    assert.deepEqual(await sorted({ sort_by: 'event', per_page: 1, page: 3, sort_order: 'asc' }), [second]);
    assert.deepEqual(await sorted({ sort_order: 'asc' }), [first, second, third]);
    const answer = await organization.get(deliveriesPath(webhookId), { sort_by: 'url' });
    assertProblem(answer, 400, 'invalid_request', ['query.sort_by']);
  });

  test('are filtered by event and status', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    await insertDeliveries(testApp, organization, webhookId, [
      { status: 'failed' },
      { status: 'success' },
      { status: 'failed', event: 'cost.threshold' },
      { status: 'held', event: 'webhook.ping' },
    ]);
    const found = async (query: Record<string, string>) => {
      const answer = await organization.get(deliveriesPath(webhookId), query);
      assert.equal(answer.body.data.pagination.total, answer.body.data.deliveries.length);
      return idsOf(answer);
    };
    assert.deepEqual(await found({ status: 'failed' }), [deliveryId(2), deliveryId(0)]);
    assert.deepEqual(await found({ event: 'alert.triggered' }), [deliveryId(1), deliveryId(0)]);
    assert.deepEqual(await found({ event: 'alert.triggered', status: 'failed' }), [deliveryId(0)]);
    assert.deepEqual(await found({ event: 'webhook.ping' }), [deliveryId(3)]);
    assert.deepEqual(await found({ event: 'export.ready' }), []);
    for (const query of [{ status: 'lost' }, { event: 'run.completed' }]) {
      const answer = await organization.get(deliveriesPath(webhookId), query);
      assertProblem(answer, 400, 'invalid_request', [`query.${Object.keys(query)[0]!}`]);
    }
  });
});

describe('one delivery', () => {
  test('shows the exact body and every attempt, with its response as text', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const body = '{"b":1,  "a":2}';
    const [id] = await insertDeliveries(testApp, organization, webhookId, [{ body, attempts: 2 }]);
    const at = clock.now().toISOString();
    await insertAttempt(testApp, organization, id!, {
      number: 1,
      errorClass: 'status',
      message: 'answered 500',
      responseCode: 500,
      dnsMs: 1,
      connectMs: 2,
      tlsMs: 3,
      firstByteMs: 4,
      totalMs: 11,
      responseBody: Buffer.from([111, 107, 0, 255, 33]),
      responseTruncated: true,
    });
    const inFlight = { number: 2, reason: 'resend', outcome: 'in_flight', endedAt: null } as const;
    await insertAttempt(testApp, organization, id!, inFlight);
    const answer = await organization.get(deliveriesPath(webhookId, `/${id}`));
    assert.equal(answer.status, 200, answer.text);
    const { body: shown, attempts_log: log, ...record } = answer.body.data;
    assert.deepEqual([record], (await organization.get(deliveriesPath(webhookId))).body.data.deliveries);
    assert.equal(shown, body);
    assert.deepEqual(log, [
      {
        number: 1,
        reason: 'schedule',
        outcome: 'failure',
        started_at: at,
        ended_at: at,
        url: hookUrl,
        response_code: 500,
        error_class: 'status',
        message: 'answered 500',
        dns_ms: 1,
        connect_ms: 2,
        tls_ms: 3,
        first_byte_ms: 4,
        total_ms: 11,
        response_body: 'ok��!',
        response_truncated: true,
      },
      {
        number: 2,
        reason: 'resend',
        outcome: 'in_flight',
        started_at: at,
        ended_at: null,
        url: hookUrl,
        response_code: null,
        error_class: null,
        message: null,
        dns_ms: null,
        connect_ms: null,
        tls_ms: null,
        first_byte_ms: null,
        total_ms: null,
        response_body: null,
        response_truncated: null,
      },
    ]);
  });

  test('shows null when the body is no longer stored, and the latest 100 attempts', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const [id] = await insertDeliveries(testApp, organization, webhookId, [{ body: null, attempts: 102 }]);
    for (let number = 1; number <= 102; number++) await insertAttempt(testApp, organization, id!, { number });
    const { data } = (await organization.get(deliveriesPath(webhookId, `/${id}`))).body;
    assert.equal(data.body, null);
    assert.equal(data.attempts, 102);
    assert.equal(data.attempts_log.length, 100);
    assert.deepEqual([data.attempts_log[0].number, data.attempts_log.at(-1).number], [3, 102]);
  });

  test('answers 404 if unknown or another webhook’s', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const other = await newWebhook(organization);
    const [id] = await insertDeliveries(testApp, organization, other.id, [{}]);
    for (const unknown of ['del_no', id!]) {
      const one = deliveriesPath(webhookId, `/${unknown}`);
      assertProblem(await organization.get(one), 404, 'delivery_not_found');
      assertProblem(await organization.send('POST', `${one}/resend`), 404, 'delivery_not_found');
    }
  });
});

describe('resending a delivery', () => {
  test('requests one more attempt now, and keeps the automatic ones', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const dueAt = new Date(clock.now().getTime() + 1_800_000);
    const [id] = await insertDeliveries(testApp, organization, webhookId, [
      { status: 'pending', automaticAttempts: 3, attempts: 3, dueAt },
    ]);
    const askedAt = clock.now();
    const answer = await organization.send('POST', deliveriesPath(webhookId, `/${id}/resend`));
    assert.equal(answer.status, 202, answer.text);
    assert.equal(answer.body.data.next_attempt_at, askedAt.toISOString());
    assert.equal(answer.body.data.status, 'pending');
    clock.forward(10);
    await organization.send('POST', deliveriesPath(webhookId, `/${id}/resend`));
    const [row] = await deliveryRows(testApp, webhookId);
    assert.deepEqual([row?.resendAt, row?.dueAt, row?.automaticAttempts], [askedAt, dueAt, 3]);
    const [entry] = await auditOf(organization, id!);
    assert.deepEqual(
      [entry.action, entry.details],
      ['delivery.resend', { webhook_id: webhookId, host: 'hooks.example.com' }],
    );
  });

  test('does not change the result so far', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    for (const status of ['success', 'failed', 'held'] as const) {
      const [id] = await insertDeliveries(testApp, organization, webhookId, [
        { id: `del_${status}`, status },
      ]);
      const answer = await organization.send('POST', deliveriesPath(webhookId, `/${id}/resend`));
      assert.equal(answer.body.data.status, status);
    }
  });

  test('is refused when the body is no longer stored', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const [id] = await insertDeliveries(testApp, organization, webhookId, [{ body: null, status: 'failed' }]);
    const answer = await organization.send('POST', deliveriesPath(webhookId, `/${id}/resend`));
    assertProblem(answer, 409, 'body_gone');
    assert.equal((await deliveryRows(testApp, webhookId))[0]?.resendAt, null);
    assert.deepEqual(await auditOf(organization, id!), []);
  });
});
