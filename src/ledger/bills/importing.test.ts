import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import {
  bill,
  heading,
  importCsv,
  lineOf,
  usageReport,
  assertNothingStored,
} from '../../../test/harness/bills.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();
const { app, clock } = testApp;
// A separate folder, because other tests import reports at the same time.
const folder = mkdtempSync(join(tmpdir(), 'runcost-importing-'));
const { TMPDIR = tmpdir() } = process.env;
process.env.TMPDIR = folder;
after(() => {
  process.env.TMPDIR = TMPDIR;
  rmSync(folder, { recursive: true, force: true });
});
const path = '/api/v1/bills/reports';

async function imported(organization: TestOrganization, csv: string | Buffer): Promise<Answer['body']> {
  const answer = await importCsv(testApp, organization, csv);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.data;
}

function countLines(): Promise<number> {
  const counted = app.db.selectFrom('billLines').select(({ fn }) => fn.countAll<bigint>().as('count'));
  return counted.executeTakeFirstOrThrow().then(({ count }) => Number(count));
}

function spooled(): string[] {
  return readdirSync(folder);
}

test('imports a summarised report with its sums', async () => {
  const organization = await testApp.newOrganization();
  const {
    id,
    sha256,
    products,
    is_new: isNew,
    replaces,
    ...report
  } = await imported(organization, usageReport('summarised'));
  assert.deepEqual([isNew, replaces], [true, []]);
  assert.match(id, /^bill_/);
  assert.match(sha256, /^[\da-f]{64}$/);
  assert.deepEqual(report, {
    file_name: 'report.csv',
    bytes: usageReport('summarised').length,
    format: 'summarised',
    date_order: null,
    lines: { read: 7, kept: 7, skipped: 0, rounded: 1 },
    bad_lines: [],
    period: { start: '2026-03-02', end: '2026-03-04' },
    totals: { gross: 8.936933226, discount: 0.16803, net: 8.768903226 },
    imported_at: clock.now().toISOString(),
  });
  assert.deepEqual(
    products.map((each: Answer['body']) => [
      each.organization,
      each.product,
      each.unit,
      each.quantity,
      each.compared,
    ]),
    [
      ['acme', 'actions', 'gigabyte_hours', 0.1, false],
      ['acme', 'actions', 'minutes', 513.5, true],
      ['other', 'actions', 'minutes', 9, true],
      ['acme', 'copilot', 'user_months', 0.032258065, false],
    ],
  );
});

test('recognizes detailed and legacy reports by their headings', async () => {
  const organization = await testApp.newOrganization();
  const detailed = await imported(organization, usageReport('detailed'));
  assert.deepEqual([detailed.format, detailed.lines.kept], ['detailed', 6]);
  assert.deepEqual(detailed.totals, { gross: 19.455, discount: 0.37, net: 19.085 });
  const legacy = await imported(organization, usageReport('legacy'));
  assert.deepEqual([legacy.format, legacy.lines.kept], ['legacy', 6]);
  // 35 × 0.008 + 20 × 0.08 + 22 × 0.016 + 3 × 0.04: the price includes the multiplier.
  assert.deepEqual(legacy.totals, { gross: 2.352, discount: 0, net: 2.352 });
});

test('a dry run answers what would be imported, and changes nothing', async () => {
  const organization = await testApp.newOrganization();
  const older = await imported(organization, bill(lineOf({})));
  const csv = bill(lineOf({}), lineOf({ quantity: 'many' }));
  const tried = await importCsv(testApp, organization, csv, { dryRun: true });
  assert.equal(tried.status, 200, tried.text);
  const { id, imported_at: at, replaces, ...report } = tried.body.data;
  assert.deepEqual([id, at], [null, null]);
  assert.deepEqual([replaces.length, replaces[0].id], [1, older.id]);
  const listed = await organization.get(path);
  assert.deepEqual(
    listed.body.data.map((each: Answer['body']) => each.id),
    [older.id],
  );
  const empty = await importCsv(testApp, organization, heading, { dryRun: true });
  assert.deepEqual([empty.status, empty.body.code], [400, 'no_usage_report']);
  const { id: _, imported_at: __, replaces: ___, ...stored } = await imported(organization, csv);
  assert.deepEqual(report, stored);
  const again = await importCsv(testApp, organization, csv, { dryRun: true });
  assert.deepEqual([again.status, again.body.data.is_new], [200, false]);
});

