import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { sendConcurrently } from '../../../test/harness/sendConcurrently.ts';
import {
  assertCleared,
  browsersOf,
  cookieOf,
  newToken,
  sessionPath,
} from '../../../test/harness/sessions.ts';
import { buildServer } from '../../server.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const { browse, newSession, newCode, signIn, assertEnded } = browsersOf(testApp);
const path = '/api/v1/sessions';

async function addMember(organization: TestOrganization, email: string, role: string): Promise<string> {
  const answer = await organization.send('POST', '/api/v1/members', { email, role });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

/** An organization with a member who has signed in twice, with two tokens, and others who have signed in. */
async function company(role = 'member') {
  const organization = await testApp.newOrganization();
  const member_id = await addMember(organization, 'ada@acme.test', role);
  const other_id = await addMember(organization, 'bob@acme.test', 'viewer');
  const [laptop, phone] = [
    await newToken(organization, { member_id }),
    await newToken(organization, { member_id }),
  ];
  const bobs = await newToken(organization, { member_id: other_id });
  return {
    organization,
    memberId: member_id,
    otherId: other_id,
    laptop,
    phone,
    bobs,
    ada: [await newSession({ token: laptop.token }), await newSession({ token: phone.token })] as const,
    bob: await newSession({ token: bobs.token }),
    service: await newSession({ token: organization.token }),
    link: await newSession({ code: await newCode(organization) }),
  };
}

const idOf = (cookie: string) =>
  cookie.replace(/^runcost_session=runcost_session_\w{32}_(\w{20})_.*$/, 'ses_$1');

async function idsSeenBy(cookie: string, query = ''): Promise<string[]> {
  const answer = await browse(cookie, 'GET', `${path}${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.map(({ id }: { id: string }) => id).toSorted();
}

const idsOf = (...cookies: string[]) => cookies.map(idOf).toSorted();

async function assertGoesOn(...cookies: string[]): Promise<void> {
  for (const cookie of cookies) assert.equal((await browse(cookie, 'GET', sessionPath)).status, 200);
}

describe('the list of sessions', () => {
  test('has the start, end, address and last use of each, last used first', async () => {
    const organization = await testApp.newOrganization();
    const member_id = await addMember(organization, 'ada@acme.test', 'viewer');
    const { id, token } = await newToken(organization, { member_id, name: 'laptop' });
    const createdAt = clock.now();
    const firefox = `Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Firefox/145.0 ${'x'.repeat(300)}`;
    const headers = { 'user-agent': firefox };
    const first = cookieOf(await signIn({ token }, { from: '::ffff:192.0.2.7', headers }));
    clock.forward(60);
    const second = cookieOf(await signIn({ token }, { from: '2001:db8::0:7' }));
    const { body } = await browse(first, 'GET', path);
    assert.deepEqual(body.pagination, { total: 2, page: 1, per_page: 50 });
    assert.deepEqual(
      body.data.map((session: { id: string }) => session.id),
      [idOf(second), idOf(first)],
    );
    assert.deepEqual(body.data[1], {
      id: idOf(first),
      member: { id: member_id, email: 'ada@acme.test', name: null },
      token: { id, name: 'laptop' },
      role: 'viewer',
      address: '192.0.2.7',
      browser: 'Firefox on Linux',
      is_current: true,
      created_at: createdAt.toISOString(),
      last_seen_at: createdAt.toISOString(),
      expires_at: new Date(createdAt.getTime() + 30 * 86_400_000).toISOString(),
    });
    assert.deepEqual([body.data[0].address, body.data[0].is_current], ['2001:db8::7', false]);
    const stored = await app.db
      .selectFrom('sessions')
      .select('userAgent')
      .where('id', '=', idOf(first))
      .executeTakeFirstOrThrow();
    assert.equal(stored.userAgent, firefox.slice(0, 200));
    const paged = await browse(first, 'GET', `${path}?per_page=1&page=2`);
    assert.deepEqual(
      paged.body.data.map((each: { id: string }) => each.id),
      [idOf(first)],
    );
    const oldest = await browse(second, 'GET', `${path}?per_page=1&sort_by=created&sort_order=asc`);
    assert.equal(oldest.body.data[0].id, idOf(first));
    const addresses = await browse(second, 'GET', `${path}?sort_by=address`);
    assert.equal(addresses.body.data[0].id, idOf(second));
    assertProblem(await browse(first, 'GET', `${path}?sort_by=token`), 400, 'invalid_request', [
      'query.sort_by',
    ]);
  });

  test('has the address that a trusted proxy names', async () => {
    const { token } = await testApp.newOrganization();
    const on = await buildServer({ ...app, config: { ...app.config, trustedProxies: ['10.9.0.1'] } });
    const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' };
    const cookie = cookieOf(await signIn({ token }, { on, from: '10.9.0.1', headers }));
    assert.equal((await browse(cookie, 'GET', path)).body.data[0].address, '198.51.100.7');
  });

  test('has the last use of a session, accurate to five minutes', async () => {
    const { token } = await testApp.newOrganization();
    const cookie = await newSession({ token });
    const lastSeen = async () => (await browse(cookie, 'GET', path)).body.data[0].last_seen_at;
    const start = clock.now().toISOString();
    clock.forward(299);
    assert.equal(await lastSeen(), start);
    clock.forward(1);
    assert.equal(await lastSeen(), clock.now().toISOString());
  });

  test("has the caller's own: a member's of all tokens, a service account's, or those of sign-in links", async () => {
    const { ada, bob, service, link, organization, laptop } = await company();
    assert.deepEqual(await idsSeenBy(ada[0]), idsOf(...ada));
    assert.deepEqual(await idsSeenBy(bob), idsOf(bob));
    assert.deepEqual(await idsSeenBy(service), idsOf(service));
    assert.deepEqual(await idsSeenBy(link), idsOf(link));
    const headers = { authorization: `Bearer ${laptop.token}` };
    const { body } = await request(server, { method: 'GET', url: path, headers });
    assert.deepEqual(body.data.map(({ id }: { id: string }) => id).toSorted(), idsOf(...ada));
    assert.ok(body.data.every(({ is_current: isCurrent }: { is_current: boolean }) => !isCurrent));
    const stranger = await testApp.newOrganization();
    assert.deepEqual((await stranger.get(path, { all: 'true' })).body.data, []);
    assert.equal((await organization.get(path)).body.data.length, 1);
  });

  test("has a member's or everybody's for admins, and for nobody else", async () => {
    const { ada, bob, service, link, memberId, otherId, organization } = await company();
    assert.deepEqual(await idsSeenBy(service, `?member_id=${memberId}`), idsOf(...ada));
    assert.deepEqual(await idsSeenBy(service, '?all=true'), idsOf(...ada, bob, service, link));
    assert.deepEqual(await idsSeenBy(ada[0], `?member_id=${memberId}`), idsOf(...ada));
    const admin = await newSession({ token: await organization.newToken('admin') });
    assert.equal((await idsSeenBy(admin, '?all=true')).length, 6);
    for (const query of [`?member_id=${otherId}`, '?all=true']) {
      assertProblem(await browse(ada[0], 'GET', path + query), 403, 'role_too_low');
      assertProblem(await browse(ada[0], 'DELETE', path + query), 403, 'role_too_low');
      const narrow = await newSession({ token: await organization.newToken('owner', ['costs:read']) });
      assertProblem(await browse(narrow, 'GET', path + query), 403, 'scope_missing');
    }
    const strangers = await company();
    for (const id of ['mem_x', strangers.memberId]) {
      assertProblem(await organization.get(path, { member_id: id }), 404, 'member_not_found');
    }
    const both = await organization.get(path, { member_id: memberId, all: 'true' });
    assertProblem(both, 400, 'invalid_request', ['query.member_id']);
  });

  test('leaves out sessions that have ended', async () => {
    const { ada, bob, service, link, organization, phone } = await company();
    await organization.send('DELETE', `/api/v1/tokens/${phone.id}`);
    await browse(bob, 'DELETE', sessionPath);
    assert.deepEqual(await idsSeenBy(service, '?all=true'), idsOf(ada[0], service, link));
    clock.forward(30 * 86_400);
    assert.deepEqual((await organization.get(path, { all: 'true' })).body.data, []);
  });
});

describe('signing out everywhere', () => {
  test('ends all own sessions and links at once, and no token', async () => {
    const { ada, bob, service, link, organization, laptop } = await company();
    const unused = await newCode(organization, 900, laptop.id);
    const answer = await browse(ada[0], 'DELETE', path);
    assert.deepEqual([answer.status, answer.body], [200, { data: { ended: 2 } }]);
    assertCleared(answer);
    for (const cookie of ada) await assertEnded(cookie);
    assertProblem(await signIn({ code: unused }), 401, 'invalid_code');
    await assertGoesOn(bob, service, link);
    await newSession({ token: laptop.token });
    const [entry] = (await organization.get('/api/v1/audit-log', { per_page: 2 })).body.data.slice(1);
    assert.deepEqual([entry.action, entry.actor], ['session.end_all', 'session of ada@acme.test']);
    assert.deepEqual(entry.details, { of: 'member', sessions: 2, unused_links: 1 });
  });

  test('with a token ends the sessions of its holder, and clears no cookie', async () => {
    const { ada, bob, laptop, service, link } = await company();
    const headers = { authorization: `Bearer ${laptop.token}` };
    const answer = await request(server, { method: 'DELETE', url: path, headers });
    assert.deepEqual([answer.body, answer.headers['set-cookie']], [{ data: { ended: 2 } }, undefined]);
    for (const cookie of ada) await assertEnded(cookie);
    await assertGoesOn(bob, service, link);
    const again = await request(server, { method: 'DELETE', url: path, headers });
    assert.deepEqual(again.body, { data: { ended: 0 } });
  });

  test('from a sign-in link ends those of all links, from a service account its own', async () => {
    const { ada, bob, service, link, organization } = await company();
    const other = await newSession({ code: await newCode(organization) });
    const unused = await newCode(organization);
    assert.deepEqual((await browse(link, 'DELETE', path)).body, { data: { ended: 2 } });
    await assertEnded(link);
    await assertEnded(other);
    assertProblem(await signIn({ code: unused }), 401, 'invalid_code');
    assert.deepEqual((await browse(service, 'DELETE', path)).body, { data: { ended: 1 } });
    await assertEnded(service);
    await assertGoesOn(...ada, bob);
  });

  test('lets an admin do it for a member who is no owner, and an owner for everybody', async () => {
    const { ada, bob, service, link, otherId, memberId, organization } = await company('owner');
    const admin = await newSession({ token: await organization.newToken('admin') });
    const ended = await browse(admin, 'DELETE', `${path}?member_id=${otherId}`);
    assert.deepEqual([ended.body, ended.headers['set-cookie']], [{ data: { ended: 1 } }, undefined]);
    await assertEnded(bob);
    assertProblem(await browse(admin, 'DELETE', `${path}?member_id=${memberId}`), 403, 'role_too_low');
    assertProblem(await browse(admin, 'DELETE', `${path}?all=true`), 403, 'role_too_low');
    await assertGoesOn(...ada, service, link, admin);
    const strangers = await company();
    const all = await browse(service, 'DELETE', `${path}?all=true`);
    assert.deepEqual(all.body, { data: { ended: 5 } });
    assertCleared(all);
    for (const cookie of [...ada, service, link, admin]) await assertEnded(cookie);
    await assertGoesOn(strangers.service, strangers.link);
  });
});

describe('ending one session', () => {
  test("is allowed for the caller's own, and for none of another organization", async () => {
    const { ada, bob, service } = await company();
    const other = await browse(ada[0], 'DELETE', `${path}/${idOf(ada[1])}`);
    assert.deepEqual(other.body, { data: { id: idOf(ada[1]), ended: true } });
    assert.equal(other.headers['set-cookie'], undefined);
    await assertEnded(ada[1]);
    assertProblem(await browse(ada[0], 'DELETE', `${path}/${idOf(ada[1])}`), 404, 'session_not_found');
    assertProblem(await browse(ada[0], 'DELETE', `${path}/${idOf(bob)}`), 404, 'session_not_found');
    const stranger = await company();
    assertProblem(await browse(stranger.service, 'DELETE', `${path}/${idOf(bob)}`), 404, 'session_not_found');
    assertCleared(await browse(ada[0], 'DELETE', `${path}/${idOf(ada[0])}`));
    await assertEnded(ada[0]);
    await assertGoesOn(bob, service);
  });

  test('is allowed to admins if the role is not above their own', async () => {
    const { bob, service, link, organization } = await company();
    const admin = await newSession({ token: await organization.newToken('admin') });
    for (const owners of [service, link]) {
      assertProblem(await browse(admin, 'DELETE', `${path}/${idOf(owners)}`), 403, 'role_too_low');
    }
    assert.equal((await browse(admin, 'DELETE', `${path}/${idOf(bob)}`)).status, 200);
    await assertEnded(bob);
    await assertGoesOn(service, link);
    const [entry] = (await organization.get('/api/v1/audit-log')).body.data;
    assert.deepEqual([entry.action, entry.target], ['session.end', idOf(bob)]);
  });
});

describe('sessions of sign-in links', () => {
  test('end when any member is removed, except the one that removes', async () => {
    const { ada, service, link, otherId, organization } = await company();
    const mine = await newSession({ code: await newCode(organization) });
    const unused = await newCode(organization);
    const ofToken = await newCode(organization, 900, (await newToken(organization)).id);
    const removed = await browse(mine, 'DELETE', `/api/v1/members/${otherId}`);
    assert.equal(removed.status, 200, removed.text);
    await assertEnded(link);
    assertProblem(await signIn({ code: unused }), 401, 'invalid_code');
    await assertGoesOn(mine, ...ada, service, await newSession({ code: ofToken }));
  });

  test('end when a token removes a member, but not when the member cannot be removed', async () => {
    const { link, memberId, organization } = await company('owner');
    assertProblem(await organization.send('DELETE', `/api/v1/members/${memberId}`), 409, 'last_owner');
    await assertGoesOn(link);
    await addMember(organization, 'zoe@acme.test', 'owner');
    assert.equal((await organization.send('DELETE', `/api/v1/members/${memberId}`)).status, 200);
    await assertEnded(link);
  });

  test('end with the last active token, and no sooner', async () => {
    const organization = await testApp.newOrganization();
    const link = await newSession({ code: await newCode(organization) });
    const mine = await newSession({ code: await newCode(organization) });
    const soon = new Date(clock.now().getTime() + 60_000).toISOString();
    await newToken(organization, { expires_at: soon });
    const { data: tokens } = (await organization.get('/api/v1/tokens')).body;
    const first = tokens.find(({ name }: { name: string }) => name === 'test').id;
    const revoke = (id: string) => browse(mine, 'DELETE', `/api/v1/tokens/${id}`);
    assert.equal((await revoke(first)).status, 200);
    await assertGoesOn(link, mine);
    clock.forward(60);
    assert.equal((await revoke(first)).status, 200);
    await assertEnded(link);
    await assertGoesOn(mine);
  });

  test('end when the last two active tokens are revoked at the same moment', async () => {
    const { link, organization, laptop, phone, bobs } = await company();
    for (const { id } of [laptop, phone]) await organization.send('DELETE', `/api/v1/tokens/${id}`);
    const { data: tokens } = (await organization.get('/api/v1/tokens')).body;
    const first = tokens.find(({ name }: { name: string }) => name === 'test').id;
    const owner = await newSession({ code: await newCode(organization) });
    const requests = [first, bobs.id].map((id) => () => browse(owner, 'DELETE', `/api/v1/tokens/${id}`));
    const revoked = await sendConcurrently(testApp, 'tokens', organization.orgId, requests);
    assert.deepEqual(
      revoked.map(({ status }) => status),
      [200, 200],
    );
    await assertEnded(link);
  });

  test('end even when their link is used at the same moment', async () => {
    const { organization, otherId } = await company();
    const codes = await Promise.all(Array.from({ length: 8 }, () => newCode(organization)));
    const [removed, ...answers] = await Promise.all([
      organization.send('DELETE', `/api/v1/members/${otherId}`),
      ...codes.map((code) => signIn({ code })),
    ]);
    assert.equal(removed.status, 200);
    for (const answer of answers) if (answer.status === 201) await assertEnded(cookieOf(answer));
  });
});
