import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bill, lineOf } from '../../test/harness/bills.ts';
import { commandsOf, type Json } from '../../test/harness/commands.ts';
import { newStorage, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { run, json, printed } = commandsOf('bill', settings);
const folder = mkdtempSync(join(tmpdir(), 'runcost-bills-'));
after(() => rmSync(folder, { recursive: true, force: true }));
await json('org', 'create', '--name', 'acme');
await serveHere(settings);

/** A day within the history of a new organization's plan. */
const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('without a report, the list and the comparison say how to import one', async () => {
  assert.match((await printed('list'))[1], /No reports yet.*bill import/);
  assert.match(
    (await printed('reconcile'))[1],
    /No report covers days within the plan's history.*bill import/,
  );
});

test('imports files with kept and skipped lines, and a bad file does not stop others', async () => {
  const good = file('good.csv', bill(lineOf({ date: day }), lineOf({ date: day, quantity: 'many' })));
  const wrong = file('wrong.csv', 'name,age\n');
  const { code, stdout, stderr } = await run('import', wrong, join(folder, 'none.csv'), folder, good);
  assert.equal(code, 1);
  assert.match(stderr, /The file lacks the columns date/);
  assert.match(stderr, /none\.csv cannot be read/);
  assert.match(stderr, /runcost-bills-\w+ cannot be read: EISDIR/);
  assert.match(stderr, /good\.csv, line 3 has the quantity "many"/);
  const [heading, row] = stdout
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(heading!.slice(1), [
    'FILE',
    'FORMAT',
    'FROM',
    'TO',
    'LINES',
    'KEPT',
    'SKIPPED',
    'GROSS',
    'NET',
  ]);
  assert.deepEqual(row!.slice(1), ['good.csv', 'summarised', day, day, '2', '1', '1', '$0.04', '$0.04']);
  const again = await run('import', good);
  assert.equal(again.code, 1, 'its lines are still missing');
  assert.match(again.stderr, /imported before, so nothing changes.*latest report again.*bill delete bill_/);
  const [, replacing] = await printed('import', file('later.csv', bill(lineOf({ date: day, sku: 'linux' }))));
  assert.match(replacing, /replaces 1 day of report bill_\w+ \(good\.csv\)/);
  const reports: Json[] = await json('bill', 'list');
  assert.deepEqual(
    reports.map(({ file_name: name, lines }) => [name, lines.kept]),
    [
      ['later.csv', 1],
      ['good.csv', 1],
    ],
  );
});

test('lists a file without the control characters in its name', async () => {
  const odd = file('a\u001B[2J\u202E.csv', bill(lineOf({ date: day, sku: 'odd' })));
  const { stdout, stderr } = await run('import', '--json', odd);
  assert.ok(stderr.includes('/a [2J'), stderr);
  const [{ id, file_name }] = JSON.parse(stdout);
  assert.equal(file_name, 'a\uFFFD[2J\uFFFD.csv');
  await printed('delete', id);
});

test('a skipped line makes the exit code 1, also with --json', async () => {
  const bad = file('bad.csv', bill(lineOf({ date: day, sku: 'windows' }), lineOf({ date: 'soon' })));
  const { code, stdout } = await run('import', '--json', bad);
  assert.equal(code, 1);
  const [{ id, lines }] = JSON.parse(stdout);
  assert.deepEqual([lines.kept, lines.skipped], [1, 1]);
  await printed('delete', id);
  const { stdout: help } = await run('import', '--help');
  assert.match(help, /with 1 if a line was skipped or a file was refused/);
});

test('reads open dates as --date-order says', async () => {
  const open = file('open.csv', bill(lineOf({ date: '02/01/2026' })));
  const asked = await run('import', open);
  assert.equal(asked.code, 1);
  assert.match(
    asked.stderr,
    /--date-order is required .*: mdy \(month\/day\) or dmy \(day\/month\)\nline 2 has the date "02\/01\/2026"/,
  );
  const [table, notes] = await printed('import', '--date-order', 'dmy', open);
  assert.match(table, /open\.csv +summarised +2026-01-02 +2026-01-02/);
  assert.match(notes, /open\.csv: dates were read as day\/month/);
  const other = await run('import', '--date-order', 'mdy', open);
  assert.equal(other.code, 1);
  assert.match(other.stderr, /imported before as report bill_\w+, with the other date order/);
  await printed('delete', /bill_\w+/.exec(table)![0]);
});

test('prints the comparison with its causes, or as JSON', async () => {
  const [table, notes] = await printed('reconcile', '--by', 'sku');
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  assert.deepEqual(rows, [
    ['SKU', 'OURS', 'GROSS', 'DISCOUNT', 'NET', 'DIFFERENCE', 'CAUSES', 'UNEXPLAINED'],
    ['linux', '$0.00', '$0.04', '$0.00', '$0.04', '−$0.04', 'Before Runcost −$0.04', '$0.00'],
    ['all', '$0.00', '$0.04', '$0.00', '$0.04', '−$0.04', 'Before Runcost −$0.04', '$0.00'],
  ]);
  assert.match(notes, new RegExp(`^Days compared: ${day} to ${day} \\(UTC\\)\\.$`, 'm'));
  const { data, totals } = await json('bill', 'reconcile', '--by', 'all', '--from', day, '--to', day);
  assert.equal(data[0].repository, 'acme/api');
  assert.equal(totals.difference, -0.04);
});

test('prints each month, and its products by repository', async () => {
  const storage = { sku: 'actions_storage', unit: 'gigabyte-hours', quantity: 7_200 };
  await printed('import', file('storage.csv', bill(lineOf({ date: day, product: 'packages', ...storage }))));
  const [table] = await printed('month', 'list');
  const rows = table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/));
  const size = `${(7_200 / (24 * new Date(Date.UTC(+day.slice(0, 4), +day.slice(5, 7), 0)).getUTCDate())).toFixed(1)} GB`;
  assert.deepEqual(rows, [
    ['MONTH', 'PRODUCT', 'REPOSITORY', 'GROSS', 'NET', 'AVERAGE'],
    [day.slice(0, 7), 'all', 'all', '$0.08', '$0.08'],
    [day.slice(0, 7), 'compute', 'all', '$0.04', '$0.04'],
    [day.slice(0, 7), 'compute', 'acme/api', '$0.04', '$0.04'],
    [day.slice(0, 7), 'storage', 'all', '$0.04', '$0.04', size],
    [day.slice(0, 7), 'storage', 'acme/api', '$0.04', '$0.04', size],
  ]);
});

test('says which days of the reports are not compared', async () => {
  const daysBefore = (count: number) =>
    new Date(Date.parse(day) - count * 86_400_000).toISOString().slice(0, 10);
  const [nothing, hint] = await printed('reconcile', '--from', daysBefore(9), '--to', daysBefore(1));
  assert.equal(nothing, '');
  assert.match(hint, new RegExp(`^No bill covers ${daysBefore(9)} to ${daysBefore(1)} \\(UTC\\)\\.`));
  assert.match(hint, /`runcost bill import FILE`\.$/m);
  assert.doesNotMatch(hint, /Days compared/);
});
