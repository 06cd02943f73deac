import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { startIssuer } from '../../../test/harness/issuer.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, newMember, newToken, sessionPath } from '../../../test/harness/sessions.ts';
import { companiesOf, cookieNamed, setCookiesOf } from '../../../test/harness/signIns.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const { browse, signIn, newCode, newSession, assertEnded } = browsersOf(testApp);
const issuer = await startIssuer([app.publicUrl()]);
const path = '/api/v1/identity-providers';

const { newCompany, start, finish, enter, entered, auditOf } = companiesOf(testApp, issuer);
const withToken = (token: string, url: string) =>
  request(server, { method: 'GET', url, headers: { authorization: `Bearer ${token}` } });
const ada = { email: 'ada@acme.test', email_verified: true, name: 'Ada' };

describe('sign-in by OpenID Connect', () => {
  test('makes a member of an allowed domain, and knows the subject again after a new email', async () => {
    const { organization, id } = await newCompany();
    issuer.accounts.set('s-1', ada);
    const first = await enter(organization, id, 's-1', { to: '/waste?days=7' });
    assert.equal(first.headers.location, '/waste?days=7');
    assert.match(setCookiesOf(first).join('\n'), /runcost_sign_in=; .*Max-Age=0/);
    const session = (await browse(cookieNamed(first, 'runcost_session'), 'GET', sessionPath)).body.data;
    assert.deepEqual([session.member, session.role], [{ email: ada.email, name: 'Ada' }, 'viewer']);
    issuer.accounts.set('s-1', { ...ada, email: 'countess@elsewhere.test', email_verified: false });
    const again = await entered(organization, id, 's-1');
    assert.equal((await browse(again, 'GET', sessionPath)).body.data.member.email, ada.email);
    assert.equal((await organization.get('/api/v1/members')).body.data.length, 1);
    const [signedIn] = await auditOf(organization, 'session.create');
    assert.equal(signedIn.details.provider, 'Acme');
  });

  test('refuses with a page that says what to do, and writes it down', async () => {
    const { organization, id } = await newCompany();
    for (const [subject, account, why, text] of [
      ['u-1', { email: 'eve@acme.test', email_verified: false }, 'email_unverified', /Verify it there/],
      ['u-2', { email: 'eve@acme.test' }, 'email_unverified', /Verify it there/],
      ['u-3', { email: 'eve@evil.test', email_verified: true }, 'domain_not_allowed', /Ask an admin to add/],
      ['u-4', { email: 'eve@sub.acme.test', email_verified: true }, 'domain_not_allowed', /Ask an admin/],
      ['u-5', {}, 'email_missing', /did not share/],
    ] as const) {
      issuer.accounts.set(subject, account);
      const answer = await enter(organization, id, subject);
      assert.equal(answer.status, 403);
      assert.match(answer.text, text);
      assert.match(String(answer.headers['content-type']), /text\/html/);
      assert.ok(!setCookiesOf(answer).join().includes('runcost_session'));
      const [{ details, actor }] = await auditOf(organization, 'sign_in.refuse');
      assert.deepEqual([actor, details.why, details.subject], ['single sign-on', why, subject]);
    }
    const refusals = async () => (await auditOf(organization, 'sign_in.refuse')).length;
    assert.equal((await enter(organization, id, 'u-5')).status, 403);
    assert.equal(await refusals(), 5, 'once a minute for a person');
    clock.forward(60);
    assert.equal((await enter(organization, id, 'u-5')).status, 403);
    assert.equal(await refusals(), 6);
    assert.deepEqual((await organization.get('/api/v1/members')).body.data, []);
  });

  test('lets a member of any domain in by email, and no second subject with that email', async () => {
    const { organization, id } = await newCompany({ allowed_domains: [], default_role: null });
    await newMember(organization, 'admin');
    issuer.accounts.set('m-1', ada);
    const cookie = await entered(organization, id, 'm-1');
    assert.equal((await browse(cookie, 'GET', sessionPath)).body.data.role, 'admin');
    issuer.accounts.set('m-2', ada);
    const other = await enter(organization, id, 'm-2');
    assert.equal(other.status, 403);
    assert.match(other.text, /signs in with another account/);
    issuer.accounts.set('m-3', { ...ada, email: 'bob@acme.test' });
    assert.equal((await enter(organization, id, 'm-3')).status, 403);
  });

  test('ends what somebody else began under an address, and takes an invitation to it once', async () => {
    const { organization, id } = await newCompany({ allowed_domains: [], default_role: null });
    const { token } = await newToken(organization, { member_id: await newMember(organization, 'owner') });
    const earlier = await newSession({ token });
    assert.equal((await withToken(token, '/api/v1/members')).status, 200);
    const invitation = { email: 'Grace@other.test', role: 'admin' };
    assert.equal((await organization.send('POST', '/api/v1/invitations', invitation)).status, 201);
    issuer.accounts.set('i-1', ada);
    await entered(organization, id, 'i-1');
    await assertEnded(earlier);
    assertProblem(await withToken(token, '/api/v1/members'), 401, 'invalid_token');
    const [{ details }] = await auditOf(organization, 'token.revoke_all');
    assert.deepEqual(details, { of: 'member', tokens: 1, why: 'address_proven' });
    issuer.accounts.set('i-2', { ...ada, email: 'grace@other.test' });
    const cookie = await entered(organization, id, 'i-2');
    assert.equal((await browse(cookie, 'GET', sessionPath)).body.data.role, 'admin');
    assert.deepEqual((await organization.get('/api/v1/invitations')).body.data, []);
  });

  test('refuses a wrong state, a replay, another browser, a late one, and an answer of another issuer', async () => {
    const { organization, id } = await newCompany();
    issuer.accounts.set('r-1', ada);
    issuer.next.subject = 'r-1';
    const { location, cookie } = await start(organization, id);
    const callback = await issuer.walk(location);
    const changed = (name: string, value: string) => {
      const url = new URL(callback);
      url.searchParams.set(name, value);
      return url;
    };
    assert.equal((await finish(callback, null)).status, 400);
    assert.equal((await finish(changed('state', 'other'), cookie)).status, 400);
    assert.equal((await finish(callback, cookie.replace(/=../, '=AA'))).status, 400);
    const { orgId } = (await newCompany()).organization;
    const elsewhere = new URL(callback.href.replace(organization.orgId, orgId));
    assert.equal((await finish(elsewhere, cookie)).status, 400, "at another organization's address");
    const mine = await start(organization, id);
    assert.equal((await finish(callback, mine.cookie)).status, 400, "another attempt's cookie");
    assert.equal((await finish(callback, cookie)).status, 302);
    issuer.asked.length = 0;
    assert.equal((await finish(callback, cookie)).status, 400, 'the answer is used');
    assert.equal((await finish(changed('code', 'guessed'), cookie)).status, 400);
    assert.deepEqual(issuer.asked, [], 'one start sends the issuer one code');
    const mixed = await start(organization, id);
    const mixedCallback = await issuer.walk(mixed.location);
    mixedCallback.searchParams.set('iss', 'https://evil.test');
    assert.equal((await finish(mixedCallback, mixed.cookie)).status, 503);
    const late = await start(organization, id);
    const lateCallback = await issuer.walk(late.location);
    clock.forward(601);
    assert.equal((await finish(lateCallback, late.cookie)).status, 400);
    const denied = await start(organization, id);
    const state = new URL(denied.location).searchParams.get('state')!;
    const refused = changed('state', state);
    refused.searchParams.set('error', 'access_denied');
    assert.equal((await finish(refused, denied.cookie)).status, 403);
  });

  test('refuses an ID token with another nonce', async () => {
    const { organization, id } = await newCompany();
    issuer.accounts.set('n-1', ada);
    issuer.next.subject = 'n-1';
    const { location, cookie } = await start(organization, id);
    const other = new URL(location);
    other.searchParams.set('nonce', 'other-nonce');
    assert.equal((await finish(await issuer.walk(other.href), cookie)).status, 503);
    assert.match(testApp.logged(), /unexpected JWT claim value encountered/);
  });

  test('leads to pages of its own only', async () => {
    const { organization, id } = await newCompany();
    issuer.accounts.set('o-1', ada);
    for (const to of [
      '//evil.test',
      'https://evil.test/',
      String.raw`/\evil.test`,
      '/sign-in/start?x',
      '/ /x',
    ]) {
      assert.equal((await enter(organization, id, 'o-1', { to })).headers.location, '/', to);
    }
  });
});

