import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newAlert, spend, triggersOf } from '../../../test/harness/alerts.ts';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';
import { checkDueAlerts } from '../alerts/checkAlerts.ts';
import { awaitSent, listNotifications, notificationPollers, sendNotifications } from './notifications.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'alerts@runcost.example' });
const { app, clock, worker } = testApp;
const program = { ...app, publicUrl: () => 'http://sender.example' };

type Triggered = {
  organization: TestOrganization;
  alertId: string;
  of: { orgId: string; triggerId: string };
};

/** An organization with a trigger whose messages are queued. */
async function trigger(options: { chatUrl?: string; members?: object[] }): Promise<Triggered> {
  clock.set('2026-03-18T12:00:00Z');
  const organization = await testApp.newOrganization();
  const { orgId, send } = organization;
  if (options.chatUrl) {
    const chat_webhook = { url: options.chatUrl, format: 'json' };
    assert.equal((await send('PUT', '/api/v1/organization', { chat_webhook })).status, 200);
  }
  for (const member of options.members ?? []) {
    assert.equal((await send('POST', '/api/v1/members', member)).status, 201);
  }
  await spend(organization, 12, '2026-03-17');
  const alertId = await newAlert(organization);
  clock.set('2026-03-19T00:06:00Z');
  await checkDueAlerts({ ...program, publicUrl: () => 'http://trigger.example' });
  const [{ id: triggerId }] = await triggersOf(organization, alertId);
  return { organization, alertId, of: { orgId, triggerId } };
}

function logged(triggerId: string): Record<string, unknown>[] {
  const lines = testApp.logged().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter((line) => line.trigger === triggerId);
}

describe('a message that fails', () => {
  test('is in the log and in the list, attempt by attempt, until it is given up', async () => {
    const chat = await openChat();
    chat.status = 503;
    const { of } = await trigger({ chatUrl: `${chat.url}/s3cret?token=s3cret` });
    await worker.processAll();
    const first = await listNotifications(app.db, of);
    assert.match(first[0]?.channelId ?? '', /^chn_/);
    assert.partialDeepStrictEqual(first, [
      {
        channel: 'chat',
        recipient: '',
        status: 'pending',
        attempts: 1,
        lastError: 'the receiver answered 503',
        sentAt: null,
        dueAt: new Date('2026-03-19T00:07:00Z'),
      },
    ]);
    for (let attempt = 2; attempt <= 9; attempt++) {
      clock.forward(12 * 3_600);
      await worker.processAll();
    }
    assert.equal(chat.bodies.length, 8);
    const [listed] = await listNotifications(app.db, of);
    assert.deepEqual([listed?.status, listed?.attempts], ['failed', 8]);
    const warnings = logged(of.triggerId);
    assert.equal(warnings.length, 8);
    const { level, organization, trigger: triggerId, channel, attempt, givenUp, reason } = warnings[7]!;
    assert.deepEqual(
      { level, organization, triggerId, channel, attempt, givenUp, reason },
      {
        level: 40,
        organization: of.orgId,
        triggerId: of.triggerId,
        channel: 'chat',
        attempt: 8,
        givenUp: true,
        reason: 'the receiver answered 503',
      },
    );
    assert.deepEqual(
      warnings.map((warning) => warning.givenUp),
      [false, false, false, false, false, false, false, true],
    );
    assert.doesNotMatch(testApp.logged(), /s3cret/);
  });

  test('because its chat was removed or refuses it permanently does not reveal the address', async () => {
    const chat = await openChat();
    chat.status = 404;
    const refused = await trigger({ chatUrl: `${chat.url}/s3cret` });
    const away = await trigger({ chatUrl: 'http://127.0.0.1:1/s3cret' });
    await worker.processAll();
    assert.deepEqual(
      [refused, away].map(({ of }) => logged(of.triggerId).map(({ givenUp, attempt }) => [givenUp, attempt])),
      [[[true, 1]], [[false, 1]]],
    );
    assert.doesNotMatch(testApp.logged(), /s3cret/);
    const [listed] = await listNotifications(app.db, away.of);
    assert.match(listed?.lastError ?? '', /ECONNREFUSED/);
    assert.doesNotMatch(listed?.lastError ?? '', /s3cret/);
  });
});

test('sends no email to somebody who no longer gets alert emails', async () => {
  const members = ['stays', 'leaves', 'declines', 'steps-down', 'moves'].map((name) => ({
    email: `${name}@acme.example`,
    role: 'admin',
  }));
  const { organization, of } = await trigger({ members });
  const { data } = (await organization.get('/api/v1/members')).body;
  const pathOf = (name: string) => {
    const { id } = data.find(({ email }: { email: string }) => email === `${name}@acme.example`);
    return `/api/v1/members/${id}`;
  };
  for (const changed of [
    await organization.send('DELETE', pathOf('leaves')),
    await organization.send('PUT', pathOf('declines'), { alert_emails: false }),
    await organization.send('PUT', pathOf('steps-down'), { role: 'member' }),
    await organization.send('PUT', pathOf('moves'), { email: 'elsewhere@acme.example' }),
  ]) {
    assert.equal(changed.status, 200, changed.text);
  }
  await worker.processAll();
  assert.deepEqual(
    mailbox.mails.map(({ to }) => to),
    ['stays@acme.example'],
  );
  const gone = 'the recipient no longer gets alert emails';
  assert.deepEqual(
    (await listNotifications(app.db, of)).map((row) => [row.recipient, row.status, row.lastError]),
    [
      ['declines@acme.example', 'failed', gone],
      ['leaves@acme.example', 'failed', gone],
      ['moves@acme.example', 'failed', gone],
      ['stays@acme.example', 'sent', null],
      ['steps-down@acme.example', 'failed', gone],
    ],
  );
});

