import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, runCommand, serveHere } from '../../test/harness/program.ts';
import { openChat, openMailbox } from '../../test/harness/receivers.ts';

const settings = await newStorage();

type Organization = { org_id: string; token: string };
const { run: alert, json, printed } = commandsOf('alert', settings);

const acme: Organization = await json('org', 'create', '--name', 'acme');
const ofAcme = ['--org', acme.org_id];
const minute = 60_000;
const daysAgo = (days: number) => new Date(Date.now() - days * 1_440 * minute);
const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

/** 125 minutes on 2-core Linux cost a dollar. */
function runCosting(dollars: number, end: Date): object {
  const startOf = (cost: number) => new Date(end.getTime() - cost * 125 * minute);
  const started_at = startOf(Math.min(dollars, 1));
  const run_id = `${dollars}-${end.getTime()}`;
  const jobs = Array.from({ length: Math.ceil(dollars) }, (_, place) => {
    const job = {
      runner: 'linux_2_core',
      started_at: startOf(Math.min(1, dollars - place)),
      completed_at: end,
    };
    return { job_id: String(place), ...job };
  });
  const names = { workflow_name: 'CI', repo_name: 'acme/api' };
  return { run_id, ...names, status: 'completed', conclusion: 'success', created_at: started_at, jobs };
}

function rowsOf(table: string): string[][] {
  const lines = table.trim().split('\n').slice(1);
  return lines.map((line) => line.trim().split(/ {2,}/));
}

