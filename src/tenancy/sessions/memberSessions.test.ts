import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, newMember, newToken, sessionPath } from '../../../test/harness/sessions.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { createSignInCode, signInMember } from './signIn.ts';

const testApp = await startTestApp();
const { app } = testApp;
const { browse, newSession, newCode, assertEnded } = browsersOf(testApp);

async function signInAs(orgId: string, memberId: string): Promise<string> {
  const { text } = await app.db
    .transaction()
    .execute((tx) => signInMember(tx, app, { orgId, memberId, from: '203.0.113.7' }));
  return `runcost_session=${text}`;
}

async function codeOf({ orgId }: TestOrganization, memberId: string): Promise<string> {
  const ctx = { ...app, actor: cliActor(orgId) };
  return createSignInCode(ctx, { validSeconds: 900, tokenId: null, memberId });
}

test("a member's session and link have the member's own role, and end with the member", async () => {
  const organization = await testApp.newOrganization();
  const memberId = await newMember(organization, 'viewer');
  const byIdentity = await signInAs(organization.orgId, memberId);
  const byLink = await newSession({ code: await codeOf(organization, memberId) });
  const unused = await codeOf(organization, memberId);
  for (const cookie of [byIdentity, byLink]) {
    const { data } = (await browse(cookie, 'GET', sessionPath)).body;
    assert.deepEqual([data.member.email, data.role], ['ada@acme.test', 'viewer']);
    assertProblem(await browse(cookie, 'PUT', '/api/v1/organization', { payload: {} }), 403, 'role_too_low');
  }
  await organization.send('PUT', `/api/v1/members/${memberId}`, { role: 'admin' });
  const renamed = await browse(byIdentity, 'PUT', '/api/v1/organization', { payload: { name: 'Acme 2' } });
  assert.equal(renamed.status, 200, renamed.text);
  const log = (await organization.get('/api/v1/audit-log?kind=session')).body.data;
  assert.deepEqual(log[1].details, { member_id: memberId, address: '203.0.113.7' });
  assert.equal(log[1].actor, 'session of ada@acme.test');
  await organization.send('DELETE', `/api/v1/members/${memberId}`);
  for (const cookie of [byIdentity, byLink]) await assertEnded(cookie);
  const late = await testApp.server.inject({ method: 'POST', url: sessionPath, payload: { code: unused } });
  assert.equal(late.statusCode, 401);
});

test("a member's sessions are listed and ended with those of their tokens, and are none of sign-in links", async () => {
  const organization = await testApp.newOrganization();
  const memberId = await newMember(organization, 'member');
  const { token } = await newToken(organization, { role: 'member', member_id: memberId });
  const ofToken = await newSession({ token });
  const own = await signInAs(organization.orgId, memberId);
  const link = await newSession({ code: await newCode(organization) });
  const idsOf = async (cookie: string) => (await browse(cookie, 'GET', '/api/v1/sessions')).body.data;
  assert.deepEqual(
    (await idsOf(own))
      .map(({ token: of, member }: { token: object | null; member: object }) => [
        of !== null,
        member !== null,
      ])
      .toSorted(),
    [
      [false, true],
      [true, true],
    ],
  );
  assert.equal((await idsOf(link)).length, 1, 'only links');
  assert.equal((await browse(link, 'DELETE', '/api/v1/sessions')).body.data.ended, 1);
  assert.equal((await idsOf(own)).length, 2);
  assert.equal((await browse(ofToken, 'DELETE', '/api/v1/sessions')).body.data.ended, 2);
  await assertEnded(own);
});

test('a row of a session or link has a token or a member, never both', async () => {
  const organization = await testApp.newOrganization();
  const memberId = await newMember(organization, 'member');
  const { id: tokenId } = await newToken(organization, { role: 'member' });
  const ctx = { ...app, actor: cliActor(organization.orgId) };
  await assert.rejects(createSignInCode(ctx, { validSeconds: 60, tokenId, memberId }), /check/);
});

test('admins see when each member last used a session or a token, of their own organization only', async () => {
  const organization = await testApp.newOrganization();
  const other = await testApp.newOrganization();
  const memberId = await newMember(organization, 'member');
  const otherId = await newMember(other, 'member');
  const listed = async ({ get }: Pick<TestOrganization, 'get'>) =>
    (await get('/api/v1/members')).body.data.map(({ id, last_seen_at: at }: Record<string, string>) => [
      id,
      at,
    ]);
  assert.deepEqual(await listed(organization), [[memberId, null]]);
  const now = testApp.clock.now().toISOString();
  const cookie = await signInAs(organization.orgId, memberId);
  assert.deepEqual(await listed(organization), [[memberId, now]]);
  assert.deepEqual(await listed(other), [[otherId, null]]);
  const { token } = await newToken(other, { role: 'member', member_id: otherId });
  await newSession({ token });
  assert.deepEqual(await listed(other), [[otherId, now]]);
  const asMember = await browse(cookie, 'GET', '/api/v1/members');
  assert.deepEqual([asMember.status, asMember.body.data[0].last_seen_at], [200, null]);
  for (const [seconds, seen] of [
    [3_000, now],
    [600, new Date(Date.parse(now) + 3_600_000).toISOString()],
  ] as const) {
    testApp.clock.forward(seconds);
    await browse(cookie, 'GET', sessionPath);
    assert.deepEqual(await listed(organization), [[memberId, seen]], 'written once an hour');
  }
  const beforeSignOut = await listed(organization);
  await browse(cookie, 'DELETE', sessionPath);
  await assertEnded(cookie);
  assert.deepEqual(await listed(organization), beforeSignOut);
});