test('the first accepted message marks the trigger as notified, and later ones keep its time', async () => {
  const chat = await openChat();
  chat.status = 503;
  const { of, organization } = await trigger({
    chatUrl: chat.url,
    members: [{ email: 'a@acme.example', role: 'owner' }],
  });
  const byChat = await newAlert(organization, { notify_email: false });
  clock.set('2026-03-20T00:06:00Z');
  await checkDueAlerts(program);
  const [{ id: other }] = await triggersOf(organization, byChat);
  const notifiedAt = async (triggerId: string) => {
    const query = app.db.selectFrom('alertTriggers').select('notifiedAt').where('id', '=', triggerId);
    return (await query.executeTakeFirstOrThrow()).notifiedAt;
  };
  assert.equal(await notifiedAt(of.triggerId), null);
  await worker.processAll();
  const first = clock.now();
  assert.deepEqual([await notifiedAt(of.triggerId), await notifiedAt(other)], [first, null]);
  chat.status = 200;
  clock.forward(61);
  await worker.processAll();
  assert.equal(chat.bodies.length, 4);
  assert.deepEqual([await notifiedAt(of.triggerId), await notifiedAt(other)], [first, clock.now()]);
});

test('a message links to the address of the process that sends it', async () => {
  const chat = await openChat();
  const { of } = await trigger({ chatUrl: chat.url, members: [{ email: 'b@acme.example', role: 'owner' }] });
  await sendNotifications(program, of);
  const [body] = chat.bodies as { dashboard_url: string; alert_url: string; alert: { id: string } }[];
  assert.equal(body?.dashboard_url, `http://sender.example/?org=${of.orgId}`);
  assert.equal(body.alert_url, `http://sender.example/alerts/${body.alert.id}?org=${of.orgId}`);
  const text = mailbox.mails.find(({ to }) => to === 'b@acme.example')?.email.text ?? '';
  assert.match(text, /http:\/\/sender\.example\/alerts\/[\w-]+\?org=[\w-]+\n/);
  assert.doesNotMatch(text + JSON.stringify(chat.bodies), /trigger\.example/);
});

describe('waiting for messages', () => {
  test('sends none, and returns whether one was accepted', async () => {
    const chat = await openChat();
    const { of } = await trigger({ chatUrl: chat.url });
    await assert.rejects(awaitSent(app, of, AbortSignal.abort()), /abort/);
    assert.equal(chat.bodies.length, 0);
    const waiting = awaitSent(app, of, new AbortController().signal);
    await worker.processAll();
    assert.equal(await waiting, true);
    assert.equal(chat.bodies.length, 1);
  });

  test('ends after the first attempts', async () => {
    const chat = await openChat();
    chat.status = 503;
    const { of } = await trigger({ chatUrl: chat.url });
    await worker.processAll();
    assert.equal(await awaitSent(app, of, new AbortController().signal), false);
  });
});

test('a stopped sender returns its own leases, so that their messages are sent at once', async () => {
  const [silent, held] = [await openChat(), await openChat()];
  silent.status = 'never';
  const { of } = await trigger({ chatUrl: silent.url });
  const elsewhere = await trigger({ chatUrl: held.url });
  const leasedUntil = new Date(clock.now().getTime() + 120_000);
  await app.db
    .updateTable('notifications')
    .set({ lease: 'of another process', leasedUntil })
    .where('orgId', '=', elsewhere.of.orgId)
    .execute();
  const sending = sendNotifications(program);
  await silent.taken(1);
  for (const { stop } of notificationPollers(program)) await stop?.();
  silent.status = 200;
  await (await testApp.secondWorker()).processAll();
  assert.deepEqual([silent.bodies.length, held.bodies.length], [2, 0]);
  // The result of the stopped attempt no longer counts.
  silent.hangUp();
  await sending;
  const [listed] = await listNotifications(app.db, of);
  assert.deepEqual([listed?.status, listed?.attempts, listed?.lastError], ['sent', 2, null]);
});

describe('the email of an alert', () => {
  test('has the organization, the forecast and a picture of the last weeks', async () => {
    await trigger({ members: [{ email: 'mona@picture.test', role: 'admin' }] });
    await worker.processAll();
    const { text, html, attachments } = mailbox.mails.findLast(({ to }) => to === 'mona@picture.test')!.email;
    assert.match(text!, /Forecast +\$[\d.,]+ by Mar 31/);
    assert.match(text!, /Daily cost, Mar 16 to Mar 18\. Highest: \$12\.00 on Mar 17\./);
    assert.match(html!, /Budget exceeded · acme/);
    assert.match(html!, /src="cid:daily-cost"/);
    assert.deepEqual(
      attachments.map(({ mimeType }) => mimeType),
      ['image/png'],
    );
  });
});