test('lines of the same day, SKU and repository become one, for all users and workflows', async () => {
  const organization = await testApp.newOrganization();
  const before = await countLines();
  const lines = ['ada', 'bob', 'ada'].map(
    (user) => `2026-03-02,actions,linux,1,minutes,0.008,0.008,0,0.008,${user},acme,api,${user}.yml,`,
  );
  const names = heading
    .replace('organization', 'username,organization')
    .replace('repository', 'repository,workflow_path');
  const report = await imported(organization, [names, ...lines].join('\n'));
  assert.deepEqual(report.lines, { read: 3, kept: 3, skipped: 0, rounded: 0 });
  assert.equal((await countLines()) - before, 1);
});

test('skips a bad line with its number and reason, and keeps the others', async () => {
  const organization = await testApp.newOrganization();
  const bad: [line: string, reason: RegExp][] = [
    [lineOf({ date: '2026-02-30' }), /date "2026-02-30", which is not a day/],
    [lineOf({ quantity: 'many' }), /quantity "many", which is not a number/],
    [lineOf({ gross: '' }), /gross "", which is not a number/],
    [lineOf({ gross: '1000000.01' }), /over a million/],
    [`${lineOf({})},more`, /13 cells; the heading has 12/],
    [lineOf({ sku: '—' }), /has no SKU/],
    [lineOf({ repository: 'x'.repeat(2_100) }), /too long/],
    [lineOf({ repository: '"api' }), /quotes that do not match/],
    [lineOf({ repository: 'a\0pi' }), /null character/],
    [Array.from({ length: 10_000 }, () => 'x').join(','), /10000 cells/],
  ];
  const report = await imported(organization, bill(lineOf({}), ...bad.map(([line]) => line), '', lineOf({})));
  assert.deepEqual(report.lines, { read: 12, kept: 2, skipped: 10, rounded: 0 });
  assert.deepEqual(
    report.bad_lines.map(({ line }: { line: number }) => line),
    bad.map((_, index) => index + 3),
  );
  for (const [index, [, reason]] of bad.entries()) assert.match(report.bad_lines[index].reason, reason);
});

test('skips amounts in other currencies', async () => {
  const organization = await testApp.newOrganization();
  const lines = ['USD', 'eur', ''].map((currency) => `${lineOf({})},${currency}`);
  const report = await imported(organization, [`${heading},Currency`, ...lines].join('\n'));
  assert.deepEqual([report.lines.kept, report.lines.skipped], [2, 1]);
  assert.match(report.bad_lines[0].reason, /is in "eur"; only US dollars/);
});

test("multiplies a legacy report's factors before it rounds", async () => {
  const organization = await testApp.newOrganization();
  const csv = `Date,Product,SKU,Quantity,Unit Type,Price Per Unit ($),Multiplier,Owner,Repository Slug
2026-03-01,Shared Storage,Shared Storage,1000000,gb-day,0.000336021505376344,1.0,acme,api`;
  const report = await imported(organization, csv.replace('Price Per Unit ($)', 'price_per_unit'));
  assert.deepEqual([report.format, report.lines.rounded], ['legacy', 1]);
  assert.equal(report.products[0].gross, 336.021505376);
});

test('whether a line is kept does not depend on other lines', async () => {
  const organization = await testApp.newOrganization();
  const [inside, open, quoted] = ['ap"i', '"api', '"ap""i"'].map((repository) => lineOf({ repository }));
  const kept = [];
  for (const lines of [[inside], [inside, open], [quoted], [quoted, open], [quoted, inside]]) {
    const report = await imported(organization, bill(lineOf({}), ...(lines as string[])));
    kept.push(report.lines.kept - 1);
  }
  assert.deepEqual(kept, [0, 0, 1, 1, 1]);
});

test('names the first hundred bad lines and counts all', async () => {
  const organization = await testApp.newOrganization();
  const report = await imported(organization, bill(lineOf({}), ...Array.from({ length: 150 }, () => 'bad')));
  assert.equal(report.lines.skipped, 150);
  assert.equal(report.bad_lines.length, 100);
});

test('stores formulas as text', async () => {
  const organization = await testApp.newOrganization();
  const formula = '=HYPERLINK(1)';
  await imported(organization, bill(lineOf({ repository: formula })));
  const { body } = await organization.get('/api/v1/bills/reconciliation');
  assert.equal(body.data[0].repository, `acme/${formula}`);
});

