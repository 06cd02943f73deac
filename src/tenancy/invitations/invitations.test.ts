import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openMailbox } from '../../../test/harness/receivers.ts';
import { browsersOf, cookieOf, newTokenHolder, sessionPath } from '../../../test/harness/sessions.ts';
import { cliActor } from '../../platform/lib/actor.ts';
import { buildServer } from '../../server.ts';
import { invite as sendInvitationTo } from './invitations.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'runcost@acme.example' });
const { app, server, clock } = testApp;
const { browse, newAddress } = browsersOf(testApp);
const withoutMail = await buildServer({ ...app, mailer: null });
const path = '/api/v1/invitations';
const day = 86_400;

async function invite(organization: TestOrganization, fields: object, as = organization.token) {
  const answer = await organization.send('POST', path, { role: 'member', ...fields }, as);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data as { id: string; link: string | null; email_error: string | null };
}

/** The link in the latest email to the address. */
function linkTo(address: string): string {
  const mail = mailbox.mails.findLast(({ to }) => to === address);
  return /http\S+\/invitation#\S+/.exec(mail!.email.text!)![0];
}

type AuditEntry = { action: string; target: string; details: { why?: string } };

const secretOf = (link: string) => link.split('#')[1]!;

const open = (link: string): Promise<Answer> =>
  request(server, {
    method: 'POST',
    url: '/api/v1/invitation/open',
    remoteAddress: newAddress(),
    payload: { invitation: secretOf(link) },
  });
const accept = (link: string, fields: object = {}): Promise<Answer> =>
  request(server, {
    method: 'POST',
    url: '/api/v1/invitation/accept',
    remoteAddress: newAddress(),
    payload: { invitation: secretOf(link), ...fields },
  });

describe('an invitation by email', () => {
  test('proves the address: accepting adds the member and signs in, once', async () => {
    const organization = await testApp.newOrganization();
    const { token } = await newTokenHolder(organization, 'Ada', 'admin');
    const invited = await invite(organization, { email: 'Mona@acme.test', role: 'admin' }, token);
    assert.deepEqual([invited.link, invited.email_error], [null, null]);
    const { email } = mailbox.mails.at(-1)!;
    assert.equal(email.subject, 'Invitation to Runcost: Acme (from Ada)');
    assert.match(
      email.text!,
      /Ada invites you to Runcost, where Acme sees what its CI jobs cost and why\.\s+The\s+link works once\.\s/,
    );
    assert.ok(email.html!.indexOf('Open the invitation') < email.html!.indexOf('Invited by'));
    const link = linkTo('Mona@acme.test');
    assert.deepEqual((await open(link)).body.data, {
      organization: 'Acme',
      role: 'admin',
      invited_by: 'Ada',
      email: 'Mona@acme.test',
      expires_at: '2026-03-25T12:00:00.000Z',
      suggested_email: null,
      is_member: false,
      organization_id: organization.orgId,
      single_sign_on_required: false,
    });
    const answers = await Promise.all([accept(link, { name: 'Mona' }), accept(link), accept(link)]);
    const accepted = answers.filter(({ status }) => status === 201);
    assert.equal(accepted.length, 1, answers.map(({ text }) => text).join('\n'));
    for (const other of answers.filter((each) => !accepted.includes(each))) {
      assertProblem(other, 401, 'invitation_used');
    }
    const { data } = (await browse(cookieOf(accepted[0]!), 'GET', sessionPath)).body;
    assert.deepEqual([data.member.email, data.role], ['Mona@acme.test', 'admin']);
    assertProblem(await open(link), 401, 'invitation_used');
    assert.deepEqual((await organization.get(path)).body.data, []);
    const log = (await organization.get('/api/v1/audit-log')).body.data as { action: string }[];
    assert.deepEqual(
      log.slice(0, 4).map(({ action }) => action),
      ['session.create', 'invitation.accept', 'member.add', 'invitation.create'],
    );
    const stored = await app.db
      .selectFrom('sessions')
      .select('provenEmail')
      .where('orgId', '=', organization.orgId)
      .execute();
    assert.deepEqual(stored, [{ provenEmail: 'mona@acme.test' }]);
  });

  test('signs in who has become a member meanwhile, with their own role', async () => {
    const organization = await testApp.newOrganization();
    await invite(organization, { email: 'eve@acme.test', role: 'admin' });
    const link = linkTo('eve@acme.test');
    await organization.send('POST', '/api/v1/members', { email: 'EVE@acme.test', role: 'viewer' });
    assert.equal((await open(link)).body.data.is_member, true);
    const accepted = await accept(link);
    const { data } = (await browse(cookieOf(accepted), 'GET', sessionPath)).body;
    assert.deepEqual([data.member.email, data.role], ['EVE@acme.test', 'viewer']);
  });

  test('says why it could not be sent, and can be sent again', async () => {
    const organization = await testApp.newOrganization();
    const { id, email_error } = await invite(organization, { email: 'nobody@refused.test' });
    assert.match(email_error!, /no such mailbox/);
    const errors = async () =>
      (await organization.get(path)).body.data.map(
        (each: { email_error: string | null }) => each.email_error,
      );
    assert.deepEqual(await errors(), [email_error]);
    const again = await organization.send('POST', `${path}/${id}/resend`, {});
    assert.deepEqual([again.body.data.link, again.body.data.email_error], [null, email_error]);
    const resent = await organization.send('POST', `${path}/${id}/resend`, { send_email: false });
    assert.equal(resent.status, 200, resent.text);
    assert.deepEqual(await errors(), [null]);
    const opened = (await open(resent.body.data.link)).body.data;
    assert.deepEqual([opened.email, opened.suggested_email], [null, 'nobody@refused.test']);
  });
});

