import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Compile } from 'typebox/compile';
import { eventsOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { createWebhook, deliveryRows, newWebhook } from '../../../test/harness/webhooks.ts';
import { eventTypes } from '../../events/eventTypes.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';

const testApp = await startTestApp();
const { app } = testApp;
const audited = { events: ['audit.recorded'], status: 'paused' };

async function entriesOf(organization: TestOrganization) {
  return (await organization.get('/api/v1/audit-log', { per_page: 100 })).body.data;
}

test('each audit entry is an event, also those about webhooks, and sending one makes none', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newWebhook(organization, audited);
  await newWebhook(organization);
  await organization.send('PUT', '/api/v1/organization', { name: 'Acme 2' });
  const known = (await entriesOf(organization)).toReversed();
  await testApp.worker.processAll();
  const bodies = await eventsOf(testApp, organization, 'audit.recorded');
  const since = known.findIndex(({ action }: { action: string }) => action === 'webhook.create');
  assert.deepEqual(
    bodies.map(({ data }: { data: { entry: object } }) => data.entry),
    known.slice(since),
  );
  assert.deepEqual(
    bodies.map(({ data }: { data: { entry: { action: string } } }) => data.entry.action),
    ['webhook.create', 'webhook.create', 'organization.update'],
  );
  const { schema } = eventTypes.find(({ name }) => name === 'audit.recorded')!;
  for (const body of bodies) assert.deepEqual(Compile(schema as never).Errors(body), []);
  assert.equal((await deliveryRows(testApp, id)).length, 3);
  assert.equal((await entriesOf(organization)).length, known.length);
});

test('the event is stored with its entry or not at all, and never for another organization', async () => {
  const organization = await testApp.newOrganization();
  const stranger = await testApp.newOrganization();
  await newWebhook(stranger, audited);
  const before = (await eventsOf(testApp, stranger, 'audit.recorded')).length;
  await newWebhook(organization, audited);
  const ctx = { ...app, actor: cliActor(organization.orgId) };
  const failed = app.db.transaction().execute(async (tx) => {
    await recordAudit(tx, ctx, 'view.delete', 'x');
    throw new Error('rolled back');
  });
  await assert.rejects(failed, /rolled back/);
  assert.equal((await eventsOf(testApp, organization, 'audit.recorded')).length, 1);
  assert.equal((await eventsOf(testApp, stranger, 'audit.recorded')).length, before);
});

test('without a subscriber there is no event', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newWebhook(organization, audited);
  await organization.send('DELETE', `/api/v1/webhooks/${id}`);
  await organization.send('PUT', '/api/v1/organization', { name: 'Acme 3' });
  assert.equal((await eventsOf(testApp, organization, 'audit.recorded')).length, 1, 'of its creation');
});

test('only people who may read the audit log get it by a webhook or read the bodies', async () => {
  const organization = await testApp.newOrganization();
  const { id } = await newWebhook(organization, audited);
  const { id: other } = await newWebhook(organization);
  const narrow = await organization.newToken('admin', ['webhooks:read', 'webhooks:write']);
  const path = `/api/v1/webhooks/${id}`;
  for (const [method, url, body] of [
    ['POST', '/api/v1/webhooks', { url: 'https://hooks.example.com/mine', events: ['audit.recorded'] }],
    ['PUT', `/api/v1/webhooks/${other}`, { events: ['audit.recorded'] }],
    ['PUT', path, { url: 'https://hooks.example.com/mine' }],
  ] as const) {
    assertProblem(await organization.send(method, url, body, narrow), 403, 'scope_missing');
  }
  assert.equal((await createWebhook(organization, audited)).status, 201);
  const [delivery] = await deliveryRows(testApp, id);
  const since = new Date(testApp.clock.now().getTime() - 3_600_000).toISOString();
  const mine = { url: 'https://hooks.example.com/mine' };
  const taking = [
    ['PUT', path, { ...mine, events: ['alert.triggered'] }],
    ['POST', `${path}/deliveries/${delivery!.id}/resend`, undefined],
    ['POST', `${path}/resends`, { status: 'held', since }],
    ['POST', `${path}/resends`, { status: 'held', since, event: 'audit.recorded' }],
  ] as const;
  const refuse = async (attempts: readonly (readonly ['PUT' | 'POST', string, object | undefined])[]) => {
    for (const [method, url, body] of attempts)
      assertProblem(await organization.send(method, url, body, narrow), 403, 'scope_missing');
  };
  await refuse(taking);
  const bodyFor = async (token: string) => {
    const url = `${path}/deliveries/${delivery!.id}`;
    const answer = await testApp.server.inject({ url, headers: { authorization: `Bearer ${token}` } });
    return answer.json().data.body;
  };
  assert.match(await bodyFor(organization.token), /webhook\.create/);
  assert.equal(await bodyFor(narrow), null);
  assert.equal(await bodyFor(await organization.newToken('viewer')), null);
  // Its deliveries wait also after an admin has taken the event from it.
  assert.equal((await organization.send('PUT', path, { events: ['alert.triggered'] })).status, 200);
  await refuse([...taking.slice(1), ['PUT', path, mine]]);
  const others = await organization.send(
    'POST',
    `${path}/resends`,
    { status: 'held', since, event: 'alert.triggered' },
    narrow,
  );
  assert.equal(others.status, 202, others.text);
  assert.equal((await organization.send('PUT', path, { status: 'active' }, narrow)).status, 200);
});
