import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.example>' });
const withoutMail = await startTestApp();

const budget = { name: 'CI budget', alert_type: 'budget', threshold_amount: 100 };

async function addMember(organization: TestOrganization, email: string, fields: object): Promise<void> {
  const answer = await organization.send('POST', '/api/v1/members', { email, role: 'admin', ...fields });
  assert.equal(answer.status, 201, answer.text);
}

async function addChannel(organization: TestOrganization, name: string, url: string): Promise<string> {
  const settings = { url };
  const answer = await organization.send('POST', '/api/v1/channels', { name, kind: 'slack', settings });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

async function reachedBy(organization: TestOrganization, body: object) {
  const answer = await organization.send('POST', '/api/v1/alerts/reach', body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

test('a new alert says whom it reaches before it is saved, and afterwards', async () => {
  const chat = await openChat();
  const organization = await testApp.newOrganization();
  const ofNobody = await reachedBy(organization, {});
  assert.deepEqual(ofNobody.reaches, []);
  assert.deepEqual(ofNobody.warnings, ['No email will be sent: no owner or admin has alert emails on.']);

  await addMember(organization, 'mona@reach.test', {});
  await addMember(organization, 'quiet@reach.test', { alert_emails: false });
  await addMember(organization, 'viewer@reach.test', { role: 'viewer' });
  const usual = await addChannel(organization, 'default', chat.url);
  const other = await addChannel(organization, 'ops', chat.url);
  const mona = { kind: 'email', to: 'mona@reach.test', channel_id: null };
  const toDefault = { kind: 'slack', to: 'default', channel_id: usual };
  const toOps = { kind: 'slack', to: 'ops', channel_id: other };
  assert.deepEqual((await reachedBy(organization, {})).reaches, [mona, toDefault]);
  assert.deepEqual((await reachedBy(organization, { channel_ids: [other] })).reaches, [mona, toOps]);
  assert.deepEqual((await reachedBy(organization, { notify_email: false, notify_chat: false })).reaches, []);
  const recipients = ['Quiet@reach.test', 'cfo@reach.test'];
  const ofRecipients = await reachedBy(organization, { recipients, notify_chat: false });
  assert.deepEqual(ofRecipients.reaches, [{ ...mona, to: 'cfo@reach.test' }]);
  assert.match(ofRecipients.warnings.join(), /Quiet@reach\.test: this member has alert emails off/);

  const alertsPath = `/api/v1/alerts?org_id=${organization.orgId}`;
  const { body: saved } = await organization.send('POST', alertsPath, budget);
  assert.deepEqual(saved.reaches, [mona, toDefault]);
  const { alerts } = (await organization.get(alertsPath)).body;
  assert.deepEqual(alerts[0].reaches, [mona, toDefault]);
});

test('without a mail server, no email is counted', async () => {
  const organization = await withoutMail.newOrganization();
  await addMember(organization, 'mona@reach.test', {});
  const { reaches, warnings } = await reachedBy(organization, {});
  assert.deepEqual(reaches, []);
  assert.match(warnings.join(), /SMTP_URL/);
});

test('a test message goes to everybody whom the alert reaches, and says who refused it', async () => {
  const [chat, broken] = [await openChat(), await openChat()];
  broken.status = 404;
  const organization = await testApp.newOrganization();
  const ids = [
    await addChannel(organization, 'ops', chat.url),
    await addChannel(organization, 'gone', broken.url),
  ];
  const body = { recipients: ['cfo@tested.test'], channel_ids: ids };
  const answer = await organization.send('POST', '/api/v1/alerts/test', body);
  assert.equal(answer.status, 200, answer.text);
  const outcomes = answer.body.data.receivers.map((each: { to: string; delivered: boolean }) => [
    each.to,
    each.delivered,
  ]);
  assert.deepEqual(outcomes, [
    ['cfo@tested.test', true],
    ['gone', false],
    ['ops', true],
  ]);
  assert.match(answer.body.data.receivers[1].error, /Slack answered 404/);
  assert.match(JSON.stringify(chat.bodies), /Test message/);
  const mail = mailbox.mails.find(({ to }) => to === 'cfo@tested.test');
  assert.match(mail!.email.text!, /because somebody tested an alert of\s+acme/);
  const { body: log } = await organization.get('/api/v1/audit-log');
  const noted = log.data.find(({ action }: { action: string }) => action === 'alert.test');
  assert.deepEqual(noted.details, { to: ['cfo@tested.test', 'gone', 'ops'], emails_to_others: 1 });
});

test('alerts and channels together send 200 test emails a day to people who are no members', async () => {
  const organization = await testApp.newOrganization();
  await addMember(organization, 'mona@tested.test', {});
  const testAlert = (...recipients: string[]) =>
    organization.send('POST', '/api/v1/alerts/test', { recipients });
  const settings = { addresses: ['Mona@tested.test', 'a@many.test', 'b@many.test'] };
  const testChannel = () => organization.send('POST', '/api/v1/channels/test', { kind: 'email', settings });
  assert.equal((await testAlert('cfo@many.test')).status, 200);
  await sql`update audit_entries set details = details || '{"emails_to_others": 197}'
    where org_id = ${organization.orgId} and action = 'alert.test'`.execute(testApp.app.db);
  assert.equal((await testChannel()).status, 200);
  const before = mailbox.mails.length;
  assertProblem(await testChannel(), 429, 'rate_limited');
  assertProblem(await testAlert('cfo@many.test', 'ceo@many.test'), 429, 'rate_limited');
  assert.equal(mailbox.mails.length, before);
  assert.equal((await testAlert('mona@tested.test')).status, 200, 'a member');
});

test('refuses to test what reaches nobody, and channels of others', async () => {
  const organization = await testApp.newOrganization();
  const send = (path: string, body: object, token?: string) =>
    organization.send('POST', `/api/v1/alerts/${path}`, body, token);
  assertProblem(await send('test', { notify_email: false }), 409, 'no_recipients');
  const stranger = await addChannel(await testApp.newOrganization(), 'ops', (await openChat()).url);
  for (const path of ['reach', 'test']) {
    assertProblem(await send(path, { channel_ids: [stranger] }), 400, 'invalid_request', [
      'body.channel_ids[0]',
    ]);
    assertProblem(await send(path, { recipients: ['mona'] }), 400, 'invalid_request', ['body.recipients[0]']);
    assertProblem(await send(path, {}, 'nonsense'), 401, 'invalid_token');
  }
  assertProblem(await send('test', {}, await organization.newToken('viewer')), 403, 'role_too_low');
  const reader = await organization.newToken('owner', ['costs:read']);
  assertProblem(await send('reach', {}, reader), 403, 'scope_missing');
});
