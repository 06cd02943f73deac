import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from '../../test/harness/app.ts';
import { assertProblem } from '../../test/harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/organization';

describe('the organization', () => {
  test('is answered with its settings, under its own id', async () => {
    const organization = await testApp.newOrganization();
    const answer = await organization.get(path);
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.data, {
      org_id: organization.orgId,
      name: 'Acme',
      login: 'acme',
      plan: 'team',
      chat_webhook: null,
      created_at: '2026-03-18T12:00:00.000Z',
      updated_at: '2026-03-18T12:00:00.000Z',
    });
  });

  test('changes only what is given', async () => {
    const organization = await testApp.newOrganization();
    const before = (await organization.get(path)).body.data;
    testApp.clock.forward(60);
    const changed = await organization.send('PUT', path, { name: 'Acme Rockets' });
    const expected = { ...before, name: 'Acme Rockets', updated_at: testApp.clock.now().toISOString() };
    assert.deepEqual(changed.body.data, expected);
    assert.deepEqual((await organization.get(path)).body.data, expected);
    const cleared = await organization.send('PUT', path, { login: null });
    assert.deepEqual(cleared.body.data, { ...expected, login: null });
  });

  test('can be sent back as it was read', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', path, {
      chat_webhook: { url: 'https://chat.example/hook', format: 'teams' },
    });
    const read = (await organization.get(path)).body.data;
    const sent = await organization.send('PUT', path, read);
    assert.equal(sent.status, 200, sent.text);
    assert.deepEqual(sent.body.data, { ...read, updated_at: sent.body.data.updated_at });
  });

  test('refuses names that are empty, too long, or not text, and fields it does not have', async () => {
    const organization = await testApp.newOrganization();
    const before = (await organization.get(path)).body.data;
    for (const [body, field] of [
      [{ name: '' }, 'body.name'],
      [{ name: 'x'.repeat(256) }, 'body.name'],
      [{ name: `e${'\u0301'.repeat(1_000)}` }, 'body.name'],
      [{ name: 7 }, 'body.name'],
      [{ name: null }, 'body.name'],
      [{ name: 'half \ud83d' }, 'body.name'],
      [{ login: '' }, 'body.login'],
      [{ plan: 'enterprise' }, 'body.plan'],
      [{ nmae: 'Acme' }, 'body.nmae'],
    ] as const) {
      assertProblem(await organization.send('PUT', path, body), 400, 'invalid_request', [field]);
    }
    assert.deepEqual((await organization.get(path)).body.data, before);
    assert.equal((await organization.send('PUT', path, { name: '🚀'.repeat(255) })).status, 200);
  });

  test('lets only an owner change the plan; an admin may repeat it', async () => {
    const organization = await testApp.newOrganization();
    const admin = await organization.newToken('admin');
    assertProblem(await organization.send('PUT', path, { plan: 'pro' }, admin), 403, 'role_too_low');
    assert.equal((await organization.send('PUT', path, { plan: 'team', name: 'A' }, admin)).status, 200);
    assert.equal((await organization.send('PUT', path, { plan: 'pro' })).body.data.plan, 'pro');
  });
});