describe('groups', () => {
  const group_roles = [
    { group: 'ci-admins', role: 'admin' },
    { group: 'ci', role: 'member' },
  ];

  test('give the role at every sign-in, and keep out who has none', async () => {
    const { organization, id } = await newCompany({ group_roles, default_role: null });
    const as = async (groups: string[]) => {
      issuer.accounts.set('g-1', { ...ada, groups });
      const answer = await enter(organization, id, 'g-1');
      if (answer.status !== 302) return answer.status;
      return (await browse(cookieNamed(answer, 'runcost_session'), 'GET', sessionPath)).body.data.role;
    };
    assert.equal(await as(['other']), 403);
    assert.equal(await as(['ci', 'ci-admins']), 'admin');
    assert.equal(await as(['ci']), 'member');
    assert.equal(await as([]), 403);
  });

  test('never demote the last owner', async () => {
    const { organization, id } = await newCompany({ group_roles });
    await newMember(organization, 'owner');
    issuer.accounts.set('l-1', { ...ada, groups: ['ci'] });
    const roleOf = async () =>
      (await browse(await entered(organization, id, 'l-1'), 'GET', sessionPath)).body.data.role;
    assert.equal(await roleOf(), 'owner');
    await organization.send('POST', '/api/v1/members', { email: 'bob@acme.test', role: 'owner' });
    assert.equal(await roleOf(), 'member');
  });

  test('are asked again after 15 minutes: a lost group or account ends the session', async () => {
    const { organization, id } = await newCompany({ group_roles, default_role: null });
    issuer.accounts.set('c-1', { ...ada, groups: ['ci-admins'] });
    const cookie = await entered(organization, id, 'c-1');
    const roleNow = async () => (await browse(cookie, 'GET', sessionPath)).body.data?.role;
    issuer.accounts.set('c-1', { ...ada, groups: ['ci'] });
    assert.equal(await roleNow(), 'admin');
    clock.forward(15 * 60 + 1);
    const roles = await Promise.all([roleNow(), roleNow(), roleNow()]);
    assert.deepEqual(roles, ['member', 'member', 'member']);
    issuer.accounts.set('c-1', { ...ada, groups: [] });
    assert.equal(await roleNow(), 'member', 'not yet');
    clock.forward(15 * 60 + 1);
    await assertEnded(cookie);
    issuer.accounts.set('c-2', { ...ada, email: 'bob@acme.test', groups: ['ci'] });
    const bobs = await entered(organization, id, 'c-2');
    issuer.accounts.delete('c-2');
    clock.forward(15 * 60 + 1);
    await assertEnded(bobs);
    const ended = await auditOf(organization, 'session.end_by_provider');
    assert.deepEqual(
      ended.map(({ details }: { details: { why: string } }) => details.why),
      ['access_ended', 'no_group'],
    );
  });

  test('end after eight hours without a refresh token', async () => {
    const { organization, id } = await newCompany();
    issuer.accounts.set('e-1', ada);
    issuer.next.hasRefreshTokens = false;
    const cookie = await entered(organization, id, 'e-1');
    issuer.next.hasRefreshTokens = true;
    clock.forward(8 * 3_600 - 1);
    assert.equal((await browse(cookie, 'GET', sessionPath)).status, 200);
    clock.forward(2);
    await assertEnded(cookie);
  });
});

