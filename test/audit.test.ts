import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from './harness/app.ts';
import { addressOf, budget, sendTo, writesOf } from './harness/auditedWrites.ts';
import { assertProblem } from './harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/organization';

type Entry = Record<'id' | 'action' | 'target' | 'actor' | 'created_at' | 'summary', string> & {
  details: object;
};

async function auditOf(organization: TestOrganization): Promise<Entry[]> {
  const answer = await organization.get('/api/v1/audit-log', { per_page: 100 });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

/** Without the words, which name things as they are called today. */
const stored = ({ id, action, target, actor, created_at: at, details }: Entry) => [
  id,
  action,
  target,
  actor,
  at,
  details,
];

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
    const others = [
      'POST /api/v1/runs',
      'PUT /api/v1/runs/{id}/amounts',
      'POST /api/v1/alerts/preview',
      'POST /api/v1/alerts/{id}/check',
      'POST /api/v1/alerts/reach',
      'POST /api/v1/alerts/test',
    ];
    others.push('POST /v1/traces', 'POST /api/v1/pricing/what-if', 'POST /api/v1/gitlab-webhooks/find');
    others.push('POST /api/v1/hosted-runners/read', 'POST /api/v1/pricing/hints/{id}/accept');
    others.push('POST /api/v1/webhooks/{id}/deliveries/sign');
    others.push('POST /api/v1/pull-request-reports', 'PUT /api/v1/pull-request-settings');
    others.push('DELETE /api/v1/pricing/terms');
    others.push('POST /api/v1/pricing/switch', 'PUT /api/v1/ownership/csv'); // Other tests check those from here.
    others.push('DELETE /api/v1/runs/{id}', 'POST /api/v1/runs/delete', 'DELETE /api/v1/organization');
    others.push('POST /api/v1/estimates', 'POST /api/v1/bills/reports', 'DELETE /api/v1/bills/reports/{id}');
    others.push('PUT /api/v1/waste/fixes/{id}/decision', 'DELETE /api/v1/waste/fixes/{id}/decision');
    others.push('POST /api/v1/fixes/{id}/patch', 'POST /api/v1/fixes/{id}/pull-request');
    others.push('POST /api/v1/reprices/{id}/cancel', 'POST /api/v1/reprices/{id}/revert');
    others.push('POST /api/v1/github-apps/create', 'POST /api/v1/github-apps/{id}/install');
    others.push('POST /api/v1/identity-providers', 'PUT /api/v1/identity-providers/{id}');
    others.push('DELETE /api/v1/identity-providers/{id}', 'PUT /api/v1/sign-in-policy');
    others.push('POST /api/v1/session/organizations', 'POST /api/v1/tokens/revoke-all');
    others.push('DELETE /api/v1/tokens/current');
    others.push('POST /api/v1/logins/{code}/approve', 'POST /api/v1/logins/{code}/deny');
    others.push('POST /api/v1/scheduled-exports/{id}/test', 'POST /api/v1/export-uploads/{id}/repeat');
    others.push('DELETE /api/v1/session', 'POST /api/v1/digests/{id}/send', 'POST /api/v1/gitlab-webhooks');
    others.push('POST /api/v1/bills/months/{id}/send', 'POST /api/v1/organization/demo');
    others.push(
      'POST /api/v1/channels/test',
      'POST /api/v1/organization/chat-webhook/test',
      'POST /api/v1/members/{id}/test-email',
    );
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
      assert.deepEqual(older.map(stored), before.slice(0, 99).map(stored)); // of a page of 100
      assert.doesNotMatch(entry!.summary, /undefined|NaN|null/);
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
          'organization',
          'members',
          'tokens',
          'sources',
          'alerts',
          'webhooks',
          'reprices',
          'exports',
          'pricing',
          'pricing/books',
          'pricing/rules',
          'pricing/shadow-rates',
          'backfills',
          'sessions',
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
      role: 'viewer',
      alert_emails: false,
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
