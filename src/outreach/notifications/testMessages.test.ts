import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.example>' });
const withoutMail = await startTestApp();

const organizationPath = '/api/v1/organization';
const chatPath = `${organizationPath}/chat-webhook/test`;
const formats = ['slack', 'teams', 'discord', 'json'] as const;

async function saveChat(organization: TestOrganization, url: string, format: string): Promise<void> {
  const answer = await organization.send('PUT', organizationPath, { chat_webhook: { url, format } });
  assert.equal(answer.status, 200, answer.text);
}

async function newMember(organization: TestOrganization, email = 'ada@acme.test'): Promise<string> {
  const answer = await organization.send('POST', '/api/v1/members', { email, role: 'viewer' });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

const mailPath = (id: string) => `/api/v1/members/${id}/test-email`;

async function auditOf(organization: TestOrganization, action: string): Promise<Answer['body'][]> {
  const { body } = await organization.get('/api/v1/audit-log');
  return body.data.filter((entry: { action: string }) => entry.action === action);
}

function assertDelivered(answer: Answer, statusCode: number | null): void {
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(answer.body, { data: { delivered: true, status_code: statusCode, error: null } });
}

function assertRefused(answer: Answer, statusCode: number | null, error: RegExp): void {
  assert.equal(answer.status, 200, answer.text);
  const { delivered, status_code, error: text } = answer.body.data;
  assert.deepEqual([delivered, status_code], [false, statusCode]);
  assert.match(text, error);
}

/** Old names may have control characters, which are refused today. */
async function nameFromBefore({ orgId }: TestOrganization, name: string): Promise<void> {
  await testApp.app.db
    .updateTable('organizations')
    .set({ login: null, name })
    .where('orgId', '=', orgId)
    .execute();
}

describe('a test message to the chat webhook', () => {
  for (const format of formats) {
    test(`goes to the saved one in the format ${format}`, async () => {
      const chat = await openChat();
      const organization = await testApp.newOrganization();
      await saveChat(organization, chat.url, format);
      assertDelivered(await organization.send('POST', chatPath), 200);
      const text = JSON.stringify(chat.bodies);
      assert.equal(chat.bodies.length, 1);
      assert.match(text, format === 'json' ? /"event":"test","organization":"acme"/ : /Test message/);
      assert.match(
        text,
        format === 'json' ? /"sent_at":"2026-03-18T12:00:00\.000Z"/ : /No alert has triggered/,
      );
      assert.ok(text.includes(`${testApp.app.publicUrl()}/`));
    });
  }

  test('goes to an unsaved address, and saves nothing', async () => {
    const [saved, other] = [await openChat(), await openChat()];
    const organization = await testApp.newOrganization();
    await saveChat(organization, saved.url, 'json');
    assertDelivered(await organization.send('POST', chatPath, { url: other.url }), 200);
    assert.deepEqual([saved.bodies.length, other.bodies.length], [0, 1]);
    assert.match(JSON.stringify(other.bodies), /"event":"test"/);
    assertDelivered(await organization.send('POST', chatPath, { format: 'discord' }), 200);
    assert.match(JSON.stringify(saved.bodies), /"embeds"/);
    const { chat_webhook } = (await organization.get(organizationPath)).body.data;
    assert.deepEqual(chat_webhook, { host: new URL(saved.url).host, format: 'json' });
  });

  test('uses the Slack format if none is saved or given', async () => {
    const chat = await openChat();
    const organization = await testApp.newOrganization();
    assertDelivered(await organization.send('POST', chatPath, { url: chat.url }), 200);
    assert.match(JSON.stringify(chat.bodies), /"blocks"/);
  });

  const advice: [status: number, error: RegExp][] = [
    [302, /it redirects/],
    [400, /Check that the channel is of the right kind/],
    [404, /Slack answered 404: it does not take messages at this address/],
    [429, /too many messages/],
    [500, /it has a problem/],
  ];
  for (const [status, error] of advice) {
    test(`answered with ${status} is not delivered, and says what to do`, async () => {
      const chat = await openChat();
      chat.status = status;
      const organization = await testApp.newOrganization();
      assertRefused(await organization.send('POST', chatPath, { url: chat.url }), status, error);
    });
  }

  test('to an unreachable chat says so, without the secret in the address', async () => {
    const organization = await testApp.newOrganization();
    const url = 'http://127.0.0.1:1/services/T0/B0/hush-hush?key=hush-hush';
    await saveChat(organization, url, 'slack');
    const answer = await organization.send('POST', chatPath);
    assertRefused(answer, null, /Could not reach Slack: .*ECONNREFUSED/);
    assert.doesNotMatch(answer.text, /hush/);
    const noted = await auditOf(organization, 'chat_webhook.test');
    assert.equal(noted.length, 1);
    assert.deepEqual(noted[0].target, organization.orgId);
    assert.deepEqual(noted[0].details, { host: '127.0.0.1:1', format: 'slack' });
    assert.doesNotMatch(testApp.logged(), /hush/);
  });

  test('goes nowhere that alerts may not go', async () => {
    const organization = await testApp.newOrganization();
    for (const url of [
      'https://169.254.169.254/x',
      'https://metadata.google.internal/x',
      'https://10.1.2.3/x',
      'ftp://chat.example/x',
      'chat',
    ]) {
      const answer = await organization.send('POST', chatPath, { url });
      assertProblem(answer, 400, 'invalid_request', ['body.url']);
    }
    assert.deepEqual(await auditOf(organization, 'chat_webhook.test'), []);
  });

  test('names every invalid field', async () => {
    const organization = await testApp.newOrganization();
    const answer = await organization.send('POST', chatPath, { url: '', format: 'irc', secret: 'x' });
    assertProblem(answer, 400, 'invalid_request', ['body.url', 'body.format', 'body.secret']);
  });

  test('needs an address, saved or given', async () => {
    const organization = await testApp.newOrganization();
    for (const body of [undefined, {}, { format: 'teams' }]) {
      assertProblem(await organization.send('POST', chatPath, body), 409, 'no_chat_webhook');
    }
  });

  test("never goes to another organization's chat", async () => {
    const chat = await openChat();
    await saveChat(await testApp.newOrganization(), chat.url, 'slack');
    const stranger = await testApp.newOrganization();
    assertProblem(await stranger.send('POST', chatPath), 409, 'no_chat_webhook');
    assert.equal(chat.bodies.length, 0);
  });

  test('is only for admins with the scope admin', async () => {
    const chat = await openChat();
    const organization = await testApp.newOrganization();
    await saveChat(organization, chat.url, 'slack');
    const send = (token: string) => organization.send('POST', chatPath, undefined, token);
    assertProblem(await send('nonsense'), 401, 'invalid_token');
    assertProblem(await send(await organization.newToken('member')), 403, 'role_too_low');
    assertProblem(await send(await organization.newToken('owner', ['webhooks:write'])), 403, 'scope_missing');
    assert.equal(chat.bodies.length, 0);
    assertDelivered(await send(await organization.newToken('admin', ['admin'])), 200);
  });

  test('shows a hostile name as harmless text', async () => {
    const chat = await openChat();
    const organization = await testApp.newOrganization();
    const name = '<!channel> @everyone *b* [x](https://evil.example)\r\n\u202Eend';
    await nameFromBefore(organization, name);
    for (const format of formats) {
      assertDelivered(await organization.send('POST', chatPath, { url: chat.url, format }), 200);
    }
    const [slack, teams, discord, json] = chat.bodies.map((body) => JSON.stringify(body));
    for (const text of [slack, teams, discord, json]) assert.doesNotMatch(text!, /\u202E|\\r/);
    assert.doesNotMatch(slack!, /<!|"mrkdwn","text":"[^"]*evil/);
    assert.match(discord!, /"allowed_mentions":\{"parse":\[\]\}/);
    assert.match(discord!, /\\\\\[x\\\\\]\\\\\(https/);
    assert.doesNotMatch(teams!, /"type":"TextBlock"/);
    assert.match(json!, /evil\.example\) end/);
  });
});

