import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { startTestApp, type TestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { auditOf, deliveryRows, newWebhook, insertDeliveries } from '../../../test/harness/webhooks.ts';
import { advanceResends } from './resends.ts';

const testApp = await startTestApp();
const { clock } = testApp;
const since = '2026-03-01T00:00:00Z';
const resendsPath = (webhookId: string, rest = '') => `/api/v1/webhooks/${webhookId}/resends${rest}`;

// The poller advances resends of all organizations together.
beforeEach(async () => {
  await testApp.app.db.updateTable('resends').set({ status: 'cancelled' }).execute();
});

type Setting = { organization: TestOrganization; webhookId: string };

async function organizationWithWebhook(): Promise<Setting> {
  const organization = await testApp.newOrganization();
  return { organization, webhookId: (await newWebhook(organization)).id };
}

/** Failed deliveries, one second apart, the last one a second ago. */
async function putFailed({ organization, webhookId }: Setting, count: number): Promise<string[]> {
  const oldest = clock.now().getTime() - count * 1_000;
  const rows = Array.from({ length: count }, (_, index) => ({
    status: 'failed' as const,
    createdAt: new Date(oldest + index * 1_000),
  }));
  return insertDeliveries(testApp, organization, webhookId, rows);
}

async function start({ organization, webhookId }: Setting, fields: object = {}) {
  const answer = await organization.send('POST', resendsPath(webhookId), { since, ...fields });
  assert.equal(answer.status, 202, answer.text);
  return answer.body.data;
}

async function read({ organization, webhookId }: Setting, id: string) {
  return (await organization.get(resendsPath(webhookId, `/${id}`))).body.data;
}

const askedFor = async ({ app }: TestApp, webhookId: string) =>
  (await deliveryRows({ app } as TestApp, webhookId)).filter(({ resendAt }) => resendAt).map(({ id }) => id);

/** Marks every requested attempt as sent. */
async function sendAll(webhookId: string): Promise<void> {
  await testApp.app.db
    .updateTable('deliveries')
    .set({ resendAt: null })
    .where('webhookId', '=', webhookId)
    .execute();
}

describe('a resend', () => {
  test('requests the oldest deliveries first, twenty at a time, until all are sent', async () => {
    const setting = await organizationWithWebhook();
    const { organization, webhookId } = setting;
    const ids = await putFailed(setting, 45);
    const { id, ...begun } = await start(setting);
    const createdAt = clock.now().toISOString();
    assert.match(id, /^rsd_/);
    assert.deepEqual(begun, {
      status: 'running',
      total: 45,
      resent: 0,
      filter: { status: 'failed', event: null, since: '2026-03-01T00:00:00.000Z', until: createdAt },
      created_at: createdAt,
      ended_at: null,
    });
    assert.equal(await advanceResends(testApp.app), true);
    assert.deepEqual(await askedFor(testApp, webhookId), ids.slice(0, 20));
    assert.equal(await advanceResends(testApp.app), false, 'twenty already wait');
    assert.deepEqual(await askedFor(testApp, webhookId), ids.slice(0, 20));

    await sendAll(webhookId);
    assert.equal(await advanceResends(testApp.app), true);
    assert.deepEqual(await askedFor(testApp, webhookId), ids.slice(20, 40));
    assert.deepEqual((await read(setting, id)).resent, 40);

    await sendAll(webhookId);
    clock.forward(60);
    assert.equal(await advanceResends(testApp.app), true);
    assert.deepEqual(await askedFor(testApp, webhookId), ids.slice(40));
    const ended = await read(setting, id);
    assert.deepEqual([ended.status, ended.resent], ['done', 45]);
    assert.equal(ended.ended_at, clock.now().toISOString());
    assert.equal(await advanceResends(testApp.app), false);
    const [entry] = await auditOf(organization, id);
    assert.equal(entry.action, 'resend.start');
    assert.deepEqual([entry.details.webhook_id, entry.details.host], [webhookId, 'hooks.example.com']);
  });

  test('continues where it stopped when the program restarts, even between deliveries of one instant', async () => {
    const setting = await organizationWithWebhook();
    const createdAt = new Date(clock.now().getTime() - 1_000);
    const ids = await insertDeliveries(
      testApp,
      setting.organization,
      setting.webhookId,
      Array.from({ length: 30 }, () => ({ status: 'failed' as const, createdAt })),
    );
    await start(setting);
    await advanceResends(testApp.app);
    await sendAll(setting.webhookId);
    // All its state is in its row.
    await advanceResends({ db: testApp.app.db, clock });
    assert.deepEqual(await askedFor(testApp, setting.webhookId), ids.slice(20));
  });

  test('covers the given status, event and time, and only deliveries with a body', async () => {
    const setting = await organizationWithWebhook();
    const { organization, webhookId } = setting;
    const at = (day: number) => new Date(Date.UTC(2026, 2, day));
    await insertDeliveries(testApp, organization, webhookId, [
      { id: 'del_before', status: 'failed', createdAt: at(9) },
      { id: 'del_first', status: 'failed', createdAt: at(10) },
      { id: 'del_other_event', status: 'failed', createdAt: at(11), event: 'cost.threshold' },
      { id: 'del_gone', status: 'failed', createdAt: at(11), body: null },
      { id: 'del_success', status: 'success', createdAt: at(11) },
      { id: 'del_until', status: 'failed', createdAt: at(12) },
    ]);
    const within = { since: at(10), until: at(12) };
    const total = async (fields: object) => {
      const body = { dry_run: true, ...fields };
      const answer = await organization.send('POST', resendsPath(webhookId), body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    assert.deepEqual(await total(within), { data: { total: 2 } });
    assert.deepEqual(await total({ ...within, event: 'cost.threshold' }), { data: { total: 1 } });
    assert.deepEqual(await total({ ...within, status: 'success' }), { data: { total: 1 } });
    assert.deepEqual(await total({ since: at(1) }), { data: { total: 4 } });
    assert.deepEqual(await total({ since: '0000-01-01T00:00:00Z', until: '9999-01-01T00:00:00Z' }), {
      data: { total: 4 },
    });
    assert.deepEqual((await organization.get(resendsPath(webhookId))).body.data, []);
    assert.equal(await advanceResends(testApp.app), false);

    const event = 'alert.triggered';
    const { filter } = await start(setting, { ...within, event });
    assert.deepEqual(filter, {
      status: 'failed',
      event,
      since: at(10).toISOString(),
      until: at(12).toISOString(),
    });
    await advanceResends(testApp.app);
    assert.deepEqual(await askedFor(testApp, webhookId), ['del_first']);
  });

  test('runs once per webhook, even if several requests race', async () => {
    const setting = await organizationWithWebhook();
    const { organization, webhookId } = setting;
    await putFailed(setting, 1);
    const ask = () => organization.send('POST', resendsPath(webhookId), { since });
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    const refused = answers.filter(({ status }) => status !== 202);
    assert.equal(refused.length, 7);
    for (const answer of refused) assertProblem(answer, 409, 'resend_running');
    const other = { organization, webhookId: (await newWebhook(organization)).id };
    await start(other);
    assert.equal(
      (await organization.send('POST', resendsPath(webhookId), { since, dry_run: true })).status,
      200,
    );
    await advanceResends(testApp.app);
    const next = await start(setting);
    const { data, pagination } = (await organization.get(resendsPath(webhookId))).body;
    assert.equal(data.length, 2);
    assert.ok(data.some(({ id }: { id: string }) => id === next.id));
    assert.deepEqual(pagination, { total: 2, page: 1, per_page: 50 });
  });

  test('without matches ends at once', async () => {
    const setting = await organizationWithWebhook();
    const { id, total } = await start(setting);
    assert.equal(total, 0);
    assert.equal(await advanceResends(testApp.app), false);
    const ended = await read(setting, id);
    assert.deepEqual([ended.status, ended.resent], ['done', 0]);
  });

  test('is cancelled once: requested deliveries are still sent, and no others', async () => {
    const setting = await organizationWithWebhook();
    const { organization, webhookId } = setting;
    const ids = await putFailed(setting, 30);
    const { id } = await start(setting);
    await advanceResends(testApp.app);
    const cancel = () => organization.send('POST', resendsPath(webhookId, `/${id}/cancel`));
    const cancelled = await cancel();
    assert.equal(cancelled.status, 200, cancelled.text);
    assert.equal(cancelled.body.data.status, 'cancelled');
    assert.equal(cancelled.body.data.ended_at, clock.now().toISOString());
    assert.deepEqual(await read(setting, id), cancelled.body.data);
    assertProblem(await cancel(), 409, 'resend_ended');
    assert.equal(await advanceResends(testApp.app), false);
    assert.deepEqual(await askedFor(testApp, webhookId), ids.slice(0, 20));
    const actions = (await auditOf(organization, id)).map(({ action }) => action);
    assert.deepEqual(actions, ['resend.start', 'resend.cancel']);
    const unknown = await organization.send('POST', resendsPath(webhookId, '/rsd_no/cancel'));
    assertProblem(unknown, 404, 'resend_not_found');
  });

  test('does not delay single resends, and changes no automatic attempt', async () => {
    const setting = await organizationWithWebhook();
    const { organization, webhookId } = setting;
    const earlier = new Date(clock.now().getTime() - 5_000);
    const dueAt = new Date(clock.now().getTime() + 60_000);
    await insertDeliveries(testApp, organization, webhookId, [
      { createdAt: earlier, dueAt, resendAt: earlier },
      { createdAt: earlier, dueAt },
    ]);
    await start(setting, { status: 'pending' });
    await advanceResends(testApp.app);
    const rows = await deliveryRows(testApp, webhookId);
    assert.deepEqual(
      rows.map(({ resendAt, dueAt: due }) => [resendAt, due]),
      [
        [earlier, dueAt],
        [clock.now(), dueAt],
      ],
    );
  });

  test('is refused without a time, with a malformed one, and with one that is not in the past', async () => {
    const { organization, webhookId } = await organizationWithWebhook();
    const faults: [object, string][] = [
      [{}, 'body.since'],
      [{ since: 'yesterday' }, 'body.since'],
      [{ since: '2026-02-30T00:00:00Z' }, 'body.since'],
      [{ since, until: '2026-03-02' }, 'body.until'],
      [{ since: '2026-03-10T00:00:00Z', until: since }, 'body.since'],
      [{ since: '2027-01-01T00:00:00Z' }, 'body.since'],
      [{ since, status: 'lost' }, 'body.status'],
      [{ since, event: 'run.completed' }, 'body.event'],
      [{ since, dry_run: 'yes' }, 'body.dry_run'],
    ];
    for (const [body, fault] of faults) {
      for (const more of [{}, { dry_run: true }]) {
        const answer = await organization.send('POST', resendsPath(webhookId), { ...more, ...body });
        assertProblem(answer, 400, 'invalid_request', [fault]);
      }
    }
    assert.deepEqual((await organization.get(resendsPath(webhookId))).body.data, []);
  });
});
