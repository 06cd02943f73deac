import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { startIssuer } from '../../../test/harness/issuer.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, sessionPath } from '../../../test/harness/sessions.ts';
import { companiesOf } from '../../../test/harness/signIns.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const { browse, assertEnded, newAddress } = browsersOf(testApp);
const issuer = await startIssuer([app.publicUrl()]);
const { newCompany, start, finish, enter, entered, auditOf } = companiesOf(testApp, issuer);
const path = '/api/v1/identity-providers';
const ada = { email: 'ada@acme.test', email_verified: true, name: 'Ada' };
const discovery = '/.well-known/openid-configuration';

test('a refresh without an ID token reads the groups from user information, and ends if nothing names them', async () => {
  const group_roles = [
    { group: 'ci-admins', role: 'admin' },
    { group: 'ci', role: 'member' },
  ];
  const { organization, id } = await newCompany({ group_roles });
  issuer.accounts.set('w-1', { ...ada, groups: ['ci-admins'] });
  const cookie = await entered(organization, id, 'w-1');
  issuer.accounts.set('w-1', { ...ada, groups: ['ci'] });
  Object.assign(issuer.refreshed, { hasIdTokens: false, namesGroups: true });
  clock.forward(15 * 60 + 1);
  assert.equal((await browse(cookie, 'GET', sessionPath)).body.data.role, 'member');
  issuer.refreshed.namesGroups = false;
  clock.forward(15 * 60 + 1);
  await assertEnded(cookie);
  Object.assign(issuer.refreshed, { hasIdTokens: true, namesGroups: true });
  const [{ details }] = await auditOf(organization, 'session.end_by_provider');
  assert.equal(details.why, 'groups_unknown');
  const [{ role }] = (await organization.get('/api/v1/members')).body.data;
  assert.equal(role, 'member', 'the role stays');
});

test('who has too many groups to be sent is refused, and keeps the role', async () => {
  const group_roles = [{ group: 'ci-admins', role: 'admin' }];
  const { organization, id } = await newCompany({ group_roles });
  issuer.accounts.set('y-1', { ...ada, groups: ['ci-admins'] });
  const cookie = await entered(organization, id, 'y-1');
  const endpoint = 'https://graph.microsoft.test/groups';
  const elsewhere = { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint } } };
  for (const [subject, email] of [
    ['y-1', ada.email],
    ['y-2', 'bob@acme.test'],
  ] as const) {
    issuer.accounts.set(subject, { ...ada, email, ...elsewhere });
    const answer = await enter(organization, id, subject);
    assert.equal(answer.status, 403);
    assert.match(answer.text, /too many.* only the groups assigned to the application/);
  }
  clock.forward(15 * 60 + 1);
  await assertEnded(cookie);
  const { data } = (await organization.get('/api/v1/members')).body;
  assert.deepEqual(
    data.map(({ role }: { role: string }) => role),
    ['admin'],
  );
});

test('signing out works while the issuer is away, and with a stored secret that cannot be read', async () => {
  const { organization, id } = await newCompany();
  issuer.accounts.set('z-1', ada);
  const signOut = async (cookie: string) => {
    const answer = await browse(cookie, 'DELETE', sessionPath);
    assert.deepEqual(answer.body, { data: { signed_out: true, provider_address: null } }, answer.text);
    await assertEnded(cookie);
  };
  const first = await entered(organization, id, 'z-1');
  const second = await entered(organization, id, 'z-1');
  issuer.outage.isOn = true;
  clock.forward(11 * 60);
  await signOut(first);
  issuer.outage.isOn = false;
  await app.db
    .updateTable('identitySessions')
    .set({ idToken: Buffer.from('sealed with another key') })
    .where('orgId', '=', organization.orgId)
    .execute();
  await signOut(second);
});

