import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { newAlert, spend } from '../../../test/harness/alerts.ts';
import { request, startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { burstUntil, jobOf, runOf } from '../../../test/harness/dailyRuns.ts';
import { openChat, openMailbox } from '../../../test/harness/receivers.ts';
import { submit } from '../../../test/harness/submission.ts';
import { auditOf } from '../../../test/harness/webhooks.ts';
import { cliActor, type Scope } from '../../platform/lib/actor.ts';
import { sendNotifications } from '../notifications/notifications.ts';
import { planDigests } from './planDigests.ts';
import { sendDigestNow } from './preview.ts';
import { unsubscribeFromDigest } from './unsubscribe.ts';

const mailbox = await openMailbox();
const testApp = await startTestApp({ SMTP_URL: mailbox.url, EMAIL_FROM: 'ci@runcost.example' });
const { app, clock, server } = testApp;
const publicUrl = 'https://costs.acme.test/runcost';
const program = { ...app, publicUrl: () => publicUrl };

/** An organization with costs in two weeks, on Tuesday, March 17. */
async function newCompany(): Promise<TestOrganization> {
  clock.set('2026-03-17T12:00:00Z');
  const organization = await testApp.newOrganization();
  for (const day of ['2026-03-03', '2026-03-05']) await spend(organization, 2, day, 'Build');
  for (const day of ['2026-03-09', '2026-03-10', '2026-03-11']) await spend(organization, 2, day, 'Build');
  await spend(organization, 4, '2026-03-12', 'Deploy');
  await spend(organization, 1, '2026-03-16', 'Build');
  return organization;
}

async function newDigest(organization: TestOrganization, fields: object = {}, as?: string): Promise<string> {
  const body = { frequency: 'weekly', is_personal: false, recipients: ['cto@acme.test'], ...fields };
  const answer = await organization.send('POST', '/api/v1/digests', body, as);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data.id;
}

/** What is sent at this time. */
async function sentAt(time: string) {
  clock.set(time);
  const before = mailbox.mails.length;
  await planDigests(program);
  await sendNotifications(program);
  return mailbox.mails.slice(before);
}

async function addMember(organization: TestOrganization, email: string, role = 'viewer') {
  const { body } = await organization.send('POST', '/api/v1/members', { email, role });
  const { id } = body.data;
  const token = { name: 'own', role, member_id: id };
  const answer = await organization.send('POST', '/api/v1/tokens', token);
  return { id, token: answer.body.data.token as string };
}

/** Runs `change` once, right after digests of the organization were read. */
function changing({ orgId }: TestOrganization, change: () => Promise<unknown>) {
  let isChanged = false;
  const db = app.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isChanged && result.rows.some((row) => 'frequency' in row && Object.values(row).includes(orgId))) {
        isChanged = true;
        await change();
      }
      return result;
    },
  });
  return { ...program, db };
}

const monday = '2026-03-23T08:00:00Z';

