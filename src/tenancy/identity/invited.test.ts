import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { startIssuer } from '../../../test/harness/issuer.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { browsersOf, newToken, sessionPath } from '../../../test/harness/sessions.ts';
import { companiesOf, cookieNamed } from '../../../test/harness/signIns.ts';

const testApp = await startTestApp();
const { app, server, clock } = testApp;
const { browse, newAddress } = browsersOf(testApp);
const issuer = await startIssuer([app.publicUrl()]);
const { newCompany, entered, finish } = companiesOf(testApp, issuer);
const withToken = (token: string, url: string) =>
  request(server, { method: 'GET', url, headers: { authorization: `Bearer ${token}` } });
const ada = { email: 'ada@acme.test', email_verified: true, name: 'Ada' };

async function newStrictCompany() {
  const company = await newCompany({ default_role: 'admin' });
  issuer.accounts.set('ada', ada);
  const cookie = await entered(company.organization, company.id, 'ada');
  const payload = { single_sign_on_required: true };
  assert.equal((await browse(cookie, 'PUT', '/api/v1/sign-in-policy', { payload })).status, 200);
  return company;
}

async function linkFor(
  organization: TestOrganization,
  email: string | null,
  role = 'member',
): Promise<string> {
  const invited = await organization.send('POST', '/api/v1/invitations', { email, role });
  assert.equal(invited.status, 201, invited.text);
  return invited.body.data.link.split('#')[1];
}

const post = (body: object, remoteAddress = newAddress(), path = 'sign-in') =>
  request(server, { method: 'POST', url: `/api/v1/invitation/${path}`, payload: body, remoteAddress });

async function accept(id: string, invitation: string, subject: string) {
  const started = await post({ invitation, provider: id });
  assert.equal(started.status, 200, started.text);
  issuer.next.subject = subject;
  const callback = await issuer.walk(started.body.data.address);
  return finish(callback, cookieNamed(started, 'runcost_sign_in'));
}

test('where single sign-on is required, a link is accepted by the proven address that fits', async () => {
  const { organization, id } = await newStrictCompany();
  issuer.accounts.set('lin', { email: 'Lin@elsewhere.test', email_verified: true });
  issuer.accounts.set('eve', { email: 'eve@elsewhere.test', email_verified: true });
  const older = await linkFor(organization, 'LIN@elsewhere.test');
  const invitation = await linkFor(organization, 'lin@elsewhere.test', 'viewer');
  const open = () => post({ invitation }, newAddress(), 'open');
  const { data } = (await open()).body;
  assert.deepEqual([data.single_sign_on_required, data.organization_id], [true, organization.orgId]);

  const other = await accept(id, invitation, 'eve');
  assert.equal(other.status, 403);
  assert.match(other.text, /This invitation is not for eve@elsewhere\.test\. Sign in at Acme/);
  const own = await accept(id, invitation, 'lin');
  assert.equal(own.status, 302, own.text);
  const session = (await browse(cookieNamed(own, 'runcost_session'), 'GET', sessionPath)).body.data;
  assert.deepEqual([session.role, session.member.email], ['member', 'Lin@elsewhere.test']);
  assert.equal((await open()).body.code, 'invitation_used');
  assertProblem(await post({ invitation: older }, newAddress(), 'open'), 401, 'invitation_revoked');

  const forAnybody = await linkFor(organization, null);
  issuer.accounts.set('unproven', { email: 'una@elsewhere.test', email_verified: false });
  assert.match((await accept(id, forAnybody, 'unproven')).text, /has not verified your email/);
  assert.equal((await accept(id, forAnybody, 'eve')).status, 302);

  const forMember = await linkFor(organization, null);
  assert.equal((await accept(id, forMember, 'eve')).status, 302);
  assertProblem(await post({ invitation: forMember, provider: id }), 401, 'invitation_used');
  const { body } = await organization.get('/api/v1/members');
  const people = body.data.map(({ email, role }: { email: string; role: string }) => `${email} ${role}`);
  assert.deepEqual(people.toSorted(), [
    'Lin@elsewhere.test member',
    'ada@acme.test admin',
    'eve@elsewhere.test member',
  ]);
});

test('a link that does not work, or another provider, begins nothing', async () => {
  const { organization, id } = await newStrictCompany();
  const foreign = await newCompany();
  const invitation = await linkFor(organization, null);
  assertProblem(await post({ invitation, provider: foreign.id }), 404, 'provider_not_found');
  assertProblem(await post({ invitation: `${invitation}x`, provider: id }), 401, 'invalid_invitation');
  clock.forward(8 * 86_400);
  assertProblem(await post({ invitation, provider: id }), 401, 'invitation_expired');
  const [from, body] = [newAddress(), { invitation: 'none', provider: id }];
  const answers = await Promise.all(Array.from({ length: 121 }, () => post(body, from)));
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.indexOf(429), 120);
});

test('a second provider that proves the address again leaves personal tokens', async () => {
  const { organization, id } = await newCompany();
  issuer.accounts.set('ada', ada);
  await entered(organization, id, 'ada');
  const [{ id: memberId }] = (await organization.get('/api/v1/members')).body.data;
  const { token } = await newToken(organization, { member_id: memberId, role: 'viewer' });
  const second = await startIssuer([app.publicUrl()]);
  second.accounts.set('ada-2', ada);
  const more = { kind: 'oidc', name: 'Second', ...second.client };
  const { body } = await organization.send('POST', '/api/v1/identity-providers', more);
  await companiesOf(testApp, second).entered(organization, body.data.id, 'ada-2');
  assert.equal((await withToken(token, sessionPath)).status, 200);
});