test('many who start at once ask the issuer once, also while it is away', async () => {
  const own = await startIssuer([app.publicUrl()]);
  const [first, second] = await Promise.all([newCompany(own.client), newCompany(own.client)]);
  const from = newAddress();
  const startMany = async () => {
    own.asked.length = 0;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => {
        const { organization, id } = index % 2 === 0 ? first : second;
        const url = `/sign-in/start?org=${organization.orgId}&provider=${id}`;
        return request(server, { method: 'GET', url, remoteAddress: from });
      }),
    );
    return { statuses: [...new Set(answers.map(({ status }) => status))], asked: [...own.asked] };
  };
  clock.forward(11 * 60);
  assert.deepEqual(await startMany(), { statuses: [302], asked: [discovery] });
  assert.deepEqual(await startMany(), { statuses: [302], asked: [] });
  own.outage.isOn = true;
  clock.forward(11 * 60);
  assert.deepEqual(await startMany(), { statuses: [503], asked: [discovery] });
  assert.deepEqual(await startMany(), { statuses: [503], asked: [] });
  own.outage.isOn = false;
  clock.forward(6);
  assert.deepEqual(await startMany(), { statuses: [302], asked: [discovery] });
});

test('one address starts 120 sign-ins in each minute, and others go on', async () => {
  const startFrom = (remoteAddress: string) =>
    request(server, { method: 'GET', url: '/sign-in/start?provider=none', remoteAddress });
  const [one, other] = [newAddress(), newAddress()];
  const minutes: number[] = [];
  for (let minute = 0; minute < 3; minute++) {
    clock.forward(60);
    const answers = await Promise.all(Array.from({ length: 130 }, () => startFrom(one)));
    minutes.push(answers.filter(({ status }) => status === 404).length);
  }
  assert.deepEqual(minutes, [120, 120, 120]);
  const refused = await startFrom(one);
  assert.match(refused.text, /More than 120 sign-ins from your address\. Wait 60 seconds/);
  assert.equal(refused.headers['retry-after'], '60');
  assert.equal((await startFrom(other)).status, 404);
  const url = `/sign-in/callback/${(await newCompany()).organization.orgId}`;
  const callBack = () => request(server, { method: 'GET', url, remoteAddress: one });
  const ended = await Promise.all(Array.from({ length: 130 }, callBack));
  assert.deepEqual([...new Set(ended.map(({ status }) => status))], [400], 'who was at the provider returns');
});

test('a sign-in that began before an update of the server ends after it', async () => {
  const { organization, id } = await newCompany();
  issuer.accounts.set('v-1', ada);
  issuer.next.subject = 'v-1';
  const { location, cookie } = await start(organization, id);
  const [name, sealed] = cookie.split('=') as [string, string];
  const { invitation, ...former } = JSON.parse(app.vault.open(Buffer.from(sealed, 'base64url')));
  assert.equal(invitation, null);
  const formerCookie = `${name}=${app.vault.seal(JSON.stringify(former)).toString('base64url')}`;
  assert.equal((await finish(await issuer.walk(location), formerCookie)).status, 302);
});

test('edits at once lose nothing', async () => {
  const { organization, id } = await newCompany();
  const edits = [
    { name: 'Acme 2' },
    { default_role: null },
    { allowed_domains: ['acme.example'] },
    issuer.client,
  ];
  const answers = await Promise.all(edits.map((edit) => organization.send('PUT', `${path}/${id}`, edit)));
  for (const answer of answers) assert.equal(answer.status, 200, answer.text);
  const [provider] = (await organization.get(path)).body.data;
  const { name, default_role, allowed_domains } = provider;
  assert.deepEqual([name, default_role, allowed_domains], ['Acme 2', null, ['acme.example']]);
});

test("an address of Entra for all tenants is refused, with one's own instead", async () => {
  const organization = await testApp.newOrganization();
  for (const issuerOf of [
    'https://login.microsoftonline.com/common/v2.0',
    'https://login.microsoftonline.com/Organizations/v2.0',
    'https://login.microsoftonline.us/consumers',
    'https://login.microsoftonline.com//common/v2.0',
    'https://login.microsoftonline.com./%63ommon',
    'https://login.microsoftonline.com',
    'https://login.microsoftonline.com/9188040D-6c67-4c5b-b112-36a304b66dad/v2.0',
    'https://login.partner.microsoftonline.cn/common/v2.0',
    'https://sts.windows.net/common/',
  ]) {
    const body = { kind: 'oidc', name: 'Entra', ...issuer.client, issuer: issuerOf };
    const answer = await organization.send('POST', path, body);
    assertProblem(answer, 400, 'invalid_request', ['body.issuer']);
    assert.match(answer.body.errors[0].message, /your own tenant .* such as https:.*\/TENANT-ID\//);
  }
});