test('the same bytes are the same report', async () => {
  const organization = await testApp.newOrganization();
  const csv = bill(lineOf({}));
  const { id } = await imported(organization, csv);
  clock.forward(60);
  const again = await importCsv(testApp, organization, csv);
  assert.deepEqual([again.status, again.body.data.id], [200, id]);
  const together = bill(lineOf({ quantity: '6' }));
  const both = await Promise.all([1, 2].map(() => importCsv(testApp, organization, together)));
  assert.deepEqual(new Set(both.map(({ status }) => status)), new Set([200, 201]));
  assert.equal(both[0]!.body.data.id, both[1]!.body.data.id);
  const { body } = await organization.get(path);
  assert.equal(body.pagination.total, 2);
  const stranger = await testApp.newOrganization();
  assert.notEqual((await imported(stranger, csv)).id, id, 'another organization has its own');
});

test('an import says whether the file is new and which reports lose days', async () => {
  const organization = await testApp.newOrganization();
  const march = bill(...[1, 2, 3].map((day) => lineOf({ date: `2026-03-0${day}` })));
  const first = (await importCsv(testApp, organization, march, { fileName: 'march.csv' })).body.data;
  clock.forward(60);
  const second = (await importCsv(testApp, organization, bill(lineOf({}), lineOf({ date: '2026-03-03' }))))
    .body.data;
  assert.deepEqual(
    [second.is_new, second.replaces],
    [true, [{ id: first.id, file_name: 'march.csv', days: 2 }]],
  );
  clock.forward(60);
  const again = (await importCsv(testApp, organization, march)).body.data;
  assert.deepEqual([again.id, again.is_new, again.replaces], [first.id, false, []]);
  const { data } = (await organization.get(path)).body;
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [second.id, first.id],
    'the same file is no later report',
  );
});

test('imports nothing if the sender disconnects, and logs no error', async () => {
  const organization = await testApp.newOrganization();
  const { server } = testApp;
  const address = await server.listen({ port: 0, host: '127.0.0.1' });
  const csv = bill(lineOf({}));
  for (const isCutShort of [true, false]) {
    const text = isCutShort ? csv : `${csv}${`${lineOf({})}\n`.repeat(20_000)}`;
    // Lets nobody store lines, so that the whole file is not read before the sender has left.
    const locked = await app.db.startTransaction().execute();
    await sql`lock table bill_lines in share mode`.execute(locked);
    try {
      const connected = once(server.server, 'connection');
      const sending = createConnection(Number(new URL(address).port), '127.0.0.1');
      const length = Buffer.byteLength(text) + (isCutShort ? 10 : 0);
      const head = [
        `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv`,
        `Authorization: Bearer ${organization.token}\r\nContent-Length: ${length}\r\n\r\n`,
      ];
      sending.write(`${head.join('\r\n')}${text}`);
      // Waits until the upload or the read is in progress.
      while (isCutShort ? spooled().length === 0 : !(await isBeingRead())) await setTimeout(5);
      const left = once((await connected)[0], 'close');
      sending.destroy();
      await left;
    } finally {
      await locked.rollback().execute();
    }
    while (spooled().length > 0) await setTimeout(5);
  }
  assert.equal((await organization.get(path)).body.pagination.total, 0);
  assert.equal(
    (await app.db.selectFrom('billReports').select('id').where('orgId', '=', organization.orgId).execute())
      .length,
    0,
  );
  assert.doesNotMatch(testApp.logged(), /request failed/);

  async function isBeingRead(): Promise<boolean> {
    const rows = app.db.selectFrom('billReports').select('id').where('orgId', '=', organization.orgId);
    return (await rows.execute()).length > 0;
  }
});

test('refuses a body that is missing or not CSV', async () => {
  const organization = await testApp.newOrganization();
  const json = await importCsv(testApp, organization, '{}', { type: 'application/json' });
  assertProblem(json, 415, 'unsupported_media_type');
  assertProblem(await importCsv(testApp, organization, ''), 400, 'invalid_request', ['body']);
  const other = await importCsv(testApp, organization, bill(lineOf({})), { type: 'text/csv; charset=utf-8' });
  assert.equal(other.status, 201, other.text);
});

test('refuses a file above 1 GiB by its declared length', async () => {
  const { token } = await testApp.newOrganization();
  const answer = await request(testApp.server, {
    method: 'POST',
    url: path,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'text/csv',
      'content-length': `${2 ** 30 + 1}`,
    },
    payload: Readable.from([heading]),
  });
  assertProblem(answer, 413, 'body_too_large');
});