describe("the chat webhook's address", () => {
  const secret = 'T024BE7LD/B0VERYSECRET';
  const url = `https://hooks.chat.example/services/${secret}`;

  test('is kept encrypted and shown nowhere again', async () => {
    const organization = await testApp.newOrganization();
    const set = await organization.send('PUT', path, { chat_webhook: { url } });
    assert.equal(set.status, 200);
    assert.deepEqual(set.body.data.chat_webhook, { host: 'hooks.chat.example', format: 'slack' });
    const refused = await organization.send('PUT', path, {
      chat_webhook: { url: url.replace('https', 'http') },
    });
    const audit = await organization.get('/api/v1/audit-log');
    for (const text of [
      set.text,
      (await organization.get(path)).text,
      refused.text,
      audit.text,
      testApp.logged(),
    ]) {
      assert.ok(!text.includes(secret), text);
    }
    const row = await testApp.app.db
      .selectFrom('organizations')
      .selectAll()
      .where('orgId', '=', organization.orgId)
      .executeTakeFirstOrThrow();
    assert.ok(!row.chatWebhookUrl!.includes(secret));
    assert.equal(testApp.app.vault.open(row.chatWebhookUrl!), url);
  });

  test('can be taken away, and its format changed without it', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('PUT', path, { chat_webhook: { url, format: 'discord' } });
    const changed = await organization.send('PUT', path, { chat_webhook: { format: 'json' } });
    assert.deepEqual(changed.body.data.chat_webhook, { host: 'hooks.chat.example', format: 'json' });
    const unset = await organization.send('PUT', path, { chat_webhook: null });
    assert.equal(unset.body.data.chat_webhook, null);
    assertProblem(
      await organization.send('PUT', path, { chat_webhook: { format: 'json' } }),
      400,
      'invalid_request',
      ['body.chat_webhook.url'],
    );
  });

  test('must be a plain https:// address', async () => {
    const organization = await testApp.newOrganization();
    for (const bad of [
      'http://chat.example/x',
      'chat.example',
      'https://',
      'ftp://chat.example',
      'https://u:p@chat.example',
    ]) {
      const answer = await organization.send('PUT', path, { chat_webhook: { url: bad } });
      assertProblem(answer, 400, 'invalid_request', ['body.chat_webhook.url']);
    }
    for (const [chatWebhook, field] of [
      [{ url, format: 'irc' }, 'body.chat_webhook.format'],
      [{ url: 5 }, 'body.chat_webhook.url'],
      [{ url, secret: 'x' }, 'body.chat_webhook.secret'],
      ['https://chat.example', 'body.chat_webhook'],
    ] as const) {
      const answer = await organization.send('PUT', path, { chat_webhook: chatWebhook });
      assertProblem(answer, 400, 'invalid_request', [field]);
    }
    assert.equal((await organization.get(path)).body.data.chat_webhook, null);
  });
});

type Entry = {
  id: string;
  action: string;
  target: string;
  actor: string;
  created_at: string;
  details: object;
};

async function auditOf(organization: TestOrganization, query: Record<string, number> = {}): Promise<Entry[]> {
  const answer = await organization.get('/api/v1/audit-log', query);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** Every write that people make: the operation, and what the audit log calls it. Reported runs are not among them. */
async function writesOf(organization: TestOrganization) {
  const idOf = async (resource: string, body: object) =>
    (await organization.send('POST', `/api/v1/${resource}`, body)).body.data.id as string;
  const member = await idOf('members', { email: 'changed@acme.test' });
  const leaver = await idOf('members', { email: 'leaver@acme.test' });
  const token = await idOf('tokens', { name: 'old', role: 'viewer' });
  const source = await idOf('sources', { kind: 'github' });
  const budget = { name: 'Budget', alert_type: 'budget', threshold_amount: 10 };
  const newAlert = async () =>
    (await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, budget)).body
      .id as string;
  const [alert, oldAlert] = [await newAlert(), await newAlert()];
  const hook = { url: 'https://hooks.acme.test', events: ['alert.triggered'] };
  const [webhook, oldWebhook] = [await idOf('webhooks', hook), await idOf('webhooks', hook)];
  const delivery = await idOf(`webhooks/${webhook}/ping`, {});
  const since = { since: '2020-01-01T00:00:00Z' };
  const resend = await idOf(`webhooks/${oldWebhook}/resends`, since);
  const ofWebhook = { method: 'POST', resource: 'webhooks', id: webhook };
  return [
    { action: 'organization.update', method: 'PUT', resource: 'organization', body: { name: 'New name' } },
    { action: 'member.add', method: 'POST', resource: 'members', body: { email: 'new@acme.test' } },
    { action: 'member.update', method: 'PUT', resource: 'members', id: member, body: { role: 'admin' } },
    { action: 'member.remove', method: 'DELETE', resource: 'members', id: leaver },
    { action: 'token.create', method: 'POST', resource: 'tokens', body: { name: 'new', role: 'viewer' } },
    { action: 'token.revoke', method: 'DELETE', resource: 'tokens', id: token },
    { action: 'source.create', method: 'POST', resource: 'sources', body: { kind: 'github' } },
    { action: 'source.delete', method: 'DELETE', resource: 'sources', id: source },
    { action: 'alert.create', method: 'POST', resource: 'alerts', body: budget },
    { action: 'alert.update', method: 'PUT', resource: 'alerts', id: alert, body: { enabled: false } },
    { action: 'alert.delete', method: 'DELETE', resource: 'alerts', id: oldAlert },
    { action: 'webhook.create', method: 'POST', resource: 'webhooks', body: hook },
    {
      action: 'webhook.update',
      method: 'PUT',
      resource: 'webhooks',
      id: webhook,
      body: { status: 'paused' },
    },
    { action: 'webhook.rotate_secret', ...ofWebhook, rest: '/rotate-secret', table: 'webhooks' },
    { action: 'webhook.ping', ...ofWebhook, rest: '/ping', table: 'deliveries', target: webhook },
    {
      ...{ action: 'delivery.resend', ...ofWebhook, rest: `/deliveries/${delivery}/resend` },
      ...{ table: 'deliveries', target: delivery },
    },
    { action: 'resend.start', ...ofWebhook, rest: '/resends', table: 'resends', target: null, body: since },
    {
      ...{ action: 'resend.cancel', ...ofWebhook, id: oldWebhook, rest: `/resends/${resend}/cancel` },
      ...{ table: 'resends', target: resend },
    },
    { action: 'webhook.delete', method: 'DELETE', resource: 'webhooks', id: oldWebhook },
  ] as Write[];
}

