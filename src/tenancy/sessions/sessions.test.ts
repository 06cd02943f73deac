import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import {
  assertCleared,
  browsersOf,
  newMember,
  newToken,
  sessionPath as path,
} from '../../../test/harness/sessions.ts';
import { buildServer } from '../../server.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const { browse, newSession, newCode, assertEnded } = browsersOf(testApp);
const ownOrigin = app.publicUrl();
const days = 86_400;

/** The same service behind TLS. */
const publicUrl = 'https://costs.acme.test/runcost';
const secureServer = await buildServer({
  ...app,
  config: { ...app.config, publicUrl },
  publicUrl: () => publicUrl,
});

describe('the signed-in caller', () => {
  test('is returned for tokens too, whatever their scopes', async () => {
    const organization = await testApp.newOrganization();
    const member_id = await newMember(organization, 'viewer');
    const expires_at = new Date(clock.now().getTime() + 90 * days * 1_000).toISOString();
    const { id, token } = await newToken(organization, { member_id, scopes: ['runs:write'], expires_at });
    const answer = await request(server, {
      method: 'GET',
      url: path,
      headers: { authorization: `Bearer ${token}` },
    });
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body.data, {
      organization: {
        id: organization.orgId,
        name: 'Acme',
        login: 'acme',
        plan: 'team',
        time_zone: 'UTC',
        fiscal_year_start_month: 1,
        week_start: 'monday',
        details_from: null,
        address_name: answer.body.data.organization.address_name,
      },
      kind: 'token',
      member: { email: 'ada@acme.test', name: 'Ada' },
      token: { id, name: 'browser' },
      role: 'viewer',
      scopes: ['runs:write'],
      expires_at,
      command_line: 'npm run -s runcost --',
      hold: null,
      other_organizations: 0,
      public_url: testApp.app.publicUrl(),
      is_public: false,
    });
    const service = (await organization.get(path)).body.data;
    assert.deepEqual([service.member, service.expires_at], [null, null]);
  });

  test('is nobody without a token or cookie, or with another cookie', async () => {
    const without = await request(server, { method: 'GET', url: path });
    assertProblem(without, 401, 'token_missing');
    assert.equal(without.headers['set-cookie'], undefined);
    assertProblem(await browse('theme=dark; runcost_session=', 'GET', path), 401, 'token_missing');
    const { token } = await testApp.newOrganization();
    await assertEnded(`runcost_session=${token}`);
  });

  test('is hidden from another organization', async () => {
    const organization = await testApp.newOrganization();
    const cookie = await newSession({ token: organization.token });
    const { orgId } = await testApp.newOrganization();
    assertProblem(await browse(cookie, 'GET', `${path}?org_id=${orgId}`), 403, 'wrong_organization');
  });
});

describe('signing out', () => {
  test('ends this session at once, and no other of the same token', async () => {
    const { token } = await testApp.newOrganization();
    const [left, right] = [await newSession({ token }), await newSession({ token })];
    const answer = await browse(left, 'DELETE', path);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, { data: { signed_out: true, provider_address: null } });
    assertCleared(answer);
    await assertEnded(left);
    assertProblem(await browse(left, 'DELETE', path), 401, 'session_ended');
    assert.equal((await browse(right, 'GET', path)).status, 200);
  });

  test('is refused for a token', async () => {
    const organization = await testApp.newOrganization();
    assertProblem(await organization.send('DELETE', path), 409, 'no_session');
    assert.equal((await organization.get(path)).status, 200);
    assertProblem(await request(server, { method: 'DELETE', url: path }), 401, 'token_missing');
  });

  test('is refused from another site', async () => {
    const cookie = await newSession({ token: (await testApp.newOrganization()).token });
    const answer = await browse(cookie, 'DELETE', path, { origin: 'https://evil.test' });
    assertProblem(answer, 403, 'origin_refused');
    assert.equal((await browse(cookie, 'GET', path)).status, 200);
  });
});