test('skips a line of 4 MB and keeps the others', async () => {
  const organization = await testApp.newOrganization();
  const megabyte = Buffer.alloc(1024 * 1024, '"x');
  async function* source() {
    yield Buffer.from(`${heading}\n${lineOf({})}\n`);
    for (let i = 0; i < 4; i++) yield megabyte;
    yield Buffer.from(`\n${lineOf({})}\n`);
  }
  const answer = await importCsv(testApp, organization, Readable.from(source()));
  assert.equal(answer.status, 201, answer.text);
  assert.deepEqual(answer.body.data.lines, { read: 3, kept: 2, skipped: 1, rounded: 0 });
  assert.deepEqual(answer.body.data.bad_lines, [{ line: 3, reason: 'is longer than 64 KiB' }]);
});

test('stores different lines while it reads, in several statements', async () => {
  const organization = await testApp.newOrganization();
  async function* source() {
    yield Buffer.from(`${heading}\n`);
    for (let block = 0; block < 5; block++) {
      const lines = Array.from({ length: 1_000 }, (_, i) =>
        lineOf({
          repository: `repository-${block}-${i % 50}`,
          date: `2026-03-${String(1 + (i % 18)).padStart(2, '0')}`,
        }),
      );
      yield Buffer.from(`${lines.join('\n')}\n`);
    }
  }
  const answer = await importCsv(testApp, organization, Readable.from(source()));
  assert.equal(answer.status, 201, answer.text);
  assert.equal(answer.body.data.lines.kept, 5_000);
  assert.deepEqual(answer.body.data.totals, { gross: 200, discount: 0, net: 200 });
  assert.equal((await organization.send('DELETE', `${path}/${answer.body.data.id}`)).status, 200);
});

test('refuses a blank file name, and one with control characters or marks of text direction', async () => {
  const organization = await testApp.newOrganization();
  for (const fileName of ['a\u001B[2J.csv', 'a\nb.csv', 'vsc.\u202Etxt', ' ']) {
    const answer = await importCsv(testApp, organization, bill(lineOf({})), { fileName });
    assertProblem(answer, 400, 'invalid_request', ['query.file_name']);
  }
  await assertNothingStored(testApp, organization);
});

test('lists, returns and deletes reports, with entries in the audit log', async () => {
  const organization = await testApp.newOrganization();
  const csv = bill(lineOf({}));
  const answer = await importCsv(testApp, organization, csv, { fileName: 'märz.csv' });
  const { id } = answer.body.data;
  assert.equal(answer.body.data.file_name, 'märz.csv');
  const { is_new: _, replaces: __, ...report } = answer.body.data;
  assert.deepEqual((await organization.get(`${path}/${id}`)).body.data, report);
  assert.deepEqual((await organization.get(path)).body.data, [report]);
  const deleted = await organization.send('DELETE', `${path}/${id}`);
  assert.deepEqual(deleted.body, { data: { id, deleted: true } });
  for (const gone of [
    await organization.get(`${path}/${id}`),
    await organization.send('DELETE', `${path}/${id}`),
  ]) {
    assertProblem(gone, 404, 'report_not_found');
  }
  const left = await app.db.selectFrom('billLines').select('day').where('reportId', '=', id).execute();
  assert.deepEqual(left, []);
  const { body } = await organization.get('/api/v1/audit-log');
  const actions = body.data.map((entry: Answer['body']) => entry.action);
  assert.deepEqual(
    actions.filter((action: string) => action.startsWith('bill_')),
    ['bill_report.delete', 'bill_report.import'],
  );
  assert.equal((await importCsv(testApp, organization, csv)).status, 201, 'it can be imported again');
});

test("only admins import and delete, cost readers read, and nobody sees another organization's", async () => {
  const organization = await testApp.newOrganization();
  const stranger = await testApp.newOrganization();
  const csv = bill(lineOf({}));
  const { id } = await imported(organization, csv);
  const member = await organization.newToken('member');
  assertProblem(await importCsv(testApp, organization, csv, { token: member }), 403, 'role_too_low');
  assertProblem(await organization.send('DELETE', `${path}/${id}`, undefined, member), 403, 'role_too_low');
  const reader = await organization.newToken('admin', ['costs:read']);
  assertProblem(await importCsv(testApp, organization, csv, { token: reader }), 403, 'scope_missing');
  assertProblem(await stranger.get(`${path}/${id}`), 404, 'report_not_found');
  assertProblem(await stranger.send('DELETE', `${path}/${id}`), 404, 'report_not_found');
  assert.equal((await stranger.get(path)).body.pagination.total, 0);
  assert.equal((await stranger.get('/api/v1/bills/reconciliation')).body.period, null);
  assert.equal((await organization.get(`${path}/${id}`)).status, 200);
});

test('no import leaves a temporary file', () => {
  assert.deepEqual(spooled(), []);
});
