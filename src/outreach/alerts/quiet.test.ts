/** Who is notified of an alert, and when: channels, recipients, snoozes and acknowledgements. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  checkAlert,
  createAlert,
  eventsOf,
  newAlert,
  spend,
  triggersOf,
} from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'Runcost <alerts@runcost.test>' });
const { clock, worker } = testApp;

/** An organization with an owner who gets alert emails, a chat, and twelve dollars spent. */
async function spender() {
  const chat = await openChat();
  const organization = await testApp.newOrganization();
  clock.set('2026-03-18T12:00:00Z');
  await addMember(organization, { email: 'boss@acme.test', role: 'owner' });
  const chat_webhook = { url: chat.url, format: 'json' };
  await organization.send('PUT', '/api/v1/organization', { chat_webhook });
  await spend(organization, 12, '2026-03-17');
  mailbox.mails.length = 0;
  return { organization, chat };
}

async function addMember(organization: TestOrganization, fields: object): Promise<void> {
  const added = await organization.send('POST', '/api/v1/members', fields);
  assert.equal(added.status, 201, added.text);
}

const mailed = () => mailbox.mails.map(({ to }) => to).toSorted();
const change = (organization: TestOrganization, id: string, fields: object) =>
  organization.send('PUT', `/api/v1/alerts/${id}`, fields);