test('an email that is out is no failure if its result cannot be stored', async () => {
  const organization = await testApp.newOrganization();
  let isOut = false;
  const db = new Proxy(app.db, {
    get: (target, name) => {
      if (isOut && name === 'updateTable') throw new Error('the database is away');
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const sendInvitation = async () => void (isOut = true);
  const logged: string[] = [];
  const log = { error: (_: object, message: string) => void logged.push(message) };
  const ctx = { ...app, db, log, sendInvitation, actor: cliActor(organization.orgId) };
  const input = { email: 'out@acme.test', role: 'viewer', validDays: 7, byMail: true } as const;
  const { invitation, link } = await sendInvitationTo(ctx, input);
  assert.deepEqual([invitation.mailError, link], [null, null]);
  assert.deepEqual(logged, ['the result of an invitation email was not stored']);
});

describe('a copied link', () => {
  test('asks for an address, proves none, and lets nobody in as another member', async () => {
    const organization = await testApp.newOrganization();
    await organization.send('POST', '/api/v1/members', { email: 'boss@acme.test', role: 'owner' });
    const { link } = await invite(organization, { role: 'viewer' });
    assert.match(link!, /^http\S+\/invitation#runcost_invitation_/);
    assertProblem(await accept(link!), 400, 'invalid_request', ['body.email']);
    assertProblem(await accept(link!, { email: 'none' }), 400, 'invalid_request', ['body.email']);
    assertProblem(await accept(link!, { email: 'BOSS@acme.test' }), 409, 'member_exists');
    const accepted = await accept(link!, { email: 'new@acme.test', name: 'New' });
    assert.equal(accepted.status, 201, accepted.text);
    const { data } = (await browse(cookieOf(accepted), 'GET', sessionPath)).body;
    assert.deepEqual([data.member.email, data.role], ['new@acme.test', 'viewer']);
    const stored = await app.db
      .selectFrom('sessions')
      .select('provenEmail')
      .where('orgId', '=', organization.orgId)
      .execute();
    assert.deepEqual(stored, [{ provenEmail: null }]);
  });

  test('is what a server without mail has', async () => {
    const { token } = await testApp.newOrganization();
    const post = (payload: object) =>
      request(withoutMail, {
        method: 'POST',
        url: path,
        payload: { email: 'a@acme.test', role: 'viewer', ...payload },
        headers: { authorization: `Bearer ${token}` },
      });
    assertProblem(await post({ send_email: true }), 409, 'mail_not_configured');
    assert.match((await post({})).body.data.link, /\/invitation#/);
  });
});

test('a page of another site cannot accept an invitation', async () => {
  const { link } = await invite(await testApp.newOrganization(), {});
  const answer = await request(server, {
    method: 'POST',
    url: '/api/v1/invitation/accept',
    headers: { origin: 'https://evil.test' },
    payload: { invitation: secretOf(link!), email: 'mona@acme.test' },
  });
  assertProblem(answer, 403, 'origin_refused');
  assert.equal((await accept(link!, { email: 'mona@acme.test' })).status, 201);
});

test('an organization sends at most 200 a day, with those sent again and those revoked', async () => {
  const organization = await testApp.newOrganization();
  const first = await invite(organization, {});
  await sql`insert into audit_entries (org_id, id, created_at, actor, action, target, details)
    select org_id, gen_random_uuid(), created_at, actor, action, target, details
    from audit_entries, generate_series(2, 199) where action = 'invitation.create' and target = ${first.id}`.execute(
    app.db,
  );
  assert.equal((await organization.send('POST', `${path}/${first.id}/resend`, {})).status, 200);
  const secondsLeft = Math.ceil(day - ((clock.now().getTime() / 1_000) % day));
  for (const refused of [
    await organization.send('POST', path, { role: 'member' }),
    await organization.send('POST', `${path}/${first.id}/resend`, {}),
  ]) {
    assertProblem(refused, 429, 'rate_limited');
    assert.match(
      refused.body.detail,
      /can send 200 invitations a day, and has sent 200 of today\. It can send more from 20/,
    );
    assert.equal(refused.headers['retry-after'], String(secondsLeft));
  }
  await invite(await testApp.newOrganization(), {});
  clock.forward(secondsLeft);
  await invite(organization, {});
});

describe('an invitation ends', () => {
  test('when it expires, is revoked, or is replaced by a newer link, and says so', async () => {
    const organization = await testApp.newOrganization();
    const late = await invite(organization, { valid_days: 2 });
    const revoked = await invite(organization, {});
    const replaced = await invite(organization, {});
    assert.equal((await organization.send('DELETE', `${path}/${revoked.id}`)).status, 200);
    assert.equal((await organization.send('POST', `${path}/${replaced.id}/resend`, {})).status, 200);
    clock.forward(2 * day);
    for (const [{ link }, code] of [
      [late, 'invitation_expired'],
      [revoked, 'invitation_revoked'],
      [replaced, 'invalid_invitation'],
    ] as const) {
      assertProblem(await open(link!), 401, code);
      assertProblem(await accept(link!, { email: 'x@acme.test' }), 401, code);
    }
    assertProblem(await open('x#nonsense'), 401, 'invalid_invitation');
    const ids = (await organization.get(path)).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [replaced.id]);
  });

  test('when their owner proves the address by another one', async () => {
    const organization = await testApp.newOrganization();
    const address = 'twice@acme.test';
    const older = await invite(organization, { email: address, role: 'admin' });
    const olderLink = linkTo(address);
    await invite(organization, { email: 'TWICE@acme.test' });
    const other = await invite(organization, { email: 'other@acme.test' });
    assert.equal((await accept(linkTo('TWICE@acme.test'))).status, 201);
    const late = await accept(olderLink);
    assertProblem(late, 401, 'invitation_revoked');
    assert.match(late.body.detail, /ended, because twice@acme\.test belongs to a member now\. Sign in/);
    const { data: people } = (await organization.get('/api/v1/members')).body;
    assert.deepEqual(
      people.map(({ role }: { role: string }) => role),
      ['admin'],
    );
    const ids = (await organization.get(path)).body.data.map(({ id }: { id: string }) => id);
    assert.deepEqual(ids, [other.id]);
    const log = (await organization.get('/api/v1/audit-log')).body.data as AuditEntry[];
    const revoked = log.filter(({ action }) => action === 'invitation.revoke');
    assert.deepEqual(
      revoked.map(({ target, details }) => [target, details.why]),
      [[older.id, 'address_proven']],
    );
  });

  test('when who made it is removed, loses the role, or the token is revoked', async () => {
    const organization = await testApp.newOrganization();
    const ada = await newTokenHolder(organization, 'Ada', 'admin');
    const bob = await newTokenHolder(organization, 'Bob', 'admin');
    const service = await organization.send('POST', '/api/v1/tokens', { name: 'bot', role: 'admin' });
    const made = [ada.token, bob.token, service.body.data.token as string].map((token) =>
      invite(organization, { role: 'admin' }, token),
    );
    const links = (await Promise.all(made)).map(({ link }) => link!);
    await organization.send('DELETE', `/api/v1/members/${ada.id}`);
    await organization.send('PUT', `/api/v1/members/${bob.id}`, { role: 'member' });
    await organization.send('DELETE', `/api/v1/tokens/${service.body.data.id}`);
    for (const link of links) assert.equal((await accept(link, { email: 'x@acme.test' })).status, 401);
    assert.deepEqual((await organization.get(path)).body.data, []);
  });
});

test('nobody invites above their own role, and nobody ends or resends such an invitation', async () => {
  const organization = await testApp.newOrganization();
  const admin = await organization.newToken('admin');
  const { id } = await invite(organization, { role: 'owner' });
  const post = (url: string, body: object) => organization.send('POST', url, body, admin);
  assertProblem(await post(path, { role: 'owner' }), 403, 'role_too_low');
  assertProblem(await post(`${path}/${id}/resend`, {}), 403, 'role_too_low');
  assertProblem(await organization.send('DELETE', `${path}/${id}`, undefined, admin), 403, 'role_too_low');
});

test('refuses what cannot be invited, and knows none of another organization', async () => {
  const organization = await testApp.newOrganization();
  const other = await testApp.newOrganization();
  const { id } = await invite(other, {});
  assert.equal((await organization.send('POST', `${path}/${id}/resend`, {})).status, 404);
  assert.equal((await organization.send('DELETE', `${path}/${id}`)).status, 404);
  assert.deepEqual((await organization.get(path)).body.data, []);
  await organization.send('POST', '/api/v1/members', { email: 'ada@acme.test' });
  const post = (body: object) => organization.send('POST', path, { role: 'viewer', ...body });
  assertProblem(await post({ email: 'ADA@acme.test' }), 409, 'member_exists');
  assertProblem(await post({ send_email: true }), 400, 'invalid_request', ['body.email']);
  assertProblem(await post({ valid_days: 31 }), 400, 'invalid_request', ['body.valid_days']);
});
