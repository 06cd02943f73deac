import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAlert, newAlert, spend } from '../../../../test/harness/alerts.ts';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../../test/harness/app.ts';
import { openMailbox } from '../../../../test/harness/receivers.ts';
import { auditOf } from '../../../../test/harness/webhooks.ts';
import { checkDueAlerts } from '../../alerts/checkAlerts.ts';
import { sendNotifications } from '../notifications.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'alerts@runcost.example' });
const { app, clock, server } = testApp;
const publicUrl = 'https://costs.acme.test/runcost';

type Mail = { to: string; headers: Map<string, string>; text: string; html: string; link: string };

/** The emails about an alert of the organization that triggers now. */
async function alertMails(
  organization: TestOrganization,
  address = publicUrl,
  fields: object = {},
): Promise<Mail[]> {
  clock.set('2026-03-18T12:00:00Z');
  await spend(organization, 12, '2026-03-17');
  await newAlert(organization, fields);
  clock.set('2026-03-19T00:06:00Z');
  const program = { ...app, publicUrl: () => address };
  await checkDueAlerts(program);
  const before = mailbox.mails.length;
  await sendNotifications(program);
  return mailbox.mails.slice(before).map(({ to, email }) => {
    const headers = new Map(email.headers.map(({ key, value }) => [key, value]));
    const link = headers.get('list-unsubscribe')!.slice(1, -1);
    return { to, headers, text: email.text!, html: email.html!, link };
  });
}

