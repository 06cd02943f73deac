import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { openMailbox } from '../../../test/harness/receivers.ts';
import { auditOf } from '../../../test/harness/webhooks.ts';

const mailbox = await openMailbox();
const publicUrl = 'https://costs.acme.test';
const testApp = await startTestApp({
  SMTP_URL: mailbox.url,
  EMAIL_FROM: 'bill@runcost.example',
  PUBLIC_URL: publicUrl,
});
const path = '/api/v1/bills/months/2026-02/send';

test('sends a month close to anybody, who can stop such emails', async () => {
  const { organization, work, bill } = await newBilledCompany(testApp);
  await work({ day: '2026-02-03', minutes: 7 });
  await work({ day: '2026-02-05', minutes: 2 });
  await work({ day: '2026-02-04', private: false });
  await bill(
    { date: '2026-02-01' },
    { date: '2026-02-03', quantity: 7, gross: 0.056 },
    { date: '2026-02-05', quantity: 2, gross: 0.016 },
    { date: '2026-02-28' },
  );
  const rule = { kind: 'team', owner: 'Web', repository: 'acme/api', valid_from: '2026-02-05' };
  assert.equal((await organization.send('POST', '/api/v1/ownership/rules', rule)).status, 201);
  const member = { email: 'ada@acme.test', role: 'admin' };
  assert.equal((await organization.send('POST', '/api/v1/members', member)).status, 201);
  const to = ['ada@acme.test', 'cfo@acme.test'];
  const sent = await organization.send('POST', path, { to });
  assert.equal(sent.status, 200, sent.text);
  assert.deepEqual(
    sent.body.data,
    to.map((email) => ({ email, delivered: true, error: null })),
  );
  const mailTo = (address: string) => mailbox.mails.find((mail) => mail.to === address)!.email;
  const [ada, cfo] = [mailTo('ada@acme.test'), mailTo('cfo@acme.test')];
  assert.equal(cfo.subject, 'Month close: acme, February 2026 ($0.15 billed)');
  const reasons = [
    '  List cost           $0.11',
    '  Public repository   −$0.04',
    '  Before Runcost      +$0.04',
    '  Not delivered       +$0.04',
    '  Billed              $0.15',
  ];
  assert.ok(
    cfo.text!.includes(
      // Rounded alone, 0.016 and 0.096 dollars would be a cent too much.
      `\n${reasons.join('\n')}\n\nTeams, list cost:\n  Web: $0.02 (net $0.02)\n  Unowned: $0.09 (net $0.05)\n`,
    ),
    cfo.text,
  );
  const linkIn = (email: typeof cfo) => email.headers.find(({ key }) => key === 'list-unsubscribe')?.value;
  assert.equal(linkIn(ada), undefined);
  const link = linkIn(cfo)!.slice(1, -1);
  assert.ok(cfo.text!.includes(`\nUnsubscribe:\n${link}\n`) && cfo.html!.includes(`href="${link}"`));
  assert.deepEqual(
    (await auditOf(organization, '2026-02')).map(({ summary }) => summary),
    ['sent the close of 2026-02 to ada@acme.test and cfo@acme.test'],
  );

  const stopped = await request(testApp.server, { method: 'POST', url: link.replace(publicUrl, '') });
  assert.equal(stopped.status, 200, stopped.text);
  const again = await organization.send('POST', path, { to: ['CFO@acme.test'] });
  assert.deepEqual(again.body.data, [
    { email: 'CFO@acme.test', delivered: false, error: 'CFO@acme.test has unsubscribed.' },
  ]);
  assert.equal((await auditOf(organization, '2026-02')).length, 1, 'nothing was sent');
});

test('is for admins who may read costs, needs an address, and a month', async () => {
  const { organization } = await newBilledCompany(testApp);
  const readAndSend = ['costs:read', 'alerts:write'];
  const send = async (body: object, role = 'owner', at = path, scopes = readAndSend) => {
    const made = await organization.send('POST', '/api/v1/tokens', { name: 'x', role, scopes });
    const headers = { authorization: `Bearer ${made.body.data.token}` };
    const { status, body: answer } = await request(testApp.server, {
      method: 'POST',
      url: at,
      headers,
      payload: body,
    });
    return [status, answer.code];
  };
  const to = ['cfo@acme.test'];
  assert.deepEqual(await send({ to }, 'member'), [403, 'role_too_low']);
  assert.deepEqual(await send({ to }, 'owner', path, ['alerts:write']), [403, 'scope_missing']);
  assert.deepEqual(await send({}), [409, 'no_address']);
  assert.deepEqual(await send({ to: ['cfo'] }), [400, 'invalid_request']);
  assert.deepEqual(await send({ to }, 'owner', path.replace('2026-02', '2026-13')), [404, 'month_not_found']);
});

test('an organization sends at most 200 emails a day', async () => {
  const { organization } = await newBilledCompany(testApp);
  const send = (name: string) => organization.send('POST', path, { to: [`${name}@acme.test`] });
  assert.equal((await send('cfo')).status, 200);
  await sql`update audit_entries set details = jsonb_set(details, '{to}', to_jsonb(array_fill('x'::text, array[199])))
    where org_id = ${organization.orgId} and action = 'month_close.send'`.execute(testApp.app.db);
  assert.equal((await send('cfo')).status, 200);
  const before = mailbox.mails.length;
  assertProblem(await send('ceo'), 429, 'rate_limited');
  assert.equal(mailbox.mails.length, before);
});