describe('a request with the cookie', () => {
  const alert = { name: 'Too much', alert_type: 'budget', threshold_amount: 10 };

  test('has the rights of the session', async () => {
    const organization = await testApp.newOrganization();
    const url = `/api/v1/alerts?org_id=${organization.orgId}`;
    const owner = await newSession({ token: organization.token });
    assert.equal((await browse(owner, 'POST', url, { payload: alert })).status, 201);
    assert.equal((await browse(`a=b; ${owner};c=d`, 'GET', url)).body.alerts.length, 1);
    const head = await server.inject({ method: 'HEAD', url, headers: { cookie: owner } });
    assert.equal(head.statusCode, 200);
    const viewer = await newSession({ token: await organization.newToken('viewer') });
    const refused = await browse(viewer, 'POST', url, { payload: alert });
    assertProblem(refused, 403, 'role_too_low');
    const narrow = await newSession({ token: await organization.newToken('owner', ['costs:read']) });
    assertProblem(await browse(narrow, 'GET', url), 403, 'scope_missing');
  });

  test('gets nothing of another organization', async () => {
    const organization = await testApp.newOrganization();
    const url = `/api/v1/alerts?org_id=${organization.orgId}`;
    const { id } = (await organization.send('POST', url, alert)).body;
    const stranger = await newSession({ token: (await testApp.newOrganization()).token });
    assertProblem(await browse(stranger, 'GET', url), 403, 'wrong_organization');
    assertProblem(await browse(stranger, 'GET', `/api/v1/alerts/${id}`), 404, 'alert_not_found');
    assertProblem(await browse(stranger, 'DELETE', `/api/v1/alerts/${id}`), 404, 'alert_not_found');
  });

  test('is refused if any part of the cookie is changed, cut or added', async () => {
    const { token } = await testApp.newOrganization();
    const [cookie, same] = [await newSession({ token }), await newSession({ token })];
    const other = await newSession({ token: (await testApp.newOrganization()).token });
    for (const bad of [
      `${cookie.slice(0, -43)}${same.slice(-43)}`,
      `${other.slice(0, -64)}${cookie.slice(-64)}`,
      cookie.slice(0, -1),
      `${cookie}A`,
    ]) {
      await assertEnded(bad);
    }
    assert.equal((await browse(cookie, 'GET', path)).status, 200);
  });

  test('ignores the cookie if there is a header, valid or not', async () => {
    const organization = await testApp.newOrganization();
    const other = await testApp.newOrganization();
    const cookie = await newSession({ token: organization.token });
    const authorization = `Bearer ${other.token}`;
    const answer = await browse(cookie, 'GET', path, { headers: { authorization } });
    assert.equal(answer.body.data.organization.id, other.orgId);
    const written = await browse(cookie, 'PUT', '/api/v1/organization', {
      origin: 'https://evil.test',
      payload: { name: 'Other' },
      headers: { authorization },
    });
    assert.equal(written.status, 200, written.text);
    assert.equal((await other.get(path)).body.data.organization.name, 'Other');
    assert.equal((await organization.get(path)).body.data.organization.name, 'Acme');
    for (const bad of ['Bearer nonsense', 'Basic eDp5', 'Bearer']) {
      const refused = await browse(cookie, 'GET', path, { headers: { authorization: bad } });
      assert.equal(refused.status, 401);
      assert.equal(refused.headers['set-cookie'], undefined, 'the session continues');
    }
    assert.equal((await browse(cookie, 'GET', path)).status, 200);
  });

  test('may read from anywhere, and write from pages of this server only', async () => {
    const organization = await testApp.newOrganization();
    const cookie = await newSession({ token: organization.token });
    const write = (origin: string | null, headers: Record<string, string>, on: typeof server) =>
      browse(cookie, 'PUT', '/api/v1/organization', { origin, payload: { name: 'Acme' }, headers, on });
    for (const [origin, host, on] of [
      [ownOrigin, 'elsewhere:1', server],
      ['http://ci.local:8080', 'ci.local:8080', server],
      ['https://ci.local:8080', 'ci.local:8080', server],
      ['https://costs.acme.test', 'proxied:80', secureServer],
    ] as const) {
      const answer = await write(origin, { host }, on);
      assert.equal(answer.status, 200, `${origin} ${answer.text}`);
    }
    for (const origin of [
      null,
      'null',
      '',
      'https://evil.test',
      'http://ci.local',
      'http://ci.local:8081',
      'http://ci.local:8080.evil.test',
      'http://x.ci.local:8080',
      'ws://ci.local:8080',
      'http://ci.local:8080, https://evil.test',
    ]) {
      const headers = { host: 'ci.local:8080', referer: 'http://ci.local:8080/' };
      assertProblem(await write(origin, headers, server), 403, 'origin_refused');
      assert.equal((await browse(cookie, 'GET', path, { origin, headers })).status, 200);
    }
  });

  test('may write from pages of PUBLIC_URL only, if it is set', async () => {
    const cookie = await newSession({ token: (await testApp.newOrganization()).token });
    for (const origin of [
      'http://proxied:80',
      'https://proxied:80',
      ownOrigin,
      'https://costs.acme.test.evil.test',
    ]) {
      const answer = await browse(cookie, 'PUT', '/api/v1/organization', {
        origin,
        payload: { name: 'Acme' },
        headers: { host: 'proxied:80' },
        on: secureServer,
      });
      assertProblem(answer, 403, 'origin_refused');
      assert.match(answer.body.detail, /https:\/\/costs\.acme\.test \(PUBLIC_URL\)/);
    }
  });

  test('answers 401 to malformed cookies', async () => {
    const junk = fc.oneof(fc.string(), fc.stringMatching(/^[\w-]{0,40}$/));
    await fc.assert(
      fc.asyncProperty(junk, junk, async (before, value) => {
        const cookie = `${before}; runcost_session=${value}`;
        const answer = await browse(cookie, 'GET', path);
        assert.equal(answer.status, 401, answer.text);
      }),
      { numRuns: 60 },
    );
  });

  test("counts toward its organization's rate limit, whatever its token's name", async () => {
    const limited = await buildServer({ ...app, config: { ...app.config, rateLimit: 2 } });
    const cookies = await Promise.all(
      [await testApp.newOrganization(), await testApp.newOrganization()].map(({ token }) =>
        newSession({ token }),
      ),
    );
    for (const cookie of cookies) {
      for (const status of [200, 200, 429]) {
        assert.equal((await browse(cookie, 'GET', path, { on: limited })).status, status);
      }
    }
  });
});