describe('an alert', () => {
  test('without notify_chat sends only emails', async () => {
    const { organization, chat } = await spender();
    await checkAlert(organization, await newAlert(organization, { notify_chat: false }));
    assert.deepEqual([mailed(), chat.bodies.length], [['boss@acme.test'], 0]);
  });

  test('with recipients mails only them, and says why: a member can unsubscribe, others ask', async () => {
    const { organization } = await spender();
    await addMember(organization, { email: 'Mona@acme.test', role: 'viewer' });
    const recipients = ['mona@acme.test', 'guest@partner.test', 'GUEST@partner.test'];
    const { body } = await createAlert(organization, { recipients });
    assert.deepEqual([body.recipients, body.warnings], [['mona@acme.test', 'GUEST@partner.test'], []]);
    await checkAlert(organization, body.id);
    assert.deepEqual(mailed(), ['GUEST@partner.test', 'mona@acme.test']);
    const textTo = (address: string) => {
      const { email } = mailbox.mails.find(({ to }) => to === address)!;
      return { text: email.text!.replaceAll('\n', ' '), headers: email.headers.map(({ key }) => key) };
    };
    const [guest, mona] = [textTo('GUEST@partner.test'), textTo('mona@acme.test')];
    assert.match(guest.text, /because somebody at acme added your address to the recipients of this alert/);
    assert.match(guest.text, /this alert\. Unsubscribe: https?:\S+\/unsubscribe\/runcost_address_/);
    assert.ok(guest.headers.includes('list-unsubscribe'));
    assert.match(mona.text, /because you are a recipient of this alert of acme\..*\/unsubscribe\//);
    assert.ok(mona.headers.includes('list-unsubscribe'));
  });

  test('does not mail a recipient who is a member with alert emails off, and warns of it', async () => {
    const { organization } = await spender();
    await addMember(organization, { email: 'mona@acme.test', role: 'admin', alert_emails: false });
    const { body } = await createAlert(organization, { recipients: ['mona@acme.test', 'x@acme.test'] });
    assert.deepEqual(body.warnings, [
      'No email will be sent to mona@acme.test: this member has alert emails off.',
    ]);
    await checkAlert(organization, body.id);
    assert.deepEqual(mailed(), ['x@acme.test']);
  });

  test('with recipients and without notify_email mails nobody', async () => {
    const { organization, chat } = await spender();
    await checkAlert(
      organization,
      await newAlert(organization, { recipients: ['x@acme.test'], notify_email: false }),
    );
    assert.deepEqual([mailed(), chat.bodies.length], [[], 1]);
  });
});

describe('a snoozed alert', () => {
  const until = '2026-03-20T08:00:00.000Z';

  test('is judged and sends events, and notifies people once when the snooze ends', async () => {
    const { organization, chat } = await spender();
    const id = await newAlert(organization, { snoozed_until: until });
    const check = await checkAlert(organization, id);
    assert.deepEqual([check.triggered, check.notification_sent, check.state], [true, false, 'triggered']);
    await worker.processAll();
    assert.deepEqual([mailed(), chat.bodies.length], [[], 0]);
    const [event] = await eventsOf(testApp, organization, 'alert.triggered');
    assert.equal(event.data.snoozed, true);
    const [trigger] = await triggersOf(organization, id);
    const { data } = (await organization.get(`/api/v1/alerts/${id}/triggers/${trigger.id}`)).body;
    assert.deepEqual(
      data.notifications.map(({ next_attempt_at }: Record<string, string>) => next_attempt_at),
      [until, until],
    );
    clock.set(until);
    assert.equal((await organization.get(`/api/v1/alerts/${id}`)).body.snoozed_until, null);
    for (let round = 0; round < 2; round++) await worker.processAll();
    assert.deepEqual([mailed(), chat.bodies.length], [['boss@acme.test'], 1]);
    assert.equal((await triggersOf(organization, id))[0].notified, true);
  });

  test('that is resolved before the snooze ends notifies nobody, unless its trigger opens again', async () => {
    const { organization, chat } = await spender();
    const id = await newAlert(organization, { snoozed_until: until });
    await checkAlert(organization, id);
    await change(organization, id, { threshold_amount: 20 });
    const [resolved] = await eventsOf(testApp, organization, 'alert.resolved');
    assert.equal(resolved.data.snoozed, true);
    clock.set('2026-03-21T12:00:00Z');
    await worker.processAll();
    assert.equal(chat.bodies.length, 0);
    await change(organization, id, { threshold_amount: 10 });
    await checkAlert(organization, id);
    await worker.processAll();
    assert.deepEqual([mailed(), chat.bodies.length], [['boss@acme.test'], 1]);
    const events = await eventsOf(testApp, organization, 'alert.triggered');
    assert.equal(events.length, 1);
  });

  test('follows a changed snooze, and one that ends early', async () => {
    const { organization, chat } = await spender();
    const id = await newAlert(organization, { snoozed_until: until });
    await checkAlert(organization, id);
    const later = await change(organization, id, { snoozed_until: '2026-03-25T08:00:00Z' });
    assert.equal(later.body.snoozed_until, '2026-03-25T08:00:00.000Z');
    clock.set(until);
    await worker.processAll();
    assert.equal(chat.bodies.length, 0);
    const ended = await change(organization, id, { snoozed_until: null });
    assert.equal(ended.body.snoozed_until, null);
    await worker.processAll();
    assert.equal(chat.bodies.length, 1);
  });

  test('announces shares of its budget as snoozed', async () => {
    const { organization } = await spender();
    await newAlert(organization, { threshold_amount: 20, snoozed_until: until });
    await spend(organization, 4, '2026-03-18');
    await worker.processAll();
    const events = await eventsOf(testApp, organization, 'cost.threshold');
    assert.deepEqual(
      events.map(({ data }) => [data.threshold.percentage, data.snoozed]),
      [
        [50, true],
        [75, true],
      ],
    );
  });

  test('whose snooze is over takes its own representation back', async () => {
    const { organization } = await spender();
    const { body } = await createAlert(organization, { snoozed_until: until });
    assert.equal(body.snoozed_until, until);
    clock.set(until);
    const back = await change(organization, body.id, body);
    assert.deepEqual([back.status, back.body.snoozed_until], [200, null]);
  });
});

describe('acknowledging a trigger', () => {
  async function triggered() {
    const { organization } = await spender();
    const id = await newAlert(organization, { name: 'CI in May', notify_email: false, notify_chat: false });
    await checkAlert(organization, id);
    const [trigger] = await triggersOf(organization, id);
    return { organization, id, path: `/api/v1/alerts/${id}/triggers/${trigger.id}/acknowledge` };
  }

  test('keeps who did it first, when and why, and leaves one audit entry', async () => {
    const { organization, id, path } = await triggered();
    clock.forward(60);
    const member = await organization.newToken('member');
    const first = await organization.send('POST', path, { note: 'New matrix' }, member);
    assert.equal(first.status, 200, first.text);
    const { acknowledgement } = first.body.data;
    assert.deepEqual([acknowledgement.at, acknowledgement.note], [clock.now().toISOString(), 'New matrix']);
    assert.ok(acknowledgement.by);
    clock.forward(60);
    const again = await organization.send('POST', path, { note: 'Me too' });
    assert.deepEqual([again.status, again.body], [200, first.body]);
    const [listed] = await triggersOf(organization, id);
    assert.deepEqual(listed.acknowledgement, acknowledgement);
    const explained = await organization.get(path.replace('/acknowledge', ''));
    assert.deepEqual(explained.body.data.acknowledgement, acknowledgement);
    const { data } = (await organization.get('/api/v1/audit-log')).body;
    const entries = data.filter(({ target }: Record<string, string>) => target === id);
    const alert = { name: 'CI in May', trigger: path.split('/').at(-2) };
    assert.deepEqual(
      entries.map(({ action, details }: Record<string, unknown>) => [action, details]).slice(0, 2),
      [
        ['alert.acknowledge', { ...alert, note: 'New matrix' }],
        ['alert.check', alert],
      ],
    );
  });

  test('needs neither a body nor a note', async () => {
    const { organization, path } = await triggered();
    const answer = await organization.send('POST', path);
    assert.deepEqual([answer.status, answer.body.data.acknowledgement.note], [200, null]);
  });

  test('is refused to viewers, strangers and unknown fields', async () => {
    const { organization, path } = await triggered();
    const viewer = await organization.newToken('viewer');
    assertProblem(await organization.send('POST', path, {}, viewer), 403, 'role_too_low');
    assertProblem(await organization.send('POST', path, {}, 'none'), 401, 'invalid_token');
    const stranger = await testApp.newOrganization();
    assertProblem(await stranger.send('POST', path, {}), 404, 'alert_not_found');
    const unknown = path.replace(/trg_[^/]*/, 'trg_none');
    assertProblem(await organization.send('POST', unknown, {}), 404, 'trigger_not_found');
    for (const body of [{ reason: 'x' }, { note: '' }, { note: 'x'.repeat(1_001) }, { note: 1 }])
      assertProblem(await organization.send('POST', path, body), 400, 'invalid_request');
    const [trigger] = (await organization.get(path.replace(/\/[^/]*\/acknowledge/, ''))).body.triggers;
    assert.equal(trigger.acknowledgement, null);
  });
});
