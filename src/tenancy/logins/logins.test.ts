import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, cookieOf, newTokenHolder } from '../../../test/harness/sessions.ts';
import { scopes } from '../../platform/lib/actor.ts';
import { hashSecret } from '../tokens/tokens.ts';

const testApp = await startTestApp();
const { app, clock, server } = testApp;
const { browse, newAddress, newCode, newSession } = browsersOf(testApp);

type Started = { secret: string; code: string };

const post = (path: string, payload: object, from = newAddress()) =>
  request(server, { method: 'POST', url: `/api/v1${path}`, payload, remoteAddress: from });

async function start(name = 'ada@laptop', from = newAddress()): Promise<Started> {
  const answer = await post('/logins', { name }, from);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

const poll = ({ secret }: Started) => post('/logins/poll', { secret });
const decide = (cookie: string, { code }: Started, decision: 'approve' | 'deny') =>
  browse(cookie, 'POST', `/api/v1/logins/${code}/${decision}`);
const show = (cookie: string, code: string) => browse(cookie, 'GET', `/api/v1/logins/${code}`);

const whoIs = (token: string) =>
  request(server, { method: 'GET', url: '/api/v1/session', headers: { authorization: `Bearer ${token}` } });

let people = 0;

/** A member who is signed in without a token. */
async function newPerson(organization: TestOrganization, role: string) {
  const invited = await organization.send('POST', '/api/v1/invitations', { role });
  const invitation = invited.body.data.link.split('#')[1];
  const email = `person${++people}@acme.test`;
  const answer = await post('/invitation/accept', { invitation, email, name: 'Ada' });
  assert.equal(answer.status, 201, answer.text);
  return { email, cookie: cookieOf(answer) };
}

async function memberIdOf(organization: TestOrganization, email: string): Promise<string> {
  const { data } = (await organization.get('/api/v1/members')).body;
  return data.find((each: { email: string }) => each.email === email).id;
}

test('a login waits until a member confirms it, and then gets a token of that member, once', async () => {
  const organization = await testApp.newOrganization();
  const { cookie, email } = await newPerson(organization, 'member');
  const answer = await post('/logins', { name: 'ada@laptop' }, '192.0.2.7');
  const { secret, code, ...rest } = answer.body.data;
  assert.match(secret, /^runcost_login_[\w-]{43}$/);
  assert.match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  const inMinutes = (minutes: number) => new Date(clock.now().getTime() + minutes * 60_000).toISOString();
  assert.deepEqual(rest, {
    confirm_url: `${app.publicUrl()}/confirm-login?code=${code}`,
    expires_at: inMinutes(15),
    interval_seconds: 2,
  });
  const login = { secret, code };
  for (let count = 0; count < 2; count++) {
    const waiting = await poll(login);
    assert.deepEqual([waiting.status, waiting.body.data], [202, { status: 'waiting' }]);
    assert.equal(waiting.headers['cache-control'], 'no-store');
  }
  const shown = {
    code,
    name: 'ada@laptop',
    address: '192.0.2.7',
    created_at: inMinutes(0),
    expires_at: inMinutes(15),
  };
  const typed = code.replace('-', ' ').toLowerCase();
  assert.deepEqual((await show(cookie, encodeURIComponent(typed))).body.data, {
    ...shown,
    status: 'waiting',
  });
  const approved = await decide(cookie, login, 'approve');
  assert.deepEqual([approved.status, approved.body.data], [200, { ...shown, status: 'approved' }]);
  assert.equal((await show(cookie, code)).body.data.status, 'approved');

  const [first, second] = await Promise.all([poll(login), poll(login)]);
  const [done, other] = first.status === 200 ? [first, second] : [second, first];
  assertProblem(other, 404, 'login_expired');
  const { token, token_id: id, ...facts } = done.body.data;
  assert.deepEqual(facts, {
    status: 'approved',
    expires_at: inMinutes(90 * 24 * 60),
    org_id: organization.orgId,
    organization: 'Acme',
    member: { email, name: 'Ada' },
    role: 'member',
    scopes: [...scopes],
  });
  assertProblem(await show(cookie, code), 404, 'login_not_found');
  const session = await whoIs(token);
  const { kind, member, token: named, role } = session.body.data;
  assert.deepEqual([kind, member.email, named, role], ['token', email, { id, name: 'ada@laptop' }, 'member']);

  const memberId = await memberIdOf(organization, email);
  const { data } = (await organization.get('/api/v1/audit-log')).body;
  assert.equal(data[0].actor, `session of ${email}`);
  const details = { name: 'ada@laptop', role: 'member', scopes: [...scopes], member_id: memberId };
  assert.deepEqual([data[0].action, data[0].target], ['token.create', id]);
  assert.deepEqual(data[0].details, { ...details, login_from: '192.0.2.7' });
  await organization.send('DELETE', `/api/v1/members/${memberId}`);
  const after = await whoIs(token);
  assertProblem(after, 401, 'invalid_token');
});

test('only hashes of the secret and the code are stored, and neither is logged', async () => {
  const { secret, code } = await start();
  await poll({ secret, code });
  const { rows } = await sql<{ row: string }>`select l::text as row from logins l`.execute(app.db);
  assert.ok(rows.length > 0);
  for (const text of [secret, code, code.replace('-', '')]) {
    const hex = Buffer.from(text).toString('hex');
    for (const { row } of rows) assert.ok(!row.includes(text) && !row.includes(hex));
    assert.ok(!testApp.logged().includes(text));
  }
});

test('a refused login gets no token, and nobody confirms it after that', async () => {
  const organization = await testApp.newOrganization();
  const { cookie } = await newPerson(organization, 'viewer');
  const login = await start();
  assert.equal((await decide(cookie, login, 'deny')).body.data.status, 'denied');
  assertProblem(await decide(cookie, login, 'approve'), 409, 'login_decided');
  assertProblem(await decide(cookie, login, 'deny'), 409, 'login_decided');
  for (let count = 0; count < 2; count++) assertProblem(await poll(login), 403, 'login_denied');
});

test('after fifteen minutes a login has ended, and its row goes', async () => {
  const organization = await testApp.newOrganization();
  const { cookie } = await newPerson(organization, 'viewer');
  const login = await start('expired');
  clock.forward(15 * 60);
  assertProblem(await poll(login), 404, 'login_expired');
  assertProblem(await show(cookie, login.code), 404, 'login_not_found');
  assertProblem(await decide(cookie, login, 'approve'), 404, 'login_not_found');
  await testApp.worker.processAll();
  const { rows } = await sql`select 1 from logins where name = 'expired'`.execute(app.db);
  assert.deepEqual(rows, []);
  assertProblem(await poll({ secret: 'nonsense', code: '' }), 404, 'login_expired');
});

describe('who may confirm a login', () => {
  test('no token, not even of an owner', async () => {
    const organization = await testApp.newOrganization();
    const login = await start();
    for (const decision of ['approve', 'deny']) {
      const answer = await organization.send('POST', `/api/v1/logins/${login.code}/${decision}`);
      assertProblem(answer, 403, 'session_required');
    }
    const asOperator = await organization.send(
      'POST',
      `/api/v1/logins/${login.code}/approve?org_id=${organization.orgId}`,
      undefined,
      app.operatorToken,
    );
    assertProblem(asOperator, 403, 'session_required');
    assert.equal((await poll(login)).status, 202);
  });

  test('no session that a token started, unless it may create tokens', async () => {
    const organization = await testApp.newOrganization();
    const { token } = await newTokenHolder(organization, 'Bob', 'member');
    const login = await start();
    const cookie = await newSession({ token });
    assertProblem(await decide(cookie, login, 'approve'), 403, 'member_required');
    const readers = await organization.newToken('owner', ['costs:read']);
    const reading = await newSession({ token: readers });
    assertProblem(await decide(reading, login, 'approve'), 403, 'member_required');
    const admins = await newSession({ token: await organization.newToken('admin') });
    assert.equal((await decide(admins, login, 'approve')).status, 200);
    const { role, member } = (await poll(login)).body.data;
    assert.deepEqual([role, member], ['admin', null]);
  });

  test('the session of a sign-in link, whose token belongs to nobody', async () => {
    const organization = await testApp.newOrganization();
    const cookie = await newSession({ code: await newCode(organization) });
    const login = await start();
    assert.equal((await decide(cookie, login, 'approve')).status, 200);
    const { role, member, org_id: orgId } = (await poll(login)).body.data;
    assert.deepEqual([role, member, orgId], ['owner', null, organization.orgId]);
  });

  test('not a page of another site', async () => {
    const organization = await testApp.newOrganization();
    const { cookie } = await newPerson(organization, 'viewer');
    const { code } = await start();
    const answer = await browse(cookie, 'POST', `/api/v1/logins/${code}/approve`, {
      origin: 'https://evil.test',
    });
    assertProblem(answer, 403, 'origin_refused');
  });
});

test('a member who lost rights or left before the token was made has no more with it', async () => {
  const organization = await testApp.newOrganization();
  const { cookie, email } = await newPerson(organization, 'admin');
  const path = `/api/v1/members/${await memberIdOf(organization, email)}`;
  const [lowered, orphaned] = [await start(), await start()];
  for (const login of [lowered, orphaned]) assert.equal((await decide(cookie, login, 'approve')).status, 200);
  await organization.send('PUT', path, { role: 'viewer' });
  const { token } = (await poll(lowered)).body.data;
  const session = await whoIs(token);
  assert.equal(session.body.data.role, 'viewer');
  await organization.send('DELETE', path);
  assertProblem(await poll(orphaned), 404, 'login_expired');
  const cookieOfLink = await newSession({ code: await newCode(organization) });
  const homeless = await start();
  assert.equal((await decide(cookieOfLink, homeless, 'approve')).status, 200);
  await organization.send('DELETE', '/api/v1/organization?confirm=Acme');
  assertProblem(await poll(homeless), 404, 'login_expired');
});

describe('revoking all tokens ends a confirmed login that has no token yet', () => {
  const confirmed = async () => {
    const organization = await testApp.newOrganization();
    const { cookie } = await newPerson(organization, 'admin');
    const login = await start();
    assert.equal((await decide(cookie, login, 'approve')).status, 200);
    return { organization, login };
  };

  test('before its poll', async () => {
    const { organization, login } = await confirmed();
    const other = await confirmed();
    assert.equal((await organization.send('POST', '/api/v1/tokens/revoke-all')).status, 200);
    assertProblem(await poll(login), 404, 'login_expired');
    assert.equal((await poll(other.login)).status, 200);
  });

  test('at the same time, whichever comes first', async () => {
    for (let count = 0; count < 10; count++) {
      const { organization, login } = await confirmed();
      const revoke = () => organization.send('POST', '/api/v1/tokens/revoke-all');
      const both = count % 2 === 0 ? [revoke(), poll(login)] : [poll(login), revoke()];
      const answers = await Promise.all(both);
      const [revoked, polled] = count % 2 === 0 ? answers : answers.toReversed();
      assert.equal(revoked!.status, 200, revoked!.text);
      if (polled!.status === 200) assert.equal((await whoIs(polled!.body.data.token)).status, 401);
      else assertProblem(polled!, 404, 'login_expired');
    }
  });

  test('while its poll holds it', async () => {
    const { organization, login } = await confirmed();
    const { db } = app;
    const poller = await db.startTransaction().execute();
    const secretHash = hashSecret(login.secret);
    await poller.selectFrom('logins').selectAll().where('secretHash', '=', secretHash).forUpdate().execute();
    const revoked = organization.send('POST', '/api/v1/tokens/revoke-all');
    const waiting = sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await waiting.execute(db)).rows.length === 0) await setImmediate();
    // What the poll locks next. It would be a deadlock if the other had it already.
    const org = poller.selectFrom('organizations').select('orgId').where('orgId', '=', organization.orgId);
    await org.forUpdate().execute();
    await poller.commit().execute();
    assert.equal((await revoked).status, 200);
    assertProblem(await poll(login), 404, 'login_expired');
  });
});

test('logins, polls and codes are limited by network', async () => {
  const organization = await testApp.newOrganization();
  const { cookie } = await newPerson(organization, 'viewer');
  const from = newAddress();
  for (let count = 0; count < 20; count++) await start('ada@laptop', from);
  const answer = await post('/logins', { name: 'ada@laptop' }, from);
  assertProblem(answer, 429, 'rate_limited');
  assert.ok(Number(answer.headers['retry-after']) > 0);
  for (let count = 0; count < 300; count++) await post('/logins/poll', { secret: 'x' }, from);
  assertProblem(await post('/logins/poll', { secret: 'x' }, from), 429, 'rate_limited');
  clock.forward(60);
  for (let count = 0; count < 60; count++) await show(cookie, 'BBBBBBBB');
  assertProblem(await show(cookie, 'BBBBBBBB'), 429, 'rate_limited');
  clock.forward(60);
});

test('a name is a short text on one line', async () => {
  for (const name of ['', ' ', 'a\nb', 'a'.repeat(101)])
    assertProblem(await post('/logins', { name }), 400, 'invalid_request', ['body.name']);
});
