import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { newTrigger } from './harness/alerts.ts';
import { startTestApp, type TestOrganization } from './harness/app.ts';
import { assertProblem } from './harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/organization';

type Entry = Record<'id' | 'action' | 'target' | 'actor' | 'created_at', string> & { details: object };

async function auditOf(organization: TestOrganization): Promise<Entry[]> {
  const answer = await organization.get('/api/v1/audit-log', { per_page: 100 });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

const credentials = { kind: 'token', token: 'github_pat_1234567890' };
const budget = { name: 'Budget', alert_type: 'budget', threshold_amount: 10 };
const boxes = { match: 'label', pattern: 'box', runner_kind: 'self_hosted' };

/** Every write by people: the operation and its action in the audit log. Reported runs have no entry. */
async function writesOf(organization: TestOrganization) {
  const idOf = async (resource: string, body: object) =>
    (await organization.send('POST', `/api/v1/${resource}`, body)).body.data.id as string;
  const idsOf = async (resource: string, one: object, other: object) =>
    [await idOf(resource, one), await idOf(resource, other)] as const;
  const [member, leaver] = await idsOf('members', { email: 'a@acme.test' }, { email: 'leaver@acme.test' });
  const invited = await idOf('invitations', { role: 'viewer' });
  const token = await idOf('tokens', { name: 'old', role: 'viewer' });
  const source = await idOf('sources', { kind: 'github' });
  const newAlert = async () =>
    (await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, budget)).body
      .id as string;
  const [alert, oldAlert] = [await newAlert(), await newAlert()];
  const { alert: triggered, trigger } = await newTrigger(organization);
  const hook = { url: 'https://hooks.acme.test', events: ['alert.triggered'] };
  const [webhook, oldWebhook] = await idsOf('webhooks', hook, hook);
  const delivery = await idOf(`webhooks/${webhook}/ping`, {});
  const since = { since: '2020-01-01T00:00:00Z' };
  const resend = await idOf(`webhooks/${oldWebhook}/resends`, since);
  const ofWebhook = { method: 'POST', resource: 'webhooks', id: webhook };
  const [bare, connected] = await idsOf('sources', { kind: 'github' }, { kind: 'github' });
  await organization.send('PUT', `/api/v1/sources/${connected}/credentials`, credentials);
  const backfill = { source_id: connected, repositories: ['acme/api'], since: '2d' };
  const march = { from: '2026-03-01', to: '2026-03-02' };
  const daily = { dataset: 'daily', format: 'csv', ...march };
  const toBucket = {
    ...{ dataset: 'daily', format: 'csv', frequency: 'daily', endpoint: 'https://s3.acme.test' },
    ...{ bucket: 'costs', access_key_id: 'ours', secret_access_key: 'hidden-key', enabled: false },
  };
  const [scheduled, oldScheduled] = await idsOf('scheduled-exports', toBucket, toBucket);
  const ofSchedules = { resource: 'scheduled-exports', table: 'scheduled_exports' };
  const [book, oldBook] = await idsOf('pricing/books', { name: 'Ours' }, { name: 'Old' });
  const ruleOf = (pattern: string) => ({ ...boxes, pattern });
  const [rule, oldRule] = await idsOf('pricing/rules', ruleOf('changed'), ruleOf('old'));
  const ownership = { kind: 'team', owner: 'Platform', repository: 'acme/new' };
  const ownerOf = (repository: string) => ({ ...ownership, repository });
  const [owned, disowned] = await idsOf('ownership/rules', ownerOf('acme/changed'), ownerOf('acme/old'));
  const note = { start: '2026-03-17', text: 'Moved to larger runners' };
  const [noted, oldNote] = await idsOf('annotations', note, note);
  const view = { name: 'Runners', query: 'group_by=runner' };
  const ofViews = { resource: 'views', table: 'saved_views' };
  const ofInvitations = { resource: 'invitations' };
  const toCto = { frequency: 'weekly', is_personal: false, recipients: ['cto@acme.test'] };
  const [sent, oldDigest] = await idsOf('digests', toCto, { ...toCto, frequency: 'monthly' });
  const ofBooks = { resource: 'pricing/books', table: 'price_books' };
  const ofShares = { resource: 'share-links', table: 'share_links' };
  const [viewed, oldView] = await idsOf('views', { ...view, name: 'Viewed' }, { ...view, name: 'Old' });
  const terms = [{ effective_from: '2026-03-01', discount_percent: 10 }];
  const rates = [{ runner_kind: 'self_hosted', usd_per_minute: 0.001 }];
  const ofTask = { method: 'POST', rest: '/cancel', table: 'tasks' };
  for (let count = 0; count < 2; count++) {
    await organization.send('POST', '/api/v1/session', { token: organization.token });
  }
  const [session] = (await organization.get('/api/v1/sessions')).body.data;
  return [
    { action: 'organization.update', method: 'PUT', resource: 'organization', body: { name: 'New name' } },
    { action: 'member.add', method: 'POST', resource: 'members', body: { email: 'new@acme.test' } },
    { action: 'member.update', method: 'PUT', resource: 'members', id: member, body: { role: 'admin' } },
    { action: 'member.remove', method: 'DELETE', resource: 'members', id: leaver },
    { ...ofInvitations, action: 'invitation.create', method: 'POST', body: { role: 'viewer' } },
    { ...ofInvitations, action: 'invitation.resend', method: 'POST', id: invited, rest: '/resend', body: {} },
    { ...ofInvitations, action: 'invitation.revoke', method: 'DELETE', id: invited },
    { action: 'token.create', method: 'POST', resource: 'tokens', body: { name: 'new', role: 'viewer' } },
    { action: 'token.revoke', method: 'DELETE', resource: 'tokens', id: token },
    { action: 'source.create', method: 'POST', resource: 'sources', body: { kind: 'github' } },
    { action: 'source.delete', method: 'DELETE', resource: 'sources', id: source },
    { action: 'github_app.start', method: 'POST', resource: 'github-apps', body: {}, table: 'github_apps' },
    { action: 'alert.create', method: 'POST', resource: 'alerts', body: budget },
    { action: 'alert.update', method: 'PUT', resource: 'alerts', id: alert, body: { enabled: false } },
    { action: 'alert.delete', method: 'DELETE', resource: 'alerts', id: oldAlert },
    {
      ...{ action: 'alert.acknowledge', method: 'POST', resource: 'alerts', id: triggered },
      ...{ rest: `/triggers/${trigger}/acknowledge`, table: 'alert_triggers' },
    },
    { action: 'webhook.create', method: 'POST', resource: 'webhooks', body: hook },
    {
      ...{ action: 'webhook.update', method: 'PUT', resource: 'webhooks', id: webhook },
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
    {
      ...{ action: 'pricing.update', method: 'PUT', resource: 'pricing' },
      ...{ body: { book_id: book }, table: 'organizations' },
    },
    {
      ...{ action: 'billing_terms.update', method: 'PUT', resource: 'pricing/terms' },
      ...{ body: { terms }, table: 'billing_terms' },
    },
    { ...ofBooks, action: 'price_book.create', method: 'POST', body: { name: 'New' } },
    { ...ofBooks, action: 'price_book.update', method: 'PUT', id: book, body: { name: 'X' } },
    { action: 'price_book.delete', method: 'DELETE', resource: 'pricing/books', id: oldBook },
    {
      ...{ action: 'price_rule.create', method: 'POST', resource: 'pricing/rules' },
      ...{ body: boxes, table: 'price_rules' },
    },
    {
      ...{ action: 'price_rule.update', method: 'PUT', resource: 'pricing/rules', id: rule },
      ...{ body: { pattern: 'b' }, table: 'price_rules' },
    },
    { action: 'price_rule.delete', method: 'DELETE', resource: 'pricing/rules', id: oldRule },
    {
      ...{ action: 'ownership_rule.create', method: 'POST', resource: 'ownership/rules' },
      ...{ body: ownership, table: 'ownership_rules' },
    },
    {
      ...{ action: 'ownership_rule.update', method: 'PUT', resource: 'ownership/rules', id: owned },
      ...{ body: { owner: 'Web' }, table: 'ownership_rules' },
    },
    {
      ...{ action: 'ownership_rule.delete', method: 'DELETE', resource: 'ownership/rules' },
      id: disowned,
    },
    { action: 'annotation.create', method: 'POST', resource: 'annotations', body: note },
    { action: 'annotation.update', method: 'PUT', resource: 'annotations', id: noted, body: { text: 'X' } },
    { action: 'annotation.delete', method: 'DELETE', resource: 'annotations', id: oldNote },
    { ...ofViews, action: 'view.create', method: 'POST', body: view },
    { ...ofViews, action: 'view.update', method: 'PUT', id: viewed, body: { name: 'X' } },
    { ...ofViews, action: 'view.delete', method: 'DELETE', id: oldView },
    { action: 'digest.create', method: 'POST', resource: 'digests', body: toCto },
    { action: 'digest.update', method: 'PUT', resource: 'digests', id: sent, body: { enabled: false } },
    { action: 'digest.delete', method: 'DELETE', resource: 'digests', id: oldDigest },
    { ...ofShares, action: 'share.create', method: 'POST', body: { query: '' } },
    { ...ofShares, action: 'share.revoke', method: 'DELETE', id: await idOf('share-links', { query: '' }) },
    {
      ...{ action: 'ownership_import.start', method: 'POST', resource: 'ownership/imports' },
      ...{ body: { from: 'codeowners', source_id: connected }, table: 'tasks' },
    },
    {
      ...{ ...ofTask, action: 'ownership_import.cancel', resource: 'ownership/imports' },
      id: await idOf('ownership/imports', { from: 'codeowners', source_id: connected }),
    },
    {
      ...{ action: 'shadow_rates.update', method: 'PUT', resource: 'pricing/shadow-rates' },
      ...{ body: { rates }, table: 'shadow_rates' },
    },
    { action: 'reprice.create', method: 'POST', resource: 'reprices', body: march, table: 'tasks' },
    { action: 'export.create', method: 'POST', resource: 'exports', body: daily, table: 'tasks' },
    { ...ofSchedules, action: 'scheduled_export.create', method: 'POST', body: toBucket },
    {
      ...{ ...ofSchedules, action: 'scheduled_export.update', method: 'PUT', id: scheduled },
      ...{ body: { bucket: 'others' } },
    },
    { ...ofSchedules, action: 'scheduled_export.delete', method: 'DELETE', id: oldScheduled },
    { ...ofTask, action: 'export.cancel', resource: 'exports', id: await idOf('exports', daily) },
    { action: 'backfill.start', method: 'POST', resource: 'backfills', body: backfill, table: 'tasks' },
    { ...ofTask, action: 'backfill.cancel', resource: 'backfills', id: await idOf('backfills', backfill) },
    {
      ...{ action: 'source.set_credentials', method: 'PUT', resource: 'sources', id: bare },
      ...{ rest: '/credentials', body: credentials, table: 'source_credentials' },
    },
    {
      ...{ action: 'source.delete_credentials', method: 'DELETE', resource: 'sources' },
      ...{ id: connected, rest: '/credentials' },
    },
    { action: 'session.end', method: 'DELETE', resource: 'sessions', id: session.id },
    { action: 'session.end_all', method: 'DELETE', resource: 'sessions', target: session.token.id },
  ] as Write[];
}

type Write = {
  action: string;
  method: 'POST' | 'PUT' | 'DELETE';
  resource: string;
  id?: string;
  /** The address after the id. */
  rest?: string;
  body?: object;
  /** The table of the write, if it is not the resource's. */
  table?: string;
  /** The target in the log, if it is not the resource. Null for new resources. */
  target?: string | null;
};

const addressOf = ({ resource, id, rest = '' }: Pick<Write, 'resource' | 'id' | 'rest'>) =>
  `/api/v1/${resource}${id ? `/${id}` : ''}${rest}`;

const sendTo = ({ orgId, send }: TestOrganization, write: Write) =>
  send(write.method, `${addressOf(write)}?org_id=${orgId}`, write.body);

/** Whether one transaction wrote both the entry and that table. */
async function isInOneTransaction(entryId: string, resource: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from audit_entries a
    join ${sql.table(resource === 'organization' ? 'organizations' : resource)} t
      on t.org_id = a.org_id and t.xmin = a.xmin
    where a.id = ${entryId}
  `.execute(testApp.app.db);
  return rows.length > 0;
}

describe('the audit log', () => {
  test('has every operation that writes', async () => {
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
      const named = rest?.replace(/(resend|trigger)s\/[^/]+/, '$1s/{$1_id}') ?? '';
      return `${write.method} ${addressOf({ ...write, ...(write.id ? { id: '{id}' } : {}), rest: named })}`;
    });
    const others = ['POST /api/v1/runs', 'POST /api/v1/alerts/preview', 'POST /api/v1/alerts/{id}/check'];
    others.push('POST /v1/traces', 'POST /api/v1/pricing/what-if', 'POST /api/v1/gitlab-webhooks/find');
    others.push('POST /api/v1/pull-request-reports', 'PUT /api/v1/pull-request-settings');
    others.push('POST /api/v1/pricing/switch', 'PUT /api/v1/ownership/csv'); // Other tests check those from here.
    others.push('DELETE /api/v1/runs/{id}', 'POST /api/v1/runs/delete', 'DELETE /api/v1/organization');
    others.push('POST /api/v1/estimates', 'POST /api/v1/bills/reports', 'DELETE /api/v1/bills/reports/{id}');
    others.push('PUT /api/v1/waste/fixes/{id}/decision', 'DELETE /api/v1/waste/fixes/{id}/decision');
    others.push('POST /api/v1/reprices/{id}/cancel', 'POST /api/v1/reprices/{id}/revert');
    others.push('POST /api/v1/github-apps/create', 'POST /api/v1/github-apps/{id}/install');
    others.push('POST /api/v1/identity-providers', 'PUT /api/v1/identity-providers/{id}');
    others.push('DELETE /api/v1/identity-providers/{id}', 'PUT /api/v1/sign-in-policy');
    others.push('POST /api/v1/session/organizations');
    others.push('POST /api/v1/scheduled-exports/{id}/test', 'POST /api/v1/export-uploads/{id}/repeat');
    others.push('DELETE /api/v1/session', 'POST /api/v1/digests/{id}/send', 'POST /api/v1/gitlab-webhooks');
    others.push('POST /api/v1/organization/chat-webhook/test', 'POST /api/v1/members/{id}/test-email');
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
      assert.equal(entry!.target, target ?? data.id ?? data.source_id ?? organization.orgId);
      assert.equal(entry!.created_at, testApp.clock.now().toISOString());
      assert.match(entry!.actor, /^token tok_[0-9a-f]{20}$/);
      if (write.method !== 'DELETE')
        assert.ok(await isInOneTransaction(entry!.id, write.table ?? write.resource), write.action);
      for (const secret of [data.token, data.secret, data.link, data.url])
        if (secret) assert.ok(!JSON.stringify(entry).includes(secret));
    }
  });

  test('is written in the transaction of the write: without the row there is no change', async () => {
    const organization = await testApp.newOrganization();
    const writes = await writesOf(organization);
    const state = () =>
      Promise.all(
        [
          ...['organization', 'members', 'tokens', 'sources', 'alerts', 'webhooks', 'reprices', 'exports'],
          ...['pricing', 'pricing/books', 'pricing/rules', 'pricing/shadow-rates', 'backfills', 'sessions'],
        ].map(async (what) => (await organization.get(`/api/v1/${what}`)).text),
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

  test('names changes by the names of the API', async () => {
    const organization = await testApp.newOrganization();
    const { id } = (await organization.send('POST', '/api/v1/members', { email: 'a@acme.test' })).body.data;
    testApp.clock.forward(1);
    await organization.send('PUT', `/api/v1/members/${id}`, { role: 'viewer', alert_emails: false });
    assert.deepEqual((await auditOf(organization))[0]!.details, {
      ...{ role: 'viewer', alert_emails: false },
      before: { role: 'member', alert_emails: true },
    });
  });

  test('has only the changed fields of a form, with their old values', async () => {
    const organization = await testApp.newOrganization();
    const { name, login, plan } = (await organization.get(path)).body.data;
    const latest = async () => (await auditOf(organization))[0]!.details;
    const sent = { name: 'Acme Rockets', login, plan };
    testApp.clock.forward(1);
    await organization.send('PUT', path, sent);
    assert.deepEqual(await latest(), { name: 'Acme Rockets', before: { name } });
    testApp.clock.forward(1);
    const { id } = (await organization.send('POST', `/api/v1/alerts?org_id=${organization.orgId}`, budget))
      .body;
    testApp.clock.forward(1);
    await organization.send('PUT', `/api/v1/alerts/${id}`, { ...budget, threshold_amount: 7.5 });
    assert.deepEqual(await latest(), {
      threshold_amount: 7.5,
      before: { threshold_amount: budget.threshold_amount },
    });
  });

  test("shows that the chat webhook's address changed, but not the address", async () => {
    const organization = await testApp.newOrganization();
    const chats = ['one', 'two', 'two'].map((end) => ({ url: `https://chat.example/${end}` }));
    for (const chat of chats) {
      testApp.clock.forward(1);
      await organization.send('PUT', path, { chat_webhook: chat });
    }
    const [second, first, ...others] = await auditOf(organization);
    const chat = { host: 'chat.example', format: 'slack' };
    assert.deepEqual(first!.details, { chat_webhook: chat, before: { chat_webhook: null } });
    assert.deepEqual(second!.details, {
      chat_webhook: { ...chat, url: 'changed' },
      before: { chat_webhook: chat },
    });
    assert.deepEqual(
      others.filter(({ action }) => action === 'organization.update'),
      [],
    );
  });

  test('has no row for a refused request, and no unknown fields', async () => {
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
    await organization.send('PUT', path, { name: 'Acme Rockets', created_at: 'madeup' });
    const entries = await auditOf(organization);
    assert.equal(entries.length, before.length + 2);
    const details = JSON.stringify(entries.map((entry) => entry.details));
    assert.ok(!/madeup|created_at/.test(details), details);
  });

  test('has no row for a request that changes nothing, which is no update either', async () => {
    const organization = await testApp.newOrganization();
    const before = [(await organization.get(path)).body.data, await auditOf(organization)];
    testApp.clock.forward(60);
    const { name, login, plan } = (await organization.get(path)).body.data;
    for (const body of [{}, { created_at: 'madeup' }, { name, login, plan }]) {
      const answer = await organization.send('PUT', path, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual([answer.body.data, await auditOf(organization)], before);
    }
    assert.deepEqual((await organization.get(path)).body.data, before[0]);
  });
});