describe('a session ends', () => {
  test('after 30 days, however often it is used', async () => {
    const cookie = await newSession({ token: (await testApp.newOrganization()).token });
    clock.forward(29 * days);
    assert.equal((await browse(cookie, 'GET', path)).status, 200);
    clock.forward(days - 0.001);
    assert.equal((await browse(cookie, 'GET', path)).status, 200);
    clock.forward(0.001);
    await assertEnded(cookie);
  });

  test('at once when its token is revoked', async () => {
    const organization = await testApp.newOrganization();
    const { id, token } = await newToken(organization);
    const cookies = [await newSession({ token }), await newSession({ token })];
    const others = await newSession({ token: organization.token });
    await organization.send('DELETE', `/api/v1/tokens/${id}`);
    for (const cookie of cookies) await assertEnded(cookie);
    assert.equal((await browse(others, 'GET', path)).status, 200);
  });

  test('at once when its member is removed, and loses rights at once when the member does', async () => {
    const organization = await testApp.newOrganization();
    const member_id = await newMember(organization, 'admin');
    const { token } = await newToken(organization, { member_id, role: 'admin' });
    const cookie = await newSession({ token });
    assert.equal((await browse(cookie, 'GET', '/api/v1/tokens')).status, 200);
    await organization.send('PUT', `/api/v1/members/${member_id}`, { role: 'viewer' });
    assertProblem(await browse(cookie, 'GET', '/api/v1/tokens'), 403, 'role_too_low');
    assert.equal((await browse(cookie, 'GET', path)).body.data.role, 'viewer');
    await organization.send('DELETE', `/api/v1/members/${member_id}`);
    await assertEnded(cookie);
  });
});

test('records sign-ins, sign-outs and what the session does in the audit log', async () => {
  const organization = await testApp.newOrganization();
  const member_id = await newMember(organization, 'owner');
  const { token } = await newToken(organization, { member_id });
  const service = await newSession({ token: organization.token });
  const member = await newSession({ token });
  const cli = await newSession({ code: await newCode(organization) });
  for (const [index, cookie] of [service, member, cli].entries()) {
    await browse(cookie, 'PUT', '/api/v1/organization', { payload: { name: `Acme ${index}` } });
    await browse(cookie, 'DELETE', path);
  }
  const { data } = (await organization.get('/api/v1/audit-log', { per_page: 100 })).body;
  const done = (actor: string) =>
    data
      .filter((entry: { actor: string }) => entry.actor === actor)
      .map((entry: { action: string }) => entry.action)
      .toReversed();
  const actions = ['session.create', 'organization.update', 'session.end'];
  assert.deepEqual(done('session of token test'), actions);
  assert.deepEqual(done('session of ada@acme.test'), actions);
  assert.deepEqual(done('session of cli'), actions);
  assert.ok(done('cli').includes('sign_in_code.create'));
});
