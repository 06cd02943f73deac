import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource } from '../../../test/harness/backfills.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newFakeBills, usageItem } from '../../../test/harness/gitHubBills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newRun, submit } from '../../../test/harness/submission.ts';
import { addDays } from '../../platform/lib/days.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { billFetchPollers } from './doFetch.ts';

const fake = await startFakeGitHub();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { app, clock } = testApp;
const program = { ...app, db: app.background, gitHubApiUrl: app.config.gitHubApiUrl };
const worker = createWorker(billFetchPollers(program), app);
const accountsPath = '/api/v1/bills/accounts';
const fetchesPath = '/api/v1/bills/fetches';

beforeEach(async () => {
  for (const table of ['billAccounts', 'sourceCredentials', 'tasks'] as const)
    await app.db.deleteFrom(table).execute();
  clock.set('2026-03-18T12:00:00Z');
  fake.requests.length = 0;
  fake.interruptions.length = 0;
  Object.assign(fake, { bills: newFakeBills(), remaining: 100_000, mayDeviate: false });
});

async function newOrganization(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  fake.requests.length = 0;
  return organization;
}

type Json = Answer['body'];

async function connect(organization: TestOrganization, body: object = { login: 'acme' }): Promise<Json> {
  const created = await organization.send('POST', accountsPath, body);
  assert.equal(created.status, 201, created.text);
  return created.body.data;
}

async function connectAndFetch(organization: TestOrganization, body?: object): Promise<Json> {
  await connect(organization, body);
  await worker.processAll();
  return accountOf(organization);
}

async function accountOf(organization: TestOrganization): Promise<Json> {
  return (await organization.get(accountsPath)).body.data.accounts[0];
}

async function fetchAgain(organization: TestOrganization): Promise<Json> {
  clock.forward(3_600);
  const started = await organization.send('POST', fetchesPath, {});
  assert.equal(started.status, 202, started.text);
  await worker.processAll();
  return (await organization.get(`${fetchesPath}/${started.body.data.id}`)).body.data;
}

async function reportsOf(organization: TestOrganization): Promise<Json[]> {
  return (await organization.get('/api/v1/bills/reports?per_page=100')).body.data;
}

async function billedOf(organization: TestOrganization): Promise<[month: string, net: number][]> {
  const { data } = (await organization.get('/api/v1/bills/months')).body;
  return data.map(({ month, bill_net: net }: Json) => [month, net]);
}

const asked = () => fake.requests.filter(({ path }) => path.includes('/settings/billing/')).length;
const serve = (...items: Parameters<typeof usageItem>[0][]) =>
  fake.bills.items.set('organizations/acme', items.map(usageItem));

test('reads 13 months at first, day by day, then only the months that can still change', async () => {
  const organization = await newOrganization();
  serve(
    {},
    { date: '2026-02-28T00:00:00Z' },
    { date: '2025-03-01T00:00:00Z' },
    { date: '2025-02-28T00:00:00Z' },
  );
  const account = await connectAndFetch(organization);
  assert.deepEqual(
    [account.months_stored, account.fetched_until, account.fault, account.fetch.status],
    [13, '2026-03-02', null, 'done'],
  );
  const days = 365 + 17;
  assert.equal(asked(), days);
  assert.deepEqual(account.fetch.progress, { done: days, total: days });
  assert.ok(fake.requests.every(({ path }) => /\?year=\d{4}&month=\d+&day=\d+$/.test(path)));
  const reports = await reportsOf(organization);
  assert.deepEqual(reports.map(({ file_name: name, format }) => `${name}: ${format}`).toSorted(), [
    'acme, February 2026: api',
    'acme, March 2025: api',
    'acme, March 2026: api',
  ]);
  fake.requests.length = 0;
  const again = await fetchAgain(organization);
  assert.deepEqual(again.months, ['2026-03', '2026-02']);
  assert.equal(asked(), 17 + 28);
  assert.ok(
    fake.requests.every(({ status }) => status === 304),
    'unchanged days count toward no limit',
  );
  assert.deepEqual(await reportsOf(organization), reports, 'the same lines change nothing');
});

