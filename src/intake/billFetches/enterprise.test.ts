import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { newReadingSource } from '../../../test/harness/backfills.ts';
import { bill, heading, lineOf } from '../../../test/harness/bills.ts';
import { startFakeGitHub } from '../../../test/harness/gitHubApi.ts';
import { newFakeBills, startFileHost } from '../../../test/harness/gitHubBills.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { billFetchPollers } from './doFetch.ts';

const fake = await startFakeGitHub();
const host = await startFileHost();
const testApp = await startTestApp({ GITHUB_API_URL: fake.url });
const { app, clock } = testApp;
const worker = createWorker(
  billFetchPollers({ ...app, db: app.background, gitHubApiUrl: app.config.gitHubApiUrl }),
  app,
);

beforeEach(async () => {
  for (const table of ['billAccounts', 'sourceCredentials', 'tasks'] as const)
    await app.db.deleteFrom(table).execute();
  clock.set('2026-03-18T12:00:00Z');
  host.files.clear();
  host.requests.length = 0;
  Object.assign(fake, { bills: newFakeBills(), remaining: 100_000 });
  fake.interruptions.length = 0;
});

async function connect(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  await newReadingSource(testApp, organization, fake);
  const body = { kind: 'enterprise', login: 'globex' };
  assert.equal((await organization.send('POST', '/api/v1/bills/accounts', body)).status, 201);
  return organization;
}

async function accountOf(organization: TestOrganization) {
  return (await organization.get('/api/v1/bills/accounts')).body.data.accounts[0];
}

async function work(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) {
    await worker.processAll();
    clock.forward(20);
  }
}

/** Files of March, and of each month before a file without lines. */
function serve(...files: string[]): void {
  for (const month of Array.from({ length: 13 }, (_, ago) => new Date(Date.UTC(2026, 2 - ago, 1))))
    fake.bills.files.set(month.toISOString().slice(0, 10), [`${host.url}/empty.csv?sig=hidden`]);
  fake.bills.files.set(
    '2026-03-01',
    files.map((_, index) => `${host.url}/${index}.csv?sig=hidden`),
  );
  for (const [index, file] of files.entries()) host.files.set(`/${index}.csv`, file);
  host.files.set('/empty.csv', `${heading}\n`);
}

test('asks for a report of each month, waits until it is made, and stores all its files', async () => {
  serve(bill(lineOf({})), '/moved.csv');
  host.files.set('/moved.csv', bill(lineOf({ date: '2026-03-10', organization: 'globex-labs' })).trimEnd());
  const organization = await connect();
  await work(1);
  const { fetch } = await accountOf(organization);
  assert.deepEqual([fetch.status, fetch.progress], ['running', { done: 0, total: 13 }]);
  await work(40);
  const account = await accountOf(organization);
  assert.deepEqual(
    [account.fetch.status, account.fetch.progress.done, account.fetched_until, account.months_stored],
    ['done', 13, '2026-03-10', 13],
  );
  assert.deepEqual(
    fake.bills.reports.slice(0, 2).map(({ start, end }) => [start, end]),
    [
      ['2026-03-01', '2026-03-17'],
      ['2026-02-01', '2026-02-28'],
    ],
  );
  const [report, ...others] = (await organization.get('/api/v1/bills/reports')).body.data;
  assert.deepEqual(
    [report.file_name, report.format, report.lines.kept, others.length],
    ['globex, March 2026', 'api', 2, 0],
  );
  assert.ok(host.requests.every(({ authorization }) => authorization === undefined));
});

test('says that GitHub could not make the report', async () => {
  fake.bills.hasFailed = true;
  const organization = await connect();
  await work(3);
  assert.match((await accountOf(organization)).fault, /could not make the bill of globex, March 2026/);
});

test('gives up a report that is not made within an hour', async () => {
  fake.bills.slowLooks = 1_000;
  const organization = await connect();
  await work(185);
  assert.match(
    (await accountOf(organization)).fault,
    /has not made the bill of globex, March 2026 within an hour/,
  );
});

test('tries a file again that cannot be read, without its address in the words', async () => {
  serve(bill(lineOf({})));
  host.files.set('/0.csv', 503);
  const organization = await connect();
  await work(2);
  await worker.processAll();
  const { fetch } = await accountOf(organization);
  assert.match(fetch.waiting.message, /the file of the report was answered with 503/);
  assert.ok(!JSON.stringify(fetch).includes('hidden'));
  host.files.set('/0.csv', bill(lineOf({})));
  clock.forward(10);
  await worker.processAll();
  assert.equal((await accountOf(organization)).months_stored, 1);
});

test('refuses a file that is no bill', async () => {
  serve('<html></html>\n<p>\n');
  const organization = await connect();
  await work(4);
  assert.match(
    (await accountOf(organization)).fault,
    /bill of globex, March 2026 cannot be read.*not a metered usage report/,
  );
});