async function addMember(organization: TestOrganization, email: string, role = 'admin'): Promise<string> {
  const answer = await organization.send('POST', '/api/v1/members', { email, role });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

/** Opens the link on the server itself, behind its proxy. */
function open(method: 'GET' | 'POST', link: string): Promise<Answer> {
  const url = link.replace(publicUrl, '');
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  return request(server, {
    method,
    url,
    ...(method === 'POST' && {
      headers: form,
      payload: 'List-Unsubscribe=One-Click',
    }),
  });
}

async function wantsMails(organization: TestOrganization, id: string): Promise<boolean> {
  const { body } = await organization.get('/api/v1/members');
  return body.data.find((member: { id: string }) => member.id === id).alert_emails;
}

describe('an alert email', () => {
  test('has its own unsubscribe link in the text, the HTML and the one-click headers', async () => {
    const organization = await testApp.newOrganization();
    await addMember(organization, 'ada@acme.test');
    await addMember(organization, 'bob@acme.test');
    const mails = await alertMails(organization);
    assert.deepEqual(mails.map(({ to }) => to).toSorted(), ['ada@acme.test', 'bob@acme.test']);
    for (const { headers, text, html, link } of mails) {
      assert.match(
        link,
        /^https:\/\/costs\.acme\.test\/runcost\/unsubscribe\/runcost_unsubscribe_[\w-]{97}$/,
      );
      assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
      assert.ok(text.includes(`\nUnsubscribe from alert emails:\n${link}\n`), text);
      assert.ok(html.includes(`href="${link}"`), html);
    }
    assert.equal(new Set(mails.map(({ link }) => link)).size, 2);
  });

  test('offers one click only over https, as the standard says', async () => {
    const organization = await testApp.newOrganization();
    await addMember(organization, 'ada@acme.test');
    const [mail] = await alertMails(organization, 'http://127.0.0.1:8080');
    assert.match(mail!.link, /^http:\/\/127\.0\.0\.1:8080\/unsubscribe\//);
    assert.equal(mail!.headers.get('list-unsubscribe-post'), undefined);
  });
});

describe('an unsubscribe link', () => {
  test('asks first, turns off the emails of its member only, and leaves an audit entry', async () => {
    const organization = await testApp.newOrganization();
    const ada = await addMember(organization, 'ada@acme.test');
    const bob = await addMember(organization, 'bob@acme.test', 'owner');
    const mails = await alertMails(organization);
    const { link } = mails.find(({ to }) => to === 'ada@acme.test')!;

    const question = await open('GET', link);
    assert.equal(question.status, 200, question.text);
    assert.match(question.text, /Unsubscribe from alert emails\?[^]*<form method="post">/);
    assert.match(String(question.headers['content-type']), /^text\/html/);
    assert.equal(question.headers['cache-control'], 'no-store');
    assert.equal(await wantsMails(organization, ada), true, 'mail scanners open links');

    for (const _ of ['once', 'twice']) {
      const done = await open('POST', link);
      assert.equal(done.status, 200, done.text);
      assert.match(done.text, /You are unsubscribed[^]*ada@acme\.test/);
    }
    assert.equal(await wantsMails(organization, ada), false);
    assert.equal(await wantsMails(organization, bob), true);
    const entries = (await auditOf(organization, ada)).filter(({ action }) => action === 'member.update');
    assert.deepEqual(
      entries.map(({ actor, details }) => [actor, details]),
      [['unsubscribe link', { alert_emails: false, before: { alert_emails: true } }]],
    );
    assert.deepEqual(
      (await alertMails(organization)).map(({ to }) => to),
      ['bob@acme.test'],
    );

    await organization.send('PUT', `/api/v1/members/${ada}`, { alert_emails: true });
    const again = await alertMails(organization);
    assert.equal(again.find(({ to }) => to === 'ada@acme.test')?.link, link, 'it stays the same');
  });

  test('is refused if altered, for a former address, or for a former member', async () => {
    const organization = await testApp.newOrganization();
    const ids: string[] = [];
    for (const name of ['ada', 'bob', 'cyd']) ids.push(await addMember(organization, `${name}@acme.test`));
    const mails = await alertMails(organization);
    const linkOf = (name: string) => mails.find(({ to }) => to.startsWith(name))!.link;
    const [ada, bob, cyd] = [linkOf('ada'), linkOf('bob'), linkOf('cyd')];
    await organization.send('PUT', `/api/v1/members/${ids[1]}`, { email: 'robert@acme.test' });
    await organization.send('DELETE', `/api/v1/members/${ids[2]}`);
    const other = (await testApp.newOrganization()).orgId.replaceAll('-', '');
    for (const link of ['%zz', 'x'.repeat(600)].flatMap((each) => [
      `/unsubscribe/${each}`,
      `/unsubscribe/digest/${each}`,
      `/subscribe/${each}`,
    ])) {
      const answer = await open('GET', link);
      assert.equal(answer.status, 404, answer.text);
      assert.match(answer.text, /^<!doctype html>[^]*This link is not valid/);
    }
    for (const link of [
      bob,
      cyd,
      `${ada}A`,
      ada.slice(0, -1),
      `${ada.slice(0, -43)}${bob.slice(-43)}`,
      ada.replace(organization.orgId.replaceAll('-', ''), other),
      '/unsubscribe/x',
      `/unsubscribe/${organization.token}`,
      ada.replace('/unsubscribe/', '/subscribe/'),
    ]) {
      for (const method of ['GET', 'POST'] as const) {
        const answer = await open(method, link);
        assert.equal(answer.status, 404, answer.text);
        assert.match(answer.text, /This link is not valid/);
      }
    }
    assert.deepEqual(await Promise.all([0, 1].map((index) => wantsMails(organization, ids[index]!))), [
      true,
      true,
    ]);
  });

  test('gives no other right, and is not in the log', async () => {
    const organization = await testApp.newOrganization();
    await addMember(organization, 'ada@acme.test');
    const [mail] = await alertMails(organization);
    await open('GET', mail!.link);
    const secret = mail!.link.slice(mail!.link.lastIndexOf('/') + 1);
    for (const headers of [{ authorization: `Bearer ${secret}` }, { cookie: `runcost_session=${secret}` }]) {
      const answer = await request(server, { method: 'GET', url: '/api/v1/members', headers });
      assert.equal(answer.status, 401);
    }
    assert.ok(!testApp.logged().includes(secret.slice(-43)));
  });

  test('stops all emails to somebody who is no member, who alone turns them on again', async () => {
    const organization = await testApp.newOrganization();
    const ada = await addMember(organization, 'ada@acme.test');
    await organization.send('PUT', `/api/v1/members/${ada}`, { alert_emails: false });
    const made = await organization.send('POST', '/api/v1/channels', {
      name: 'finance',
      kind: 'email',
      settings: { addresses: ['CFO@acme.test', 'ada@acme.test'] },
    });
    assert.equal(made.status, 201, made.text);
    const channel = made.body.data.id;
    const fields = { recipients: ['cfo@acme.test'], channel_ids: [channel] };
    const mails = await alertMails(organization, publicUrl, fields);
    assert.deepEqual(mails.map(({ to }) => to).toSorted(), ['CFO@acme.test', 'cfo@acme.test']);
    const [{ link }] = mails as [Mail];
    assert.match(link, /\/unsubscribe\/runcost_address_[\w-]{97}$/);
    for (const { headers, text, html } of mails) {
      assert.equal(headers.get('list-unsubscribe'), `<${link}>`);
      assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
      assert.ok(text.includes(`\nUnsubscribe:\n${link}\n`), text);
      assert.ok(html.includes(`href="${link}"`), html);
    }

    const again = link.replace('/unsubscribe/', '/subscribe/');
    for (const [method, to, title] of [
      ['GET', link, 'Unsubscribe from these emails?'],
      ['POST', link, 'You are unsubscribed'],
      ['POST', link, 'You are unsubscribed'],
      ['GET', again, 'Get these emails again?'],
    ] as const) {
      const page = await open(method, to);
      assert.equal(page.status, 200, page.text);
      assert.ok(page.text.includes(`<h1>${title}</h1>`), page.text);
    }
    assert.deepEqual(await alertMails(organization, publicUrl, fields), []);
    const { body } = await createAlert(organization, fields);
    assert.deepEqual(body.warnings, [
      'No email will be sent to cfo@acme.test: this person has unsubscribed.',
    ]);
    const tried = await organization.send('POST', '/api/v1/channels/test', { channel_id: channel });
    assert.equal(tried.body.data.error, 'CFO@acme.test has unsubscribed.');

    assert.equal((await open('POST', again)).status, 200);
    assert.equal((await alertMails(organization, publicUrl, fields)).length > 0, true);
    const [, , id] = /runcost_address_([0-9a-f]{32})_([0-9a-f]{20})_/.exec(link)!;
    assert.deepEqual(
      (await auditOf(organization, `adr_${id}`)).map(({ action, actor, summary }) => [
        action,
        actor,
        summary,
      ]),
      [
        ['mail_address.unsubscribe', 'unsubscribe link', 'stopped emails to cfo@acme.test'],
        ['mail_address.subscribe', 'unsubscribe link', 'let emails to cfo@acme.test through again'],
      ],
    );
    assert.ok(!testApp.logged().includes(link.slice(-43)));

    const cfo = await addMember(organization, 'CFO@acme.test', 'viewer');
    assert.match((await open('POST', link)).text, /You are unsubscribed[^]*Settings, Notifications/);
    assert.equal(await wantsMails(organization, cfo), false, 'as a member');
    assert.equal((await open('POST', again)).status, 404);
    assert.deepEqual(await alertMails(organization, publicUrl, fields), []);

    await organization.send('DELETE', `/api/v1/members/${cfo}`);
    assert.deepEqual(await alertMails(organization, publicUrl, fields), [], 'has left');
    const joined = await addMember(organization, 'cfo@acme.test', 'viewer');
    assert.equal(await wantsMails(organization, joined), false, 'has joined again');
    await organization.send('PUT', `/api/v1/members/${joined}`, { alert_emails: true });
    await organization.send('DELETE', `/api/v1/members/${joined}`);
    assert.deepEqual(await alertMails(organization, publicUrl, fields), [], 'only its owner turns them on');
  });

  test('holds for an address that a member gets or gives up', async () => {
    const organization = await testApp.newOrganization();
    const change = (id: string, fields: object) => organization.send('PUT', `/api/v1/members/${id}`, fields);
    const ada = await addMember(organization, 'ada@acme.test');
    await change(ada, { alert_emails: false });
    await change(ada, { email: 'ADA@acme.test' });
    await change(ada, { email: 'ada.l@acme.test' });
    assert.deepEqual(await alertMails(organization, publicUrl, { recipients: ['ada@acme.test'] }), []);
    const bob = await addMember(organization, 'bob@acme.test');
    await change(bob, { email: 'ada@acme.test' });
    assert.equal(await wantsMails(organization, bob), false);
  });
});