test('an issuer that is away keeps sessions, and the log says so', async () => {
  const own = await startIssuer([app.publicUrl()]);
  own.accounts.set('a-1', ada);
  own.next.subject = 'a-1';
  const { organization, id } = await newCompany(own.client);
  const { location, cookie } = await start(organization, id);
  const session = cookieNamed(await finish(await own.walk(location), cookie), 'runcost_session');
  const { cookie: unfinished, location: to } = await start(organization, id);
  await own.stop();
  const callback = new URL(`${app.publicUrl()}/sign-in/callback/${organization.orgId}?code=x`);
  callback.searchParams.set('state', new URL(to).searchParams.get('state')!);
  callback.searchParams.set('iss', own.address);
  assert.equal((await finish(callback, unfinished)).status, 503);
  clock.forward(15 * 60 + 1);
  assert.equal((await browse(session, 'GET', sessionPath)).status, 200);
  assert.match(testApp.logged(), /identity provider cannot be reached/);
  const nowhere = { kind: 'oidc', name: 'Away', ...own.client, client_id: 'other' };
  assertProblem(await organization.send('POST', path, nowhere), 400, 'invalid_request', ['body.issuer']);
});

test('required single sign-on refuses tokens and links of members, and keeps the way of the command line', async () => {
  const { organization, id } = await newCompany({ default_role: 'admin' });
  const policy = '/api/v1/sign-in-policy';
  const required = { single_sign_on_required: true };
  assertProblem(await organization.send('PUT', policy, required), 409, 'not_signed_in_by_provider');
  const unused = await newCode(organization, 900, (await newToken(organization)).id);
  issuer.accounts.set('q-1', ada);
  const cookie = await entered(organization, id, 'q-1');
  assert.deepEqual((await browse(cookie, 'PUT', policy, { payload: required })).body.data, required);
  assert.deepEqual((await organization.get(policy)).body.data, required);
  const [{ details }] = await auditOf(organization, 'sign_in_policy.update');
  assert.deepEqual(details, { ...required, before: { single_sign_on_required: false } });
  const other = await testApp.newOrganization();
  assert.equal((await other.get(policy)).body.data.single_sign_on_required, false);
  const member = await organization.newToken('member');
  assertProblem(await organization.send('PUT', policy, required, member), 403, 'role_too_low');
  const { body } = await request(server, {
    method: 'GET',
    url: `/api/v1/sign-in-options?org=${organization.orgId}`,
  });
  assert.equal(body.data.single_sign_on_required, true);
  assertProblem(await signIn({ token: organization.token }), 403, 'single_sign_on_required');
  assertProblem(await signIn({ code: unused }), 403, 'single_sign_on_required');
  assert.equal((await organization.get('/api/v1/members')).status, 200, 'the API still takes tokens');
  await newSession({ code: await newCode(organization) });
  assertProblem(await organization.send('DELETE', `${path}/${id}`), 409, 'single_sign_on_required');
  assert.equal((await organization.send('PUT', policy, { single_sign_on_required: false })).status, 200);
  assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 200);
  await assertEnded(cookie);
});

