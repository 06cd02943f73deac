import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp, type TestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, newTokenHolder } from '../../../test/harness/sessions.ts';
import { setHold } from '../../platform/db/installation.ts';
import { newOperatorToken } from '../../platform/lib/runningServers.ts';
import { createOrganization, demoLogin } from '../organizations/organizations.ts';

type Asked = { query?: Record<string, string>; body?: object; token?: string };

const operatorOf =
  ({ app, server }: TestApp) =>
  (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, { query, body, token }: Asked = {}) =>
    request(server, {
      method,
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${token ?? app.operatorToken}` },
      ...(query && { query }),
      ...(body && { payload: body }),
    });

const testApp = await startTestApp();
const operate = operatorOf(testApp);

describe('which organization a request of the operator is for', async () => {
  const alone = await startTestApp();
  const ask = operatorOf(alone);

  test('none exists, only the demo, one besides the demo, several', async () => {
    assertProblem(await ask('GET', '/organization'), 404, 'no_organization');
    assert.deepEqual((await ask('GET', '/organizations')).body.data, []);
    const demo = await createOrganization(alone.app, { name: 'Demo', login: demoLogin });
    assert.equal((await ask('GET', '/organization')).body.data.org_id, demo);
    alone.clock.forward(1);
    const created = await ask('POST', '/organizations', { body: { name: 'Acme', login: 'acme' } });
    assert.equal(created.status, 201, created.text);
    const { org_id: orgId, token } = created.body.data;
    assert.equal((await ask('GET', '/organization')).body.data.org_id, orgId);
    const own = await ask('GET', '/organization', { token });
    assert.deepEqual([own.body.data.org_id, own.body.data.login], [orgId, 'acme']);
    alone.clock.forward(1);
    await ask('POST', '/organizations', { body: { name: 'Umbrella' } });
    const unnamed = await ask('GET', '/organization');
    assertProblem(unnamed, 400, 'invalid_request', ['query.org_id']);
    assert.match(unnamed.body.detail, /is required: there are several organizations/);
    assertProblem(await ask('POST', '/sign-in-links'), 400, 'invalid_request', ['query.org_id']);
    const listed = (await ask('GET', '/organizations')).body.data as Record<string, unknown>[];
    assert.deepEqual(
      listed.map(({ name, login, is_demo, plan }) => [name, login, is_demo, plan]),
      [
        ['Demo', demoLogin, true, 'team'],
        ['Acme', 'acme', false, 'team'],
        ['Umbrella', null, false, 'team'],
      ],
    );
    for (const named of [orgId, String(orgId).toUpperCase()])
      assert.equal((await ask('GET', '/organization', { query: { org_id: named } })).body.data.org_id, orgId);
  });

  test('an unknown one, and what is no id', async () => {
    const query = { org_id: crypto.randomUUID() };
    for (const path of ['/organization', '/alerts'])
      assertProblem(await ask('GET', path, { query }), 404, 'organization_not_found');
    assertProblem(await ask('POST', '/sign-in-links', { query }), 404, 'organization_not_found');
    for (const [method, path] of [
      ['GET', '/organization'],
      ['POST', '/sign-in-links'],
    ] as const) {
      const wrong = await ask(method, path, { query: { org_id: 'acme' } });
      assertProblem(wrong, 400, 'invalid_request', ['query.org_id']);
    }
  });
});

test('the operator may do all that an owner may, and is `cli` in the audit log', async () => {
  const { orgId } = await testApp.newOrganization();
  const query = { org_id: orgId };
  const member = { email: 'ada@acme.test', role: 'owner' };
  assert.equal((await operate('POST', '/members', { query, body: member })).status, 201);
  const invited = await operate('POST', '/invitations', {
    query,
    body: { role: 'owner', send_email: false },
  });
  assert.match(invited.body.data.link, /\/invitation#runcost_invitation_/);
  const created = await operate('POST', '/tokens', { query, body: { name: 'ci', role: 'owner' } });
  assert.equal(created.body.data.scopes.length, 12);
  assert.equal((await operate('GET', '/sessions', { query: { ...query, all: 'true' } })).status, 200);
  assert.equal((await operate('GET', '/retention', { query: { ...query, days: '90' } })).status, 200);
  const session = (await operate('GET', '/session', { query })).body.data;
  const { kind, member: nobody, role } = session;
  assert.deepEqual([session.organization.id, kind, nobody, role], [orgId, 'operator', null, 'owner']);
  const { data } = (await operate('GET', '/audit-log', { query })).body;
  const done = (data as { action: string; actor: string }[]).filter(
    ({ action }) => action !== 'organization.create',
  );
  assert.deepEqual([...new Set(done.map(({ actor }) => actor))], ['cli']);
  assert.equal(
    (await operate('DELETE', '/organization', { query: { ...query, confirm: 'Acme' } })).status,
    200,
  );
  assertProblem(await operate('GET', '/organization', { query }), 404, 'organization_not_found');
});

test('every token of an organization is revoked at once, by its owner alone', async () => {
  const organization = await testApp.newOrganization();
  const admin = await organization.newToken('admin');
  const path = '/api/v1/tokens/revoke-all';
  assertProblem(await organization.send('POST', path, undefined, admin), 403, 'role_too_low');
  const answer = await organization.send('POST', path);
  assert.deepEqual([answer.status, answer.body.data], [200, { revoked: 2 }]);
  assertProblem(await organization.get('/api/v1/tokens'), 401, 'invalid_token');
  const { data } = (await operate('GET', '/audit-log', { query: { org_id: organization.orgId } })).body;
  assert.deepEqual([data[0].action, data[0].details], ['token.revoke_all', { tokens: 2 }]);
});

test('the token of another start is refused without a question to the database', async () => {
  const broken = await startTestApp();
  await broken.app.db.destroy();
  for (const token of [newOperatorToken(), 'runcost_operator_', `${broken.app.operatorToken}x`])
    assertProblem(await operatorOf(broken)('GET', '/organization', { token }), 401, 'invalid_token');
});

test('a sign-in link signs a browser in as an owner, once', async () => {
  const { orgId } = await testApp.newOrganization();
  const answer = await operate('POST', '/sign-in-links', { query: { org_id: orgId } });
  assert.equal(answer.status, 201, answer.text);
  const { url, expires_at } = answer.body.data;
  assert.equal(Date.parse(expires_at), testApp.clock.now().getTime() + 15 * 60_000);
  const [address, code] = url.split('/sign-in#code=');
  assert.equal(address, testApp.app.publicUrl());
  const { newSession, browse, signIn } = browsersOf(testApp);
  const cookie = await newSession({ code });
  assert.equal((await browse(cookie, 'GET', '/api/v1/session')).body.data.role, 'owner');
  assertProblem(await signIn({ code }), 401, 'invalid_code');
});

test('a hold is shown, and ends', async () => {
  assert.deepEqual((await operate('GET', '/hold')).body.data, { hold: null });
  assert.deepEqual((await operate('POST', '/hold/end')).body.data, { hold: null });
  const since = testApp.clock.now();
  await setHold(testApp.app.db, { reason: 'copied', detail: null, since });
  const { hold } = (await operate('GET', '/hold')).body.data;
  assert.deepEqual([hold.reason, hold.since], ['copied', since.toISOString()]);
  assert.match(hold.text, /^This data folder is a copy/);
  assert.deepEqual((await operate('POST', '/hold/end')).body.data, { hold });
  assert.deepEqual((await operate('GET', '/hold')).body.data, { hold: null });
});

test("a member of another organization gets nothing of the operator's, and no log has its token", async () => {
  const organization = await testApp.newOrganization();
  const { token } = await newTokenHolder(organization, 'Ada', 'owner');
  for (const [method, path] of [
    ['GET', '/organizations'],
    ['GET', '/hold'],
    ['POST', '/hold/end'],
  ] as const) {
    const answer = await operate(method, path, { token });
    assertProblem(answer, 403, 'operator_only');
    assert.match(answer.body.detail, /on the server's machine/);
  }
  await operate('GET', `/exports/${testApp.app.operatorToken}`);
  assert.ok(testApp.logged().includes('"path":"/api/v1/organizations"'));
  assert.ok(!testApp.logged().includes(testApp.app.operatorToken.slice(-43)));
});

test('no rate limits the operator', async () => {
  const limited = await startTestApp({ RATE_LIMIT: '1' });
  const organization = await limited.newOrganization();
  const ask = operatorOf(limited);
  for (let count = 0; count < 3; count++) assert.equal((await ask('GET', '/organization')).status, 200);
  assert.equal((await organization.get('/api/v1/organization')).status, 200);
  assertProblem(await organization.get('/api/v1/organization'), 429, 'rate_limited');
});