test("takes GitHub's words for those of a report", async () => {
  const organization = await newOrganization();
  serve(
    { sku: 'Actions macOS 3-core', quantity: 10, pricePerUnit: 0.062 },
    {
      product: 'Actions',
      sku: 'Actions storage',
      unitType: 'GigabyteHours',
      quantity: 24,
      pricePerUnit: 0.000336021,
    },
    { product: 'Git LFS', sku: 'Git LFS storage', unitType: 'GigabyteHours', repositoryName: '' },
  );
  await connectAndFetch(organization);
  const { orgId } = organization;
  const lines = await app.db
    .selectFrom('billLines')
    .select(['product', 'sku', 'unit', 'organization', 'repository', 'grossNanos'])
    .where('orgId', '=', orgId)
    .orderBy('sku')
    .execute();
  assert.deepEqual(
    lines.map((line) => Object.values(line).map(String)),
    [
      ['git_lfs', 'git_lfs_storage', 'gigabyte_hours', 'acme', '', '40000000'],
      ['actions', 'macos_3_core', 'minutes', 'acme', 'acme/api', '620000000'],
      ['actions', 'storage', 'gigabyte_hours', 'acme', 'acme/api', '8064504'],
    ],
  );
});

test('a corrected month replaces the fetched one, and a month without lines has no report', async () => {
  const organization = await newOrganization();
  serve({}, { date: '2026-02-03T00:00:00Z' });
  await connectAndFetch(organization);
  assert.deepEqual(await billedOf(organization), [
    ['2026-02', 0.04],
    ['2026-03', 0.04],
  ]);
  serve({ quantity: 10 });
  clock.forward(3_600);
  await fetchAgain(organization);
  assert.deepEqual(await billedOf(organization), [['2026-03', 0.08]]);
  assert.deepEqual(
    (await reportsOf(organization)).map(({ file_name: name }) => name),
    ['acme, March 2026'],
  );
});

test('a day counts once, whether it was imported or fetched', async () => {
  const organization = await newOrganization();
  const csv = bill(lineOf({}), lineOf({ date: '2026-03-10' }));
  assert.equal((await importCsv(testApp, organization, csv, { fileName: 'march.csv' })).status, 201);
  serve({}, { date: '2026-03-10T00:00:00Z' });
  await connectAndFetch(organization);
  assert.deepEqual(await billedOf(organization), [['2026-03', 0.08]]);
  clock.forward(60);
  const later = bill(lineOf({}), lineOf({ date: '2026-03-10' }), lineOf({ date: '2026-03-11' }));
  assert.equal((await importCsv(testApp, organization, later, { fileName: 'later.csv' })).status, 201);
  assert.deepEqual(await billedOf(organization), [['2026-03', 0.12]]);
});

const faults: [kind: string, status: number, message: string, expected: RegExp][] = [
  ['organization', 401, 'Bad credentials', /rejects the credentials.*Set new ones/],
  [
    'organization',
    403,
    'Resource not accessible',
    /bill of acme \(403\).*"Resource not accessible".*"Administration: read"/,
  ],
  ['user', 403, '', /"Plan: read"/],
  ['enterprise', 403, '', /owner or a billing manager.*"manage_billing:enterprise"/],
  [
    'organization',
    404,
    'Not Found',
    /organization acme \(404\): the name or the kind is wrong.*billing platform.*import CSV/,
  ],
  ['organization', 410, '', /\(410\)\. Update Runcost.*import CSV/],
  ['organization', 400, 'Bad month', /answered 400.*"Bad month"/],
];
for (const [kind, status, message, expected] of faults) {
  test(`says what to do after a ${status} for the ${kind}`, async () => {
    const organization = await newOrganization();
    fake.interruptions.push({ status, message });
    const { fault, fetch } = await connectAndFetch(organization, { kind, login: 'acme' });
    assert.match(fault, expected);
    assert.equal(fetch.status, 'failed');
    serve({});
    fake.bills.items.set('users/acme', []);
    if (kind === 'enterprise') return;
    await fetchAgain(organization);
    assert.equal((await accountOf(organization)).fault, null);
  });
}