type Write = {
  action: string;
  method: 'POST' | 'PUT' | 'DELETE';
  resource: string;
  id?: string;
  /** What follows the id in the address. */
  rest?: string;
  body?: object;
  /** What is written to, if not the resource's own table. */
  table?: string;
  /** What the log names, if not the resource; null for what is new. */
  target?: string | null;
};

const addressOf = ({ resource, id, rest = '' }: Pick<Write, 'resource' | 'id' | 'rest'>) =>
  `/api/v1/${resource}${id ? `/${id}` : ''}${rest}`;

const sendTo = ({ orgId, send }: TestOrganization, write: Write) =>
  send(write.method, `${addressOf(write)}?org_id=${orgId}`, write.body);

/** Whether the transaction that wrote the entry wrote a row of that table too. */
async function isOfOneTransaction(entryId: string, resource: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from audit_entries a
    join ${sql.table(resource === 'organization' ? 'organizations' : resource)} t
      on t.org_id = a.org_id and t.xmin = a.xmin
    where a.id = ${entryId}
  `.execute(testApp.app.db);
  return rows.length === 1;
}

describe('the audit log', () => {
  test('knows every operation that writes', async () => {
    const { paths } = testApp.server.swagger() as unknown as {
      paths: Record<string, Record<string, { security?: [] }>>;
    };
    const writing = Object.entries(paths).flatMap(([address, operations]) =>
      Object.entries(operations)
        .filter(([method, { security }]) => method !== 'get' && !security)
        .map(([method]) => `${method.toUpperCase()} ${address}`),
    );
    const organization = await testApp.newOrganization();
    const known = (await writesOf(organization)).map((write) => {
      const rest = write.rest?.replace(/deliveries\/[^/]+/, 'deliveries/{delivery_id}');
      const named = rest?.replace(/resends\/[^/]+/, 'resends/{resend_id}') ?? '';
      return `${write.method} ${addressOf({ ...write, ...(write.id ? { id: '{id}' } : {}), rest: named })}`;
    });
    const others = ['POST /api/v1/runs', 'POST /api/v1/alerts/preview', 'POST /api/v1/alerts/{id}/check'];
    // Only a session can be signed out; the tests of sessions tell what is written then.
    others.push('DELETE /api/v1/session');
    assert.deepEqual(writing.toSorted(), [...known, ...others].toSorted());
  });

  test('has exactly one row for each write, with who, what and when', async () => {
    const organization = await testApp.newOrganization();
    for (const write of await writesOf(organization)) {
      testApp.clock.forward(1);
      const before = await auditOf(organization);
      const answer = await sendTo(organization, write);
      assert.ok(answer.status < 300, answer.text);
      const [entry, ...older] = await auditOf(organization);
      assert.deepEqual(older, before);
      assert.equal(entry!.action, write.action);
      const { data = answer.body } = answer.body;
      const target = write.target === undefined ? write.id : write.target;
      assert.equal(entry!.target, target ?? data.id ?? organization.orgId);
      assert.equal(entry!.created_at, testApp.clock.now().toISOString());
      assert.match(entry!.actor, /^token tok_[0-9a-f]{20}$/);
      if (write.method !== 'DELETE')
        assert.ok(await isOfOneTransaction(entry!.id, write.table ?? write.resource));
      if (data.token) assert.ok(!JSON.stringify(entry).includes(data.token));
      if (data.secret) assert.ok(!JSON.stringify(entry).includes(data.secret));
    }
  });

  test('is written in the transaction of the write: without the row there is no change', async () => {
    const organization = await testApp.newOrganization();
    const writes = await writesOf(organization);
    const state = () =>
      Promise.all(
        ['organization', 'members', 'tokens', 'sources', 'alerts', 'webhooks'].map(
          async (what) => (await organization.get(`/api/v1/${what}`)).text,
        ),
      );
    const before = await state();
    await sql`alter table audit_entries rename to away`.execute(testApp.app.db);
    try {
      for (const write of writes) {
        assertProblem(await sendTo(organization, write), 500, 'internal_error');
      }
    } finally {
      await sql`alter table away rename to audit_entries`.execute(testApp.app.db);
    }
    assert.deepEqual(await state(), before);
  });

  test('tells what was changed, by the names of the API', async () => {
    const organization = await testApp.newOrganization();
    const { id } = (await organization.send('POST', '/api/v1/members', { email: 'a@acme.test' })).body.data;
    testApp.clock.forward(1);
    await organization.send('PUT', `/api/v1/members/${id}`, { role: 'viewer', alert_emails: false });
    assert.deepEqual((await auditOf(organization))[0]!.details, { role: 'viewer', alert_emails: false });
  });

  test('has no row for what was refused, and no field that the caller made up', async () => {
    const organization = await testApp.newOrganization();
    const { id } = (
      await organization.send('POST', '/api/v1/members', { email: 'a@acme.test', role: 'owner' })
    ).body.data;
    const before = await auditOf(organization);
    await organization.send('POST', '/api/v1/members', { email: 'a@acme.test' });
    await organization.send('DELETE', `/api/v1/members/${id}`);
    await organization.send('DELETE', '/api/v1/tokens/tok_unknown');
    assert.deepEqual(await auditOf(organization), before);
    await organization.send('PUT', `/api/v1/members/${id}`, {
      name: 'Ann',
      created_at: 'madeup',
      id: 'madeup',
    });
    await organization.send('PUT', path, { name: 'Acme', created_at: 'madeup' });
    const entries = await auditOf(organization);
    assert.equal(entries.length, before.length + 2);
    const details = JSON.stringify(entries.map((entry) => entry.details));
    assert.ok(!/madeup|created_at/.test(details), details);
  });

  test('has no row for a request that changes nothing, nor does it count as an update', async () => {
    const organization = await testApp.newOrganization();
    const before = [(await organization.get(path)).body.data, await auditOf(organization)];
    testApp.clock.forward(60);
    for (const body of [{}, { created_at: 'madeup' }]) {
      const answer = await organization.send('PUT', path, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.body.data, await auditOf(organization)], before);
    }
    assert.deepEqual((await organization.get(path)).body.data, before[0]);
  });

  test('is paged, newest first', async () => {
    const organization = await testApp.newOrganization();
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      testApp.clock.forward(1);
      await organization.send('PUT', path, { name });
    }
    const all = await auditOf(organization);
    const times = all.map(({ created_at }) => created_at);
    assert.deepEqual(times, times.toSorted().toReversed());
    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((page) => auditOf(organization, { page, per_page: 2 })),
    );
    assert.deepEqual(pages.flat(), all);
    const past = await organization.get('/api/v1/audit-log', { page: 99, per_page: 500 });
    assert.deepEqual(past.body, { data: [], pagination: { total: all.length, page: 99, per_page: 100 } });
  });
});
