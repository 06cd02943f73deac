import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { spend } from '../../../test/harness/alerts.ts';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, newToken, sessionPath } from '../../../test/harness/sessions.ts';
import type { Role } from '../../platform/lib/actor.ts';
import { saveSignInPolicy } from './sessions.ts';
import { signInMember } from './signIn.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
const { browse, newSession, assertEnded } = browsersOf(testApp);
const path = '/api/v1/session/organizations';
const email = 'ada@acme.test';

async function addMember(organization: TestOrganization, role: Role, address = email): Promise<string> {
  const answer = await organization.send('POST', '/api/v1/members', { email: address, name: 'Ada', role });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

type Proof = { provenEmail?: string; provenIssuer?: string };

/** A browser that has signed in as this member. */
async function signInAs(organization: TestOrganization, memberId: string, proof: Proof): Promise<string> {
  const signingIn = { orgId: organization.orgId, memberId, from: '203.0.113.7', ...proof };
  const { text } = await app.db.transaction().execute((tx) => signInMember(tx, app, signingIn));
  return `runcost_session=${text}`;
}

const enter = (cookie: string, { orgId }: TestOrganization, headers = {}): Promise<Answer> =>
  browse(cookie, 'POST', path, { payload: { organization_id: orgId }, headers });

async function listOf(cookie: string): Promise<[id: string, role: string, isEntered: boolean][]> {
  const answer = await browse(cookie, 'GET', path);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.map((each: Answer['body']) => [each.id, each.role, each.is_entered]);
}

/** Ada is an owner of the first organization, a viewer of the second and a member of the third, but not in the fourth. */
async function newCompanies() {
  const companies = await Promise.all(Array.from({ length: 4 }, () => testApp.newOrganization()));
  const [first, second, third, fourth] = companies as [
    TestOrganization,
    TestOrganization,
    TestOrganization,
    TestOrganization,
  ];
  const ids = [
    await addMember(first, 'owner'),
    await addMember(second, 'viewer', 'Ada@Acme.test'),
    await addMember(third, 'member'),
  ] as const;
  await addMember(fourth, 'owner', 'ada@acme.test.evil.test');
  const cookie = await signInAs(first, ids[0], { provenEmail: email });
  return { first, second, third, fourth, ids, cookie };
}

const at = (url: string, { orgId }: TestOrganization) =>
  `${url}${url.includes('?') ? '&' : '?'}org_id=${orgId}`;

describe('the organizations of a person', () => {
  test('are those where the address that the session proved is a member', async () => {
    const { first, second, third, cookie } = await newCompanies();
    const [home, ...others] = await listOf(cookie);
    assert.deepEqual(home, [first.orgId, 'owner', true]);
    assert.deepEqual(
      new Set(others.map(String)),
      new Set([`${second.orgId},viewer,false`, `${third.orgId},member,false`]),
    );
    const { data } = (await browse(cookie, 'GET', sessionPath)).body;
    assert.equal(data.other_organizations, 2);
  });

  test('are one without a proof: for tokens, sessions by a token, and links of the command line', async () => {
    const { first, second, ids } = await newCompanies();
    const { token } = await newToken(first, { member_id: ids[0] });
    for (const cookie of [await newSession({ token }), await signInAs(first, ids[0], {})]) {
      assert.deepEqual(await listOf(cookie), [[first.orgId, 'owner', true]]);
      assertProblem(await enter(cookie, second), 404, 'organization_not_found');
    }
    assert.deepEqual(
      (await first.get(path)).body.data.map(({ id }: { id: string }) => id),
      [first.orgId],
    );
    assertProblem(await first.send('POST', path, { organization_id: second.orgId }), 409, 'no_session');
  });

  test('of a proof by an issuer that an organization chose are those that chose it too', async () => {
    const { first, second, third, ids } = await newCompanies();
    const issuer = 'https://login.evil.test';
    const chosen = { kind: 'oidc', name: 'X', clientId: 'x', clientSecret: Buffer.from('x') } as const;
    const rules = { allowedDomains: [], defaultRole: null, groupsClaim: 'groups', groupRoles: '[]' };
    const times = { createdAt: clock.now(), updatedAt: clock.now() };
    const { orgId } = third;
    const row = { orgId, id: 'idp_1', issuer, ...chosen, ...rules, ...times };
    await app.db.insertInto('identityProviders').values(row).execute();
    const cookie = await signInAs(first, ids[0], { provenEmail: email, provenIssuer: issuer });
    assert.deepEqual(
      (await listOf(cookie)).map(([id]) => id),
      [first.orgId, third.orgId],
    );
    assertProblem(await enter(cookie, second), 404, 'organization_not_found');
    assert.equal((await enter(cookie, third)).status, 201);
    assert.equal((await browse(cookie, 'GET', at(sessionPath, third))).status, 200);
    await app.db.deleteFrom('identityProviders').where('orgId', '=', third.orgId).execute();
    assertProblem(await browse(cookie, 'GET', at(sessionPath, third)), 403, 'wrong_organization');
  });
});

describe('a request that names an organization', () => {
  test('is for it once it is entered, with the role there, and each audit log shows its own', async () => {
    const { first, second, third, fourth, ids, cookie } = await newCompanies();
    assertProblem(await browse(cookie, 'GET', at(sessionPath, second)), 403, 'wrong_organization');
    assertProblem(await enter(cookie, fourth), 404, 'organization_not_found');
    assertProblem(await enter(cookie, second, { origin: 'https://evil.test' }), 403, 'origin_refused');
    for (const organization of [second, third, second]) {
      const answer = await enter(cookie, organization);
      assert.equal(answer.status, 201, answer.text);
      assert.deepEqual([answer.body.data.id, answer.body.data.is_entered], [organization.orgId, true]);
    }
    for (const [organization, role] of [
      [first, 'owner'],
      [second, 'viewer'],
      [third, 'member'],
    ] as const) {
      const { data } = (await browse(cookie, 'GET', at(sessionPath, organization))).body;
      assert.deepEqual([data.organization.id, data.role], [organization.orgId, role]);
    }
    assert.equal((await browse(cookie, 'GET', sessionPath)).body.data.organization.id, first.orgId);
    for (const [organization, status] of [
      [first, 201],
      [second, 403],
      [third, 201],
    ] as const) {
      const payload = { name: 'Too much', alert_type: 'budget', threshold_amount: 10 };
      const created = await browse(cookie, 'POST', at('/api/v1/alerts', organization), { payload });
      assert.equal(created.status, status, created.text);
      const { alerts } = (await organization.get('/api/v1/alerts')).body;
      assert.equal(alerts.length, status === 201 ? 1 : 0);
    }
    const log = (await second.get('/api/v1/audit-log', { kind: 'session' })).body.data;
    assert.deepEqual(
      log.map(({ action, actor, details }: Answer['body']) => [action, actor, details]),
      [
        [
          'session.create',
          'session of Ada@Acme.test',
          { member_id: ids[1], address: '127.0.0.1', switched: true },
        ],
      ],
    );
    const sessions = (await second.get('/api/v1/sessions?all=true')).body.data;
    assert.deepEqual(
      sessions.map(({ member }: Answer['body']) => member.id),
      [ids[1]],
    );
  });

  test('never gets the answers of another, kept or known by their tag', async () => {
    const { first, second, cookie } = await newCompanies();
    await enter(cookie, second);
    await spend(first, 20, '2026-03-17');
    await spend(second, 3, '2026-03-17');
    const url = '/api/v1/dashboard/summary?days=30';
    const here = await browse(cookie, 'GET', at(url, first));
    const there = await browse(cookie, 'GET', at(url, second));
    assert.equal(here.status, 200, here.text);
    assert.notEqual(here.headers['etag'], there.headers['etag']);
    for (let index = 0; index < 2; index++) {
      assert.equal((await browse(cookie, 'GET', at(url, first))).text, here.text);
      const headers = { 'if-none-match': String(here.headers['etag']) };
      const answer = await browse(cookie, 'GET', at(url, second), { headers });
      assert.deepEqual([answer.status, answer.text], [200, there.text]);
      assert.equal((await browse(cookie, 'GET', at(url, first), { headers })).status, 304);
    }
    assert.deepEqual((await second.get(at(url, second))).body, there.body);
  });

  test('is refused from the moment when the member is removed there or the address is no longer proven', async () => {
    const { second, third, ids, cookie } = await newCompanies();
    await enter(cookie, second);
    await enter(cookie, third);
    await second.send('DELETE', `/api/v1/members/${ids[1]}`);
    assertProblem(await browse(cookie, 'GET', at(sessionPath, second)), 403, 'wrong_organization');
    assertProblem(await enter(cookie, second), 404, 'organization_not_found');
    await app.db
      .updateTable('sessions')
      .set({ provenEmail: 'new@acme.test' })
      .where('memberId', '=', ids[0])
      .execute();
    assertProblem(await browse(cookie, 'GET', at(sessionPath, third)), 403, 'wrong_organization');
    assert.equal((await browse(cookie, 'GET', sessionPath)).status, 200);
  });

  test('needs the own provider of an organization that requires single sign-on', async () => {
    const { second, cookie } = await newCompanies();
    await app.db.transaction().execute((tx) => saveSignInPolicy(tx, second.orgId, true));
    const listed = (await browse(cookie, 'GET', path)).body.data;
    const asked = listed.find(({ id }: { id: string }) => id === second.orgId);
    assert.deepEqual([asked.single_sign_on_required, asked.is_entered], [true, false]);
    assertProblem(await enter(cookie, second), 403, 'single_sign_on_required');
    assertProblem(await browse(cookie, 'GET', at(sessionPath, second)), 403, 'wrong_organization');
  });
});

describe('the session of another organization', () => {
  test('is ended there alone, and with the session that it came from', async () => {
    const { first, second, third, ids, cookie } = await newCompanies();
    await enter(cookie, second);
    await enter(cookie, third);
    const ended = await browse(cookie, 'DELETE', at('/api/v1/sessions', second));
    assert.equal(ended.body.data.ended, 1);
    assert.equal(ended.headers['set-cookie'], undefined, 'the browser stays signed in');
    assertProblem(await browse(cookie, 'GET', at(sessionPath, second)), 403, 'wrong_organization');
    assert.equal((await browse(cookie, 'GET', at(sessionPath, third))).status, 200);
    await addMember(first, 'owner', 'mona@acme.test');
    await first.send('DELETE', `/api/v1/members/${ids[0]}`);
    await assertEnded(cookie);
    assertProblem(await browse(cookie, 'GET', at(sessionPath, third)), 401, 'session_ended');
    assert.deepEqual((await third.get('/api/v1/sessions?all=true')).body.data, []);
  });

  test('is signed out with the others, wherever the person signs out', async () => {
    const { second, third, cookie } = await newCompanies();
    await enter(cookie, second);
    await enter(cookie, third);
    assert.equal((await browse(cookie, 'DELETE', at(sessionPath, second))).status, 200);
    await assertEnded(cookie);
    for (const organization of [second, third]) {
      const log = (await organization.get('/api/v1/audit-log', { kind: 'session' })).body.data;
      assert.equal(log[0].action, 'session.end');
    }
    const rows = await app.db.selectFrom('sessions').select('id').where('orgId', '=', third.orgId).execute();
    assert.deepEqual(rows, []);
  });

  test('ends when the first one does', async () => {
    const { second, cookie } = await newCompanies();
    clock.forward(29 * 86_400);
    await enter(cookie, second);
    clock.forward(86_400);
    assertProblem(await browse(cookie, 'GET', at(sessionPath, second)), 401, 'session_ended');
  });
});

test('an organization is named by its login in addresses, or by its id where an older one has the same', async () => {
  const login = `acme-${crypto.randomUUID().slice(0, 8)}`;
  const older = await testApp.newOrganization();
  clock.forward(1);
  const younger = await testApp.newOrganization();
  const named = async ({ get }: TestOrganization) =>
    (await get(sessionPath)).body.data.organization.address_name;
  await older.send('PUT', '/api/v1/organization', { login });
  await younger.send('PUT', '/api/v1/organization', { login: login.toUpperCase() });
  assert.deepEqual([await named(older), await named(younger)], [login, younger.orgId]);
  await younger.send('PUT', '/api/v1/organization', { login: older.orgId });
  assert.equal(await named(younger), younger.orgId, 'the id of another');
});