const resets = String(Date.parse('2026-03-18T12:10:00Z') / 1_000);
const waits: [name: string, interruption: object, seconds: number, reason: string][] = [
  ['a 429 with retry-after', { status: 429, headers: { 'retry-after': '90' } }, 90, 'secondary_rate_limit'],
  [
    'a secondary limit',
    { status: 403, message: 'You have exceeded a secondary rate limit' },
    60,
    'secondary_rate_limit',
  ],
  [
    'a spent limit',
    { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': resets } },
    601,
    'rate_limit',
  ],
  ['a 502', { status: 502 }, 10, 'unreachable'],
  ['a connection that closes', { cut: true }, 10, 'unreachable'],
];
for (const [name, interruption, seconds, reason] of waits) {
  test(`waits ${seconds} s after ${name}, and asks for no day again`, async () => {
    const organization = await newOrganization();
    serve({});
    fake.interruptions.push(null, null, interruption as never);
    const { fetch } = await connectAndFetch(organization);
    const until = new Date(clock.now().getTime() + 1_000 * seconds).toISOString();
    assert.deepEqual([fetch.waiting.until, fetch.waiting.reason], [until, reason]);
    assert.equal(fetch.progress.done, 2);
    clock.forward(seconds);
    await worker.processAll();
    assert.equal((await accountOf(organization)).fetch.status, 'done');
    assert.equal(asked(), 365 + 17 + 1);
  });
}

test('fails if GitHub stays away, and keeps the months that it has', async () => {
  const organization = await newOrganization();
  serve({});
  await connectAndFetch(organization);
  clock.forward(60);
  for (let tries = 0; tries < 9; tries++) fake.interruptions.push({ status: 503 });
  await organization.send('POST', fetchesPath, {});
  for (let tries = 0; tries < 9; tries++) {
    await worker.processAll();
    clock.forward(900);
  }
  const { fault, months_stored: months } = await accountOf(organization);
  assert.match(fault, /GitHub could not be reached 9 times in a row .*503/);
  assert.equal(months, 13);
  assert.deepEqual(await billedOf(organization), [['2026-03', 0.04]]);
});

const malformed: [name: string, answer: Exclude<typeof fake.bills.otherAnswer, null>][] = [
  ['a list', []],
  ['lines that are none', { usageItems: ['x'] }],
  ['no list of lines', { usageItems: { total: 1 } }],
];
for (const [name, answer] of malformed) {
  test(`tries again after ${name}, and stores nothing`, async () => {
    const organization = await newOrganization();
    serve({});
    fake.mayDeviate = true;
    fake.bills.otherAnswer = answer;
    const { fetch } = await connectAndFetch(organization);
    assert.match(fetch.waiting.message, /other than lines of a bill/);
    assert.deepEqual(await reportsOf(organization), []);
    fake.bills.otherAnswer = null;
    clock.forward(10);
    await worker.processAll();
    assert.equal((await accountOf(organization)).fetch.status, 'done');
  });
}

test('lists a line that cannot be read, and refuses a month without a readable one', async () => {
  const organization = await newOrganization();
  fake.mayDeviate = true;
  serve({}, { date: '2026-03-03T00:00:00Z', quantity: 'many' as never }, { date: '2026-02-03', sku: '' });
  const { fault, months_stored: months } = await connectAndFetch(organization);
  const [report] = await reportsOf(organization);
  assert.deepEqual([report.lines.kept, report.lines.skipped], [1, 1]);
  assert.match(report.bad_lines[0].reason, /quantity "many", which is not a number/);
  assert.match(fault, /bill of acme, February 2026 cannot be read .*no readable line/);
  assert.equal(months, 1);
});

test('a kill loses nothing: the next worker goes on where the month was', async () => {
  const organization = await newOrganization();
  serve({}, { date: '2026-02-03T00:00:00Z' });
  await connect(organization);
  const [, taskPoller] = billFetchPollers(program);
  fake.interruptions.push(...Array.from({ length: 10 }, () => null), { hold: true });
  void taskPoller!.run(new AbortController().signal).catch(() => {});
  await fake.asked(11);
  // The process is gone, and its lease runs out.
  clock.forward(61);
  await worker.processAll();
  fake.release();
  const account = await accountOf(organization);
  assert.deepEqual([account.fetch.status, account.months_stored], ['done', 13]);
  assert.equal(asked(), 365 + 17 + 1, 'only the request that was held is made again');
  assert.deepEqual(await billedOf(organization), [
    ['2026-02', 0.04],
    ['2026-03', 0.04],
  ]);
});

test('fetches every night, once, and settles a month a month after its end', async () => {
  const organization = await newOrganization();
  serve({});
  await connectAndFetch(organization);
  const months = async () => (await accountOf(organization)).fetch.months;
  await worker.processAll();
  assert.equal((await months()).length, 13, 'the first fetch is the one of its day');
  clock.set('2026-03-19T12:00:00Z');
  await worker.processAll();
  const { fetch } = await accountOf(organization);
  assert.deepEqual([fetch.is_nightly, fetch.months], [true, ['2026-03', '2026-02']]);
  await worker.processAll();
  assert.equal((await organization.get(fetchesPath)).body.pagination.total, 2);
  clock.set('2026-04-02T12:00:00Z');
  await worker.processAll();
  assert.deepEqual(await months(), ['2026-04', '2026-03', '2026-02']);
  clock.set('2026-04-03T12:00:00Z');
  await worker.processAll();
  assert.deepEqual(await months(), ['2026-04', '2026-03']);
});

test('offers the owner of the latest runs, and refuses an account twice', async () => {
  const organization = await newOrganization();
  const { status, text } = await organization.send('POST', accountsPath, {});
  assert.equal(status, 400);
  assert.match(text, /login.*is required/);
  await submit(organization, newRun({ provider: 'github', repo_name: 'acme/api' }));
  const { suggested } = (await organization.get(accountsPath)).body.data;
  assert.deepEqual([suggested.kind, suggested.login], ['organization', 'acme']);
  assert.equal((await connect(organization, {})).login, 'acme');
  assert.equal((await organization.get(accountsPath)).body.data.suggested, null);
  assertProblem(await organization.send('POST', accountsPath, { login: 'ACME' }), 409, 'account_exists');
});

test('a deleted account is fetched no more, and keeps what was fetched', async () => {
  const organization = await newOrganization();
  serve({});
  const { id } = await connectAndFetch(organization);
  await organization.send('POST', fetchesPath, {});
  assert.equal((await organization.send('DELETE', `${accountsPath}/${id}`)).status, 200);
  fake.requests.length = 0;
  await worker.processAll();
  clock.set(`${addDays('2026-03-18', 1)}T12:00:00Z`);
  await worker.processAll();
  assert.equal(asked(), 0);
  assert.deepEqual(await billedOf(organization), [['2026-03', 0.04]]);
  assertProblem(await organization.send('DELETE', `${accountsPath}/${id}`), 404, 'bill_account_not_found');
  assertProblem(await organization.send('POST', fetchesPath, {}), 400, 'invalid_request');
});

test('joins a fetch that is under way, and cancels it', async () => {
  const organization = await newOrganization();
  const { fetch } = await connect(organization);
  const joined = await organization.send('POST', fetchesPath, {});
  assert.equal(joined.body.data.id, fetch.id);
  const cancelled = await organization.send('POST', `${fetchesPath}/${fetch.id}/cancel`);
  assert.equal(cancelled.body.data.status, 'cancelled');
  assertProblem(
    await organization.send('POST', `${fetchesPath}/${fetch.id}/cancel`),
    409,
    'bill_fetch_ended',
  );
  await worker.processAll();
  assert.equal(asked(), 0);
});

test("another organization's accounts and fetches do not exist, and no answer has a secret", async () => {
  const organization = await newOrganization();
  const other = await testApp.newOrganization();
  const { id, fetch } = await connectAndFetch(organization);
  assert.deepEqual((await other.get(accountsPath)).body.data, { accounts: [], suggested: null });
  assert.equal((await other.get(fetchesPath)).body.pagination.total, 0);
  assertProblem(await other.get(`${fetchesPath}/${fetch.id}`), 404, 'bill_fetch_not_found');
  assertProblem(await other.send('POST', `${fetchesPath}/${fetch.id}/cancel`), 404, 'bill_fetch_not_found');
  assertProblem(await other.send('DELETE', `${accountsPath}/${id}`), 404, 'bill_account_not_found');
  assertProblem(await other.send('POST', fetchesPath, { account_id: id }), 400, 'invalid_request');
  for (const path of [accountsPath, fetchesPath]) {
    const { text } = await organization.get(path);
    assert.ok(!text.includes(fake.token), text);
  }
});

test('says that the source has no credentials anymore', async () => {
  const organization = await newOrganization();
  const { source_id: source } = await connect(organization);
  await organization.send('DELETE', `/api/v1/sources/${source}/credentials`);
  await worker.processAll();
  assert.match((await accountOf(organization)).fault, /has no credentials\. Set new ones/);
});
