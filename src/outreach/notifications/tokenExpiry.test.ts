import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import { openMailbox } from '../../../test/harness/receivers.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'runcost@acme.example' });
const { clock, worker } = testApp;

const day = 86_400_000;

test('warns once by email, seven days before a token expires', async () => {
  const organization = await testApp.newOrganization();
  const member = async (email: string, fields: object) =>
    (await organization.send('POST', '/api/v1/members', { email, ...fields })).body.data.id as string;
  const ada = await member('ada@acme.test', { role: 'viewer' });
  await member('admin@acme.test', { role: 'admin' });
  await member('quiet@acme.test', { role: 'admin', alert_emails: false });
  const newToken = async (name: string, days: number, member_id: string | null) => {
    const expires_at = new Date(clock.now().getTime() + days * day).toISOString();
    const body = { name, role: 'viewer', member_id, expires_at };
    const answer = await organization.send('POST', '/api/v1/tokens', body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.data.id as string;
  };
  await newToken('laptop', 30, ada);
  await newToken('<Grafana>', 31, null);
  const revoked = await newToken('revoked', 30, null);
  await organization.send('DELETE', `/api/v1/tokens/${revoked}`);

  clock.forward(22.9 * 86_400);
  await newToken('of a week', 7, ada);
  await worker.processAll();
  assert.equal(mailbox.mails.length, 0);

  clock.forward(0.1 * 86_400);
  await worker.processAll();
  const [own, ...others] = mailbox.mails;
  assert.deepEqual(others, []);
  assert.equal(own!.to, 'ada@acme.test');
  assert.equal(own!.email.subject, 'Token expires soon: laptop (on Apr 17, 2026)');
  assert.match(own!.email.text!, /Last used +never/);
  assert.match(own!.email.text!, /belongs to you as a member of acme/);
  assert.match(own!.email.text!, /\/settings\/tokens/);

  clock.forward(86_400);
  await worker.processAll();
  const [, service, ...none] = mailbox.mails;
  assert.deepEqual(none, []);
  assert.equal(service!.to, 'admin@acme.test');
  assert.match(service!.email.html!, /&lt;Grafana&gt;/);
  assert.match(service!.email.text!, /no person \(service account\)/);
});