test('signing out leads to the end of the session at the issuer', async () => {
  const { organization, id } = await newCompany();
  issuer.accounts.set('x-1', ada);
  const cookie = await entered(organization, id, 'x-1');
  const { data } = (await browse(cookie, 'DELETE', sessionPath)).body;
  const address = new URL(data.provider_address);
  assert.equal(address.origin + address.pathname, `${issuer.address}/session/end`);
  assert.equal(address.searchParams.get('post_logout_redirect_uri'), `${app.publicUrl()}/sign-in`);
  assert.ok(address.searchParams.get('id_token_hint'));
  const asked = await fetch(address, { redirect: 'manual' });
  assert.equal(asked.status, 200, await asked.text());
  const plain = await newSession({ token: organization.token });
  assert.equal((await browse(plain, 'DELETE', sessionPath)).body.data.provider_address, null);
});

describe('identity providers', () => {
  test('are for owners to change, never show their secret, and are hidden from another organization', async () => {
    const { organization, id } = await newCompany();
    const listed = await organization.get(path);
    const { client_id, issuer: address } = listed.body.data[0];
    assert.deepEqual([client_id, address], [issuer.client.client_id, issuer.address]);
    assert.ok(!listed.text.includes(issuer.client.client_secret));
    const [admin, other] = [await organization.newToken('admin'), await testApp.newOrganization()];
    for (const method of ['PUT', 'DELETE'] as const) {
      const body = method === 'PUT' ? { name: 'X' } : undefined;
      assertProblem(await organization.send(method, `${path}/${id}`, body, admin), 403, 'role_too_low');
      assertProblem(await other.send(method, `${path}/${id}`, body), 404, 'identity_provider_not_found');
    }
    assert.deepEqual((await other.get(path)).body.data, []);
    const changed = await organization.send('PUT', `${path}/${id}`, { name: 'Acme 2', default_role: null });
    assert.deepEqual([changed.body.data.name, changed.body.data.default_role], ['Acme 2', null]);
    const secret = await organization.send('PUT', `${path}/${id}`, { client_secret: 'another-secret' });
    assert.equal(secret.status, 200);
    const { text: log, body: logged } = await organization.get('/api/v1/audit-log?kind=identity_provider');
    assert.deepEqual(
      logged.data.map(({ action }: { action: string }) => action),
      ['update', 'update', 'create'].map((verb) => `identity_provider.${verb}`),
    );
    assert.deepEqual(logged.data[0].details, { client_secret: 'changed' });
    assert.ok(!log.includes('another-secret') && !log.includes(issuer.client.client_secret));
    assert.ok(!testApp.logged().includes(issuer.client.client_secret));
  });

  test('need a good issuer, domain and role', async () => {
    const organization = await testApp.newOrganization();
    const good = { kind: 'oidc', name: 'Acme', ...issuer.client };
    for (const [fields, field] of [
      [{ issuer: 'http://169.254.169.254/' }, 'body.issuer'],
      [{ issuer: `${issuer.address}/nowhere` }, 'body.issuer'],
      [{ issuer: 'ldap://acme.test' }, 'body.issuer'],
      [{ allowed_domains: ['*'] }, 'body.allowed_domains'],
      [{ default_role: 'boss' }, 'body.default_role'],
    ] as const) {
      const answer = await organization.send('POST', path, { ...good, ...fields });
      assertProblem(answer, 400, 'invalid_request');
      assert.ok(answer.body.errors[0].path.startsWith(field), answer.text);
    }
  });

  test('of an unknown organization are none, and none is listed to strangers', async () => {
    const { organization, id } = await newCompany();
    const options = async (query: string) =>
      (await request(server, { method: 'GET', url: `/api/v1/sign-in-options${query}` })).body.data.providers;
    assert.deepEqual(await options(''), []);
    assert.deepEqual(await options('?org=nobody'), []);
    assert.deepEqual(await options(`?org=${organization.orgId}`), [
      { id, name: 'Acme', kind: 'oidc', address: `/sign-in/start?provider=${id}&org=${organization.orgId}` },
    ]);
    const foreign = await testApp.newOrganization();
    for (const query of [`org=${foreign.orgId}&provider=${id}`, `provider=${id}`, 'provider=oidc']) {
      const answer = await request(server, { method: 'GET', url: `/sign-in/start?${query}` });
      assert.equal(answer.status, 404, query);
    }
    assert.equal((await request(server, { method: 'GET', url: '/sign-in/start' })).status, 400);
  });
});