describe('a digest by email', () => {
  test('has the costs of the week, with causes, budget, forecast and chart', async () => {
    const organization = await newCompany();
    await newAlert(organization, { name: 'CI budget', threshold_amount: 20 });
    await newAlert(organization, { name: 'Small budget', threshold_amount: 14.94 });
    await newDigest(organization);
    // One week later, so that the week that starts on March 9 is the latest.
    clock.set('2026-03-16T07:59:00Z');
    const preview = await organization.get('/api/v1/digests/preview', { frequency: 'weekly' });
    assert.deepEqual(preview.body.data.period, { start: '2026-03-02', end: '2026-03-08' });
    const early = await sentAt('2026-03-23T07:59:00Z');
    assert.deepEqual(early, []);
    const [mail, ...others] = await sentAt(monday);
    assert.deepEqual(others, []);
    assert.equal(mail!.to, 'cto@acme.test');
    const { subject, text, html, attachments } = mail!.email;
    assert.equal(subject, 'Weekly digest: acme ($1.00, −90% vs previous week)');
    assert.match(text!, /acme: CI cost \$1\.00 last week, \$9\.00 less than the week before\./);
    assert.match(text!, /Period +Mar 16 to Mar 22, 2026 \(UTC\)/);
    assert.match(text!, /CI budget: \$15\.00 of \$20\.00 \(75%\), Mar 1 to Mar 31\n/);
    assert.match(html!, /class="filled"\s+width="75%"[^]+class="track"\s+width="25%"/);
    assert.match(text!, /Small budget: \$15\.00 of \$14\.94 \(100%, over budget\)/);
    assert.match(html!, /class="over"\s+width="100%"/);
    assert.match(text!, /Forecast for March/);
    assert.match(html!, /src="cid:daily-cost"[^>]+alt="Daily cost: highest \$1\.00 on Monday, lowest/s);
    assert.doesNotMatch(html!, /src="http/);
    const [chart] = attachments;
    assert.deepEqual([chart!.mimeType, chart!.contentId], ['image/png', '<daily-cost>']);
    assert.equal(
      Buffer.from(chart!.content as ArrayBuffer)
        .subarray(1, 4)
        .toString(),
      'PNG',
    );
  });

  test('says what happened to a workflow that rose', async () => {
    clock.set('2026-03-17T12:00:00Z');
    const organization = await testApp.newOrganization();
    const licenses = (day: string) => runOf(day, day, [jobOf(day, day, 100)], { workflow_name: 'Licenses' });
    await submit(organization, ...burstUntil('2026-03-17'), ...['2025-12-01', '2026-03-11'].map(licenses));
    const { body } = await organization.get('/api/v1/digests/preview', { frequency: 'weekly' });
    const [{ workflow, cause }, again] = body.data.risers;
    assert.deepEqual([workflow, again.workflow], ['CI', 'Licenses']);
    assert.match(
      cause,
      /^Mar 10–12 cost \$43\.20 more: 3 new macOS 3-core jobs of CI in acme\/mobile, from pull request 482\./,
    );
    assert.match(body.data.text, /Mar 10–12 cost \$43\.20 more[^]+It ran again/);
  });

  test('names the workflows that rose most, and why', async () => {
    const organization = await newCompany();
    clock.set('2026-03-16T09:00:00Z');
    const { body } = await organization.get('/api/v1/digests/preview');
    assert.deepEqual(
      body.data.risers.map((riser: { workflow: string; change: number; cause: string }) => [
        riser.workflow,
        riser.change,
        riser.cause,
      ]),
      [
        ['Deploy', 4, 'New: it had no jobs before.'],
        ['Build', 2, body.data.risers[1].cause],
      ],
    );
    assert.match(body.data.risers[1].cause, /^.*more jobs.*\(\+\$2\.00\)\.$/i);
    assert.match(
      body.data.text,
      /Largest increases:[^]+Deploy \(acme\/api\)\n +New: it had no jobs before\./,
    );
    assert.match(body.data.html, /src="data:image\/svg\+xml;base64,/);
    assert.match(body.data.html, />\s*Mon\s*<\/td>[^]*>\s*Sun\s*<\/td>/, 'under the bars');
  });

  test('is sent once for each period, however often workers start and whoever of them dies', async () => {
    const organization = await newCompany();
    const id = await newDigest(organization, { recipients: ['a@acme.test', 'b@acme.test'] });
    clock.set(monday);
    // Two workers plan at the same time, and one of two senders dies before it stores what it sent.
    const before = mailbox.mails.length;
    await Promise.all([planDigests(program), planDigests(program)]);
    assert.equal(await planDigests(program), 0);
    await app.db
      .updateTable('digests')
      .set({ nextAt: new Date(monday) })
      .where('id', '=', id)
      .execute();
    await planDigests(program);
    await app.db.updateTable('digests').set({ sentUntil: null }).where('id', '=', id).execute();
    await app.db
      .updateTable('digests')
      .set({ nextAt: new Date(monday) })
      .where('id', '=', id)
      .execute();
    await planDigests(program);
    await sendNotifications(program);
    await sendNotifications(program);
    const mails = mailbox.mails.slice(before);
    assert.deepEqual(mails.map(({ to }) => to).toSorted(), ['a@acme.test', 'b@acme.test']);
    // After weeks without a server, only the latest week is sent.
    const late = (await sentAt('2026-04-15T10:00:00Z')).filter(({ to }) => to !== 'cto@acme.test');
    assert.equal(late.length, 2);
    assert.match(late[0]!.email.text!, /Apr 6 to Apr 12, 2026/);
  });

  test('goes to members at their present address, and to none who has left', async () => {
    const organization = await newCompany();
    const { id: ada } = await addMember(organization, 'ada@acme.test');
    const { id: bob, token } = await addMember(organization, 'bob@acme.test');
    await newDigest(organization, { recipients: ['Ada@acme.test', 'bob@acme.test'] });
    await newDigest(organization, { is_personal: true, recipients: [] }, token);
    // The address changes while the message waits.
    clock.set(monday);
    await planDigests(program);
    await organization.send('PUT', `/api/v1/members/${ada}`, { email: 'lovelace@acme.test' });
    const first = await sentAt('2026-03-23T08:01:00Z');
    assert.deepEqual(first.map(({ to }) => to).toSorted(), [
      'bob@acme.test',
      'bob@acme.test',
      'lovelace@acme.test',
    ]);
    await organization.send('DELETE', `/api/v1/members/${bob}`);
    const mails = await sentAt('2026-03-30T08:00:00Z');
    assert.deepEqual(
      mails.map(({ to }) => to),
      ['lovelace@acme.test'],
    );
    // A member who leaves while a message waits does not get it.
    clock.set('2026-04-06T08:00:00Z');
    await planDigests(program);
    await organization.send('DELETE', `/api/v1/members/${ada}`);
    assert.deepEqual(await sentAt('2026-04-06T08:01:00Z'), []);
  });

  test('of a team has its costs and budgets only', async () => {
    const organization = await newCompany();
    const rule = { kind: 'team', owner: 'Shipping', workflow: 'Deploy' };
    assert.equal((await organization.send('POST', '/api/v1/ownership/rules', rule)).status, 201);
    await newAlert(organization, { name: 'All' });
    await newAlert(organization, { name: 'Ours', scope: { type: 'team', value: 'Shipping' } });
    clock.set('2026-03-16T09:00:00Z');
    const { body } = await organization.get('/api/v1/digests/preview', { team: 'Shipping' });
    assert.equal(body.data.total, 4);
    assert.deepEqual(
      body.data.budgets.map(({ name }: { name: string }) => name),
      ['Ours'],
    );
    assert.match(body.data.subject, /^Weekly digest: Team Shipping of acme \(\$4\.00\)$/);
    const previewOf = async (...scopes: Scope[]) => {
      const headers = { authorization: `Bearer ${await organization.newToken('viewer', scopes)}` };
      const url = '/api/v1/digests/preview';
      const { budgets, text, html } = (await request(server, { method: 'GET', url, headers })).body.data;
      return { count: budgets.length, isNamed: /Budgets|Ours/.test(text + html) };
    };
    assert.deepEqual(await previewOf('costs:read', 'alerts:read'), { count: 2, isNamed: true });
    assert.deepEqual(await previewOf('costs:read'), { count: 0, isNamed: false });
  });

  test('that its owner changes while a worker plans keeps its new time', async () => {
    const organization = await newCompany();
    const { token } = await addMember(organization, 'kim@acme.test');
    const own = { is_personal: true, recipients: [], frequency: 'monthly' };
    const broken = { ...program.digestSources, findBiggestSaving: () => Promise.reject(new Error('broken')) };
    // One digest is read because the time zone changed, the other because it is due; its figures fail.
    for (const [time, sources, expected] of [
      ['2026-03-18T12:00:00Z', program.digestSources, '2026-03-23T07:00:00.000Z'],
      ['2026-04-01T08:00:00Z', broken, '2026-04-06T06:00:00.000Z'],
    ] as const) {
      const id = await newDigest(organization, own, token);
      await organization.send('PUT', '/api/v1/organization', { time_zone: 'Europe/Berlin' });
      clock.set(time);
      const change = () => organization.send('PUT', `/api/v1/digests/${id}`, { frequency: 'weekly' }, token);
      const planning = planDigests({ ...changing(organization, change), digestSources: sources });
      if (sources === broken) await assert.rejects(planning);
      else await planning;
      const headers = { authorization: `Bearer ${token}` };
      const { body } = await request(server, { method: 'GET', url: '/api/v1/digests', headers });
      const found = body.data.find((digest: { id: string }) => digest.id === id);
      assert.deepEqual([found.frequency, found.next_at], ['weekly', expected]);
      await organization.send('DELETE', `/api/v1/digests/${id}`, undefined, token);
    }
  });
});

describe('the link to unsubscribe', () => {
  test('asks once, stops this digest for this recipient only, and needs no sign-in', async () => {
    const organization = await newCompany();
    const { token } = await addMember(organization, 'eve@acme.test');
    const id = await newDigest(organization, { recipients: ['a@acme.test', 'b@acme.test'] });
    const own = await newDigest(organization, { is_personal: true, recipients: [] }, token);
    const mails = await sentAt(monday);
    const linkTo = (to: string) => {
      const { email } = mails.find((mail) => mail.to === to)!;
      const headers = new Map(email.headers.map(({ key, value }) => [key, value]));
      assert.equal(headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click');
      const link = headers.get('list-unsubscribe')!.slice(1, -1);
      assert.ok(email.text!.includes(`\nUnsubscribe from this digest:\n${link}\n`));
      return link;
    };
    const [a, e] = [linkTo('a@acme.test'), linkTo('eve@acme.test')];
    const open = (method: 'GET' | 'POST', link: string) =>
      request(server, {
        method,
        url: link.replace(publicUrl, ''),
        ...(method === 'POST' && {
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: 'List-Unsubscribe=One-Click',
        }),
      });
    const question = await open('GET', a);
    assert.match(question.text, /Unsubscribe from this digest\?[^]*weekly digest[^]*<form method="post">/);
    for (const _ of ['once', 'twice']) assert.match((await open('POST', a)).text, /no longer sends/);
    await open('POST', e);
    for (const link of [
      `${a}A`,
      a.slice(0, -1),
      `${a.slice(0, -43)}${e.slice(-43)}`,
      '/unsubscribe/digest/x',
    ]) {
      for (const method of ['GET', 'POST'] as const) {
        const { status, text } = await open(method, link);
        assert.equal(status, 404);
        assert.match(text, /This link is not valid[^]*Settings, Notifications, Digests/);
        assert.doesNotMatch(text, /alert/);
      }
    }
    const next = await sentAt('2026-03-30T08:00:00Z');
    assert.deepEqual(
      next.map(({ to }) => to),
      ['b@acme.test'],
    );
    const entries = (await auditOf(organization, id)).map(({ action, actor, details }) => [
      action,
      actor,
      details,
    ]);
    assert.deepEqual(entries.at(-1), ['digest.unsubscribe', 'unsubscribe link', { email: 'a@acme.test' }]);
    // The owner of a personal digest turns it on again.
    const turnedOn = await organization.send('PUT', `/api/v1/digests/${own}`, { enabled: true }, token);
    assert.equal(turnedOn.body.data.recipients[0].unsubscribed_at, null);
    assert.equal((await sentAt('2026-04-06T08:00:00Z')).length, 2);
  });
});

test('one sent to yourself now has your own link, and says whose it is not', async () => {
  const organization = await newCompany();
  const { id: memberId, token } = await addMember(organization, 'zoe@acme.test', 'admin');
  const sendNow = async (id: string, as = token) => {
    const { status, body } = await organization.send('POST', `/api/v1/digests/${id}/send`, undefined, as);
    return { status, code: body.code, mail: mailbox.mails.at(-1)!.email };
  };
  const others = await sendNow(await newDigest(organization));
  assert.match(others.mail.text!, /You\s+are\s+not\s+one\s+of\s+its\s+recipients/);
  const id = await newDigest(organization, { recipients: ['zoe@acme.test'] });
  const { mail } = await sendNow(id);
  const [, link] = /\nUnsubscribe from this digest:\n.*\/unsubscribe\/digest\/(\S+)\n/.exec(mail.text!)!;
  assert.ok(mail.headers.some(({ key }) => key === 'list-unsubscribe'));
  await unsubscribeFromDigest(program, link!);
  const { body } = await organization.get('/api/v1/digests');
  const { warnings } = body.data.find((digest: { id: string }) => digest.id === id);
  assert.deepEqual(warnings, ['Nobody gets it: all recipients have unsubscribed.']);
  const ctx = { ...program, actor: cliActor(organization.orgId) };
  await assert.rejects(sendDigestNow(ctx, id, 'zoe@acme.test'), /zoe@acme\.test has unsubscribed/);
  const narrow = { name: 'narrow', role: 'admin', scopes: ['alerts:write'], member_id: memberId };
  const { body: made } = await organization.send('POST', '/api/v1/tokens', narrow);
  const refused = await sendNow(id, made.data.token);
  assert.deepEqual([refused.status, refused.code], [403, 'scope_missing']);
});

test('one sent to another member now needs the role admin', async () => {
  const organization = await newCompany();
  const { token } = await addMember(organization, 'ada@acme.test', 'admin');
  const viewer = await addMember(organization, 'ben@acme.test');
  const own = await newDigest(organization, { is_personal: true, recipients: [] }, viewer.token);
  const sendTo = async (id: string, to: string, as: string) => {
    const { status, body } = await organization.send('POST', `/api/v1/digests/${id}/send`, { to }, as);
    return [status, body.code ?? mailbox.mails.at(-1)!.to];
  };
  assert.deepEqual(await sendTo(own, 'ada@acme.test', viewer.token), [403, 'role_too_low']);
  assert.deepEqual(await sendTo(own, 'ben@acme.test', viewer.token), [200, 'ben@acme.test']);
  const shared = await newDigest(organization);
  assert.deepEqual(await sendTo(shared, 'ben@acme.test', token), [200, 'ben@acme.test']);
  assert.deepEqual(await sendTo(shared, 'cy@acme.test', token), [409, 'no_address']);
});

test('unsubscribing leaves what a worker has planned meanwhile', async () => {
  const organization = await newCompany();
  const { token } = await addMember(organization, 'eve@acme.test');
  await newDigest(organization, { is_personal: true, recipients: [] }, token);
  const mail = (await sentAt(monday)).find(({ to }) => to === 'eve@acme.test')!;
  const link = /unsubscribe\/digest\/(\S+)/.exec(mail.email.text!)![1]!;
  clock.set('2026-03-30T08:00:00Z');
  await unsubscribeFromDigest(
    changing(organization, () => planDigests(program)),
    link,
  );
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await request(server, { method: 'GET', url: '/api/v1/digests', headers });
  assert.deepEqual([body.data[0].enabled, body.data[0].sent_until], [false, '2026-03-29']);
});

describe('a digest in a chat', () => {
  test('has the same sections, in the format of the chat', async () => {
    const organization = await newCompany();
    const chat = await openChat();
    await newAlert(organization, { name: '*CI* <budget>' });
    const id = await newDigest(organization, { recipients: [], chat: true, frequency: 'monthly' });
    for (const [index, format] of ['slack', 'teams', 'discord', 'json'].entries()) {
      const chat_webhook = { url: chat.url, format };
      await organization.send('PUT', '/api/v1/organization', { chat_webhook });
      await sentAt(`2026-0${index + 4}-01T08:00:00Z`);
      assert.equal(chat.bodies.length, index + 1);
    }
    const [slack, teams, discord, plain] = chat.bodies.map((body) => JSON.stringify(body));
    assert.match(slack!, /Monthly digest: acme\. acme: CI cost \$15\.00 last month/);
    assert.match(slack!, /▁/);
    assert.match(slack!, /"type":"plain_text","text":"\*CI\* &lt;budget&gt;: \$15\.00 of \$10\.00/);
    assert.match(teams!, /"text":"\*CI\* <budget>: \$0\.00 of \$10\.00/);
    assert.match(discord!, /"color":2056150/);
    const { event, period, total } = JSON.parse(plain!);
    assert.deepEqual([event, period, total], ['digest', { start: '2026-06-01', end: '2026-06-30' }, 0]);
    await organization.send('PUT', `/api/v1/digests/${id}`, { enabled: false });
    await sentAt('2026-08-01T08:00:00Z');
    assert.equal(chat.bodies.length, 4);
  });
});