async function ask(
  address: string,
  { token }: Organization,
  path: string,
  body?: object,
  method = body ? 'POST' : 'GET',
): Promise<Json> {
  const response = await fetch(`${address}/api/v1/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const answer = await response.json();
  assert.ok(response.ok, JSON.stringify(answer));
  return answer;
}

const mailbox = await openMailbox();
const server = await serveHere(settings, {
  SMTP_URL: mailbox.url,
  EMAIL_FROM: 'Runcost <alerts@runcost.test>',
  PUBLIC_URL: 'http://localhost:4711',
});
await ask(server.address, acme, 'members', { email: 'boss@acme.test', role: 'owner' });
const month = await newAlert('Month', { alert_type: 'budget', threshold_amount: 10 });
const jump = await newAlert('Jump', { alert_type: 'anomaly', threshold_amount: 50 });
const ample = await newAlert('Ample', { alert_type: 'budget', threshold_amount: 999, enabled: false });
await ask(server.address, acme, 'runs', { runs: [runCosting(12, new Date())] });

async function newAlert(name: string, fields: object): Promise<string> {
  const path = `alerts?org_id=${acme.org_id}`;
  return (await ask(server.address, acme, path, { name, ...fields })).id;
}

test('without alerts, the list says how to create one, and a preview finds no history', async () => {
  const own = await newStorage();
  assert.equal((await runCommand(['org', 'create', '--name', 'acme'], own)).code, 0);
  const run = (...args: string[]) => runCommand(['alert', ...args], own);
  assert.deepEqual(await run('list', '--json'), { code: 0, stdout: '[]\n', stderr: '' });
  const list = await run('list');
  assert.deepEqual([list.code, list.stdout], [0, '']);
  assert.match(list.stderr, /No alerts yet.*alert preview/);
  const preview = await run('preview', '--type', 'budget', '--threshold', '5');
  assert.equal(preview.code, 0);
  assert.match(preview.stdout, /^WOULD HAVE TRIGGERED +VALUE +PERIOD\s*$/);
  assert.match(preview.stderr, /would not have triggered[^]*Not enough history/);
});

test('beside a running server, lists and checks alerts like its API', async () => {
  const { period, as_of, ...check } = await json('alert', 'check', month);
  assert.ok(period.start <= period.end && period.start <= as_of);
  assert.deepEqual(check, {
    checked: true,
    triggered: true,
    current_value: 12,
    threshold_value: 10,
    notification_sent: true,
    state: 'triggered',
    observed: 12,
    baseline: null,
    recurs: null,
    warnings: [],
  });
  const [mail, ...others] = mailbox.mails;
  assert.deepEqual([mail!.to, others], ['boss@acme.test', []]);
  assert.ok(mail!.email.text?.includes('http://localhost:4711/'), 'with the link of the server that sends');
  assert.equal((await json('alert', 'check', jump)).state, 'insufficient_data');
  const triggers = `alerts/${month}/triggers?org_id=${acme.org_id}`;
  assert.equal((await ask(server.address, acme, triggers)).triggers.length, 1);
  const { alerts } = await ask(server.address, acme, `alerts?org_id=${acme.org_id}`);
  assert.deepEqual(await json('alert', 'list'), alerts);
});

test('measures all alerts like its API', async () => {
  const { data } = await ask(server.address, acme, 'alerts/measurements');
  const found: Json[] = await json('alert', 'measure', ...ofAcme);
  const ofMonth = (list: Json[]) => list.find(({ alert_id }) => alert_id === month);
  assert.deepEqual(
    found.map(({ alert_id }) => alert_id),
    data.measurements.map(({ alert_id }: Json) => alert_id),
  );
  assert.equal(ofMonth(found)!.observed, 12);
  assert.deepEqual(ofMonth(found)!.forecast.daily.length, ofMonth(data.measurements)!.forecast.daily.length);
  const table = rowsOf((await printed('measure', ...ofAcme))[0]);
  const [, rule, value, days, forecast] = table.find(([name]) => name === 'Month')!;
  assert.deepEqual([rule, value], ['over $10.00 per month', '$12.00']);
  assert.match(days!, /^\d{4}-\d\d-01 to \d{4}-\d\d-\d\d$/);
  assert.match(forecast!, /^\$\d+(\.\d\d)?, over on \d{4}-\d\d-\d\d$/);
  assert.equal(table.find(([name]) => name === 'Jump')![2], 'not enough history');
});

const noMail =
  'SMTP_URL and EMAIL_FROM are not set here. Email is sent only if the running server has them.\n';

test('says that nobody gets a notification, and why, and that nobody gets email beside a chat', async () => {
  const own = await newStorage();
  const { stdout } = await runCommand(['org', 'create', '--name', 'delta', '--json'], own);
  const delta: Organization = JSON.parse(stdout);
  const { address, stop } = await serveHere(own);
  const ofDelta = `alerts?org_id=${delta.org_id}`;
  const fields = { name: 'Month', alert_type: 'budget', threshold_amount: 10 };
  const { id } = await ask(address, delta, ofDelta, fields);
  await ask(address, delta, 'runs', { runs: [runCosting(12, new Date())] });
  const { stderr } = await runCommand(['alert', 'check', id], own);
  const nobody = 'No email will be sent: no owner or admin has alert_emails on.';
  assert.equal(stderr, `Nobody is set up to get a notification.\n${noMail}${nobody}\n`);

  const chat = await openChat();
  await ask(address, delta, 'organization', { chat_webhook: { url: chat.url, format: 'json' } }, 'PUT');
  const checkNew = async (...options: string[]) => {
    const { id: newId } = await ask(address, delta, ofDelta, fields);
    return runCommand(['alert', 'check', newId, ...options], own);
  };
  const beside = await checkNew();
  assert.equal(beside.stderr, `A notification has been sent.\n${nobody}\n`);
  const { notification_sent, warnings } = JSON.parse((await checkNew('--json')).stdout);
  await stop();
  assert.deepEqual([notification_sent, warnings], [true, [nobody]]);
});

const mistakes: [args: string[], message: RegExp][] = [
  [['preview', '--type', 'budget', '--threshold', 'abc'], /--threshold must be a number above 0/],
  [['preview', '--type', 'budget', '--threshold', '-1'], /--threshold must be a number above 0/],
  [['preview', '--type', 'budget', '--threshold', '0.0000000001'], /--threshold must/],
  [['preview', '--type', 'anomaly', '--threshold', '1000001'], /--threshold must/],
  [['preview', '--type', 'budget'], /--threshold <amount>/],
  [['preview', '--type', 'spike', '--threshold', '5'], /--type.*spike.*budget, anomaly/],
  [['preview', '--type', 'budget', '--threshold', '5', '--frequency', 'hourly'], /--frequency.*daily/],
  [['preview', '--type', 'budget', '--threshold', '5', '--period', 'year'], /--period.*day/],
  [
    ['preview', '--type', 'anomaly', '--threshold', '5', '--period', 'week'],
    /error: --period is only for a budget: leave it out with --type anomaly\n$/,
  ],
  [
    ['preview', '--type', 'budget', '--threshold', '5', '--scope', 'repo=x'],
    /--scope must be one of repository, /,
  ],
  [['preview', '--type', 'budget', '--threshold', '5', '--scope', 'branch'], /--scope must be one of/],
  [
    ['preview', '--type', 'budget', '--threshold', '5', '--scope', 'workflow=x'],
    /--scope must be the id of a/,
  ],
  [
    ['preview', '--type', 'budget', '--threshold', '5', '--scope', 'team=x', '--scope', 'branch=y'],
    /--scope must be given once, or twice for a branch of a repository/,
  ],
  [['create', '--type', 'budget', '--threshold', '5'], /--name <name>/],
  [['create', '--name', 'x', '--type', 'budget', '--threshold', '5', '--recipient', 'x'], /--recipient/],
  [['snooze', '00000000-0000-4000-8000-000000000000'], /--until is missing/],
  [['snooze', '00000000-0000-4000-8000-000000000000', '--until', 'soon'], /no such alert/],
  [['acknowledge', '00000000-0000-4000-8000-000000000000'], /no such alert/],
  [['check'], /argument 'id'/],
  [['check', 'none'], /no such alert/],
  [['check', '00000000-0000-4000-8000-000000000000'], /no such alert/],
  [['list', '--org', 'acme'], /--org must be a UUID/],
];
test('names what is wrong with a command', async () => {
  await Promise.all(
    mistakes.map(async ([args, message]) => {
      const { code, stdout, stderr } = await alert(...args);
      assert.deepEqual([code, stdout], [1, ''], args.join(' '));
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /at .*\.ts/);
    }),
  );
});

test('a preview says when an alert would have triggered, and suggests a threshold', async () => {
  const beta: Organization = await json('org', 'create', '--name', 'beta');
  const ends = [10, 5, 3].map(daysAgo);
  const runs = [1, 6, 7].map((dollars, index) => runCosting(dollars, ends[index]!));
  await ask(server.address, beta, 'runs', { runs });
  const preview = ['preview', '--type', 'budget', '--period', 'day', '--threshold', '5'];
  const ofBeta = [...preview, '--org', beta.org_id];
  const [first, second] = ends.slice(1).map(dayOf);

  const unclear = await alert(...preview);
  assert.equal(unclear.code, 1);
  assert.match(unclear.stderr, /--org is required/);
  const { firings, suggested_threshold } = await json('alert', ...ofBeta);
  assert.deepEqual(
    firings.map((firing: Json) => [firing.current_value, firing.period]),
    [
      [6, { start: first, end: first }],
      [7, { start: second, end: second }],
    ],
  );
  assert.equal(suggested_threshold, 7.7);
  const [table, notes] = await printed(...ofBeta);
  assert.deepEqual(
    rowsOf(table).map((row) => row.slice(1)),
    [
      ['$6.00', `${first} to ${first}`],
      ['$7.00', `${second} to ${second}`],
    ],
  );
  assert.equal(
    notes,
    'It would have triggered 2 times in the last 90 days and today so far.\n' +
      'Suggested threshold: $7.70. The most expensive day cost $7.00.\n',
  );
  assert.deepEqual(await json('alert', 'list', '--org', beta.org_id), []);
});

test('compares an anomaly with the same hours of the days before, and says so', async () => {
  const gamma: Organization = await json('org', 'create', '--name', 'gamma');
  const runs = [6, 2, 2, 2, 2, 2, 2, 2].map((dollars, days) => runCosting(dollars, daysAgo(days)));
  await ask(server.address, gamma, 'runs', { runs });
  const fields = { name: 'Jump', alert_type: 'anomaly', threshold_amount: 50, enabled: false };
  const { id } = await ask(server.address, gamma, `alerts?org_id=${gamma.org_id}`, fields);
  const [value, notes] = await printed('check', id, '--org', gamma.org_id);
  assert.equal(value, 'It would trigger: 200%, threshold 50%\n');
  assert.match(
    notes,
    /^The alert is off, so nothing is recorded or sent\.\n\$6\.00 on \d{4}-\d\d-\d\d until \d\d:\d\d UTC, usually \$2\.00 by that time of day\.\n$/,
  );
  const { triggered, state, warnings } = await json('alert', 'check', id, '--org', gamma.org_id);
  assert.deepEqual([triggered, state], [true, 'ok']);
  assert.deepEqual(warnings, ['The alert is off, so nothing is recorded or sent.']);

  const on = { ...fields, name: 'On', enabled: true };
  const { id: open } = await ask(server.address, gamma, `alerts?org_id=${gamma.org_id}`, on);
  const { period } = await json('alert', 'check', open, '--org', gamma.org_id);
  const table = rowsOf((await printed('measure', '--org', gamma.org_id))[0]);
  const [, , measured, days] = table.find(([name]) => name === 'On')!;
  // Its last scheduled check covered the days before.
  assert.deepEqual([measured, days], ['200%', `${period.start} to ${period.end}`]);
});

test('rounds values, keeps thresholds as they are, and never shows a value over its threshold as below it', async () => {
  const checked = async (name: string, today: number, before: number, fields: object) => {
    const { org_id, token }: Organization = await json('org', 'create', '--name', name);
    const runs = [today, ...Array.from({ length: 7 }, () => before)];
    const ended = runs.map((dollars, days) => runCosting(dollars, daysAgo(days)));
    await ask(server.address, { org_id, token }, 'runs', { runs: ended });
    const body = { name, enabled: false, ...fields };
    const { id } = await ask(server.address, { org_id, token }, `alerts?org_id=${org_id}`, body);
    return (await printed('check', id, '--org', org_id))[0];
  };
  const anomaly = { alert_type: 'anomaly', threshold_amount: 33.244 };
  const budget = { alert_type: 'budget', period: 'day', threshold_amount: 4.001 };
  assert.equal(await checked('rise', 4.008, 3.008, anomaly), 'It would trigger: 33.25%, threshold 33.244%\n');
  assert.equal(await checked('fall', 1, 3, anomaly), 'It would not trigger: −66.67%, threshold 33.244%\n');
  assert.equal(await checked('day', 4.008, 1, budget), 'It would trigger: $4.01, threshold $4.001\n');
});

test('without --json, shows alerts as text, also after the server has stopped', async () => {
  await server.stop();
  const [value, notes] = await printed('check', month, ...ofAcme);
  assert.equal(value, 'Triggered: $12.00, threshold $10.00\n');
  assert.equal(notes, `It was already triggered, so no notification is sent.\n${noMail}`);
  const nothingToCompare = ['', 'Not enough history to compare with yet.\n'];
  assert.deepEqual(await printed('check', jump, ...ofAcme), nothingToCompare);
  const [table, beside] = await printed('list', ...ofAcme);
  assert.equal(beside, '');
  assert.match(table, /^ALERT +NAME +RULE +CHECKED +STATE/);
  assert.deepEqual(
    new Map(rowsOf(table).map(([id, ...cells]) => [id, cells])),
    new Map([
      [ample, ['Ample', 'over $999.00 per month', 'daily', 'off']],
      [jump, ['Jump', 'up more than 50%', 'daily', 'insufficient_data']],
      [month, ['Month', 'over $10.00 per month', 'daily', 'triggered']],
    ]),
  );
});

test('creates an alert on a scope, snoozes it, and acknowledges its trigger', async () => {
  const epsilon: Organization = await json('org', 'create', '--name', 'epsilon');
  const org = ['--org', epsilon.org_id];
  const own = await serveHere(settings);
  await ask(own.address, epsilon, 'runs', { runs: [runCosting(12, new Date())] });
  const rule = ['--type', 'budget', '--threshold', '10', '--scope', 'repository=acme/api'];
  const people = ['--recipient', 'a@acme.test', '--recipient', 'b@acme.test', '--no-chat'];
  const [id, warnings] = await printed('create', '--name', 'API', ...rule, ...people, ...org);
  assert.equal(
    warnings,
    `Already reached: 50%, 75%, 90%, 100%. Webhooks get cost.threshold for each.\n${noMail}`,
  );
  const path = `alerts/${id.trim()}`;
  const { scope, recipients, notify_email, notify_chat } = await ask(own.address, epsilon, path);
  assert.deepEqual(
    [scope, recipients, notify_email, notify_chat],
    [{ type: 'repository', value: 'acme/api' }, ['a@acme.test', 'b@acme.test'], true, false],
  );
  const preview = await json('alert', 'preview', ...rule, ...org);
  assert.equal(preview.series.at(-1).observed, 12);
  const elsewhere = [...rule.slice(0, -1), 'branch=x', '--scope', 'repository=acme/api'];
  assert.equal((await json('alert', 'preview', ...elsewhere, ...org)).series.at(-1).observed, 0);

  const later = new Date(Date.now() + 86_400_000).toISOString();
  const [, snoozed] = await printed('snooze', id.trim(), '--until', later, ...org);
  assert.equal(snoozed, `Snoozed until ${later}.\n`);
  const [list] = await printed('list', ...org);
  assert.deepEqual(rowsOf(list)[0]!.slice(2), ['over $10.00 per month for acme/api', 'daily', 'ok, snoozed']);
  const ended = await json('alert', 'snooze', id.trim(), '--end', ...org);
  assert.equal(ended.snoozed_until, null);

  const none = await alert('acknowledge', id.trim(), ...org);
  assert.match(none.stderr, /no such trigger/);
  await json('alert', 'check', id.trim(), ...org);
  const [, noted] = await printed('acknowledge', id.trim(), '--note', 'Mine', ...org);
  assert.match(noted, /^trg_\w+ is acknowledged by .+ since \d{4}-.+\.\n$/);
  const { acknowledgement } = await json('alert', 'acknowledge', id.trim(), ...org);
  assert.equal(acknowledgement.note, 'Mine');
  await own.stop();
});