describe('a test email', () => {
  test('goes to the member, even without alert emails', async () => {
    const organization = await testApp.newOrganization();
    const id = await newMember(organization, 'ada.test@acme.test');
    await organization.send('PUT', `/api/v1/members/${id}`, { alert_emails: false });
    assertDelivered(await organization.send('POST', mailPath(id)), null);
    const mails = mailbox.mails.filter(({ to }) => to === 'ada.test@acme.test');
    assert.equal(mails.length, 1);
    const { subject, text, html } = mails[0]!.email;
    assert.equal(subject, 'Test message: Alerts for acme arrive here (no alert has triggered)');
    for (const part of [text, html]) assert.match(part!, /No alert has\s+triggered/);
    assert.match(text!, /because somebody sent a test email to\s+you as a member of\s+acme/);
    assert.ok(text!.includes(`Open the dashboard:\n${testApp.app.publicUrl()}/?org=${organization.orgId}\n`));
    const noted = await auditOf(organization, 'member.test_email');
    assert.deepEqual([noted[0].target, noted[0].details], [id, { email: 'ada.test@acme.test' }]);
  });

  test('refused by the mail server is not delivered, and says why', async () => {
    const organization = await testApp.newOrganization();
    const id = await newMember(organization, 'nobody@refused.test');
    assertRefused(await organization.send('POST', mailPath(id)), null, /Could not send the email: .*550/);
  });

  test('shows a hostile name as harmless text', async () => {
    const organization = await testApp.newOrganization();
    const id = await newMember(organization, 'eve@acme.test');
    const name = '<img src=x>\r\nBcc: eve@evil.example\u202E';
    await nameFromBefore(organization, name);
    assertDelivered(await organization.send('POST', mailPath(id)), null);
    const { subject, html, bcc } = mailbox.mails.findLast(({ to }) => to === 'eve@acme.test')!.email;
    assert.equal(bcc, undefined);
    assert.match(subject!, /Alerts for <img src=x> Bcc: eve@evil\.example arrive here/);
    assert.doesNotMatch(html!, /<img|\u202E/);
  });

  test('is refused without a mail server, and names the setting', async () => {
    const organization = await withoutMail.newOrganization();
    const id = await newMember(organization);
    const answer = await organization.send('POST', mailPath(id));
    assertProblem(answer, 409, 'mail_not_configured');
    assert.match(answer.body.detail, /SMTP_URL/);
    assert.deepEqual(await auditOf(organization, 'member.test_email'), []);
  });

  test('answers 404 for unknown members and those of other organizations', async () => {
    const id = await newMember(await testApp.newOrganization(), 'grace@acme.test');
    const stranger = await testApp.newOrganization();
    assertProblem(await stranger.send('POST', mailPath(id)), 404, 'member_not_found');
    assertProblem(await stranger.send('POST', mailPath('mem_none')), 404, 'member_not_found');
    assert.ok(!mailbox.mails.some(({ to }) => to === 'grace@acme.test'));
  });

  test('is only for admins with the scope admin', async () => {
    const organization = await testApp.newOrganization();
    const path = mailPath(await newMember(organization, 'joan@acme.test'));
    const send = (token: string) => organization.send('POST', path, undefined, token);
    assertProblem(await send('nonsense'), 401, 'invalid_token');
    assertProblem(await send(await organization.newToken('member')), 403, 'role_too_low');
    assertProblem(await send(await organization.newToken('owner', ['alerts:write'])), 403, 'scope_missing');
    assert.ok(!mailbox.mails.some(({ to }) => to === 'joan@acme.test'));
  });
});

test('the organization says whether email can be sent', async () => {
  for (const [at, expected] of [
    [testApp, true],
    [withoutMail, false],
  ] as const) {
    const organization = await at.newOrganization();
    const { data } = (await organization.get(organizationPath)).body;
    assert.equal(data.mail_configured, expected);
    const changed = await organization.send('PUT', organizationPath, { ...data, mail_configured: !expected });
    assert.equal(changed.status, 200, changed.text);
    assert.equal(changed.body.data.mail_configured, expected);
  }
});
