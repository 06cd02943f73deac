import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { commandsOf } from '../../test/harness/commands.ts';
import { fillOnlyOrganization } from '../../test/harness/demo.ts';
import { newStorage, programStart, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { json, printed, run } = commandsOf('export', settings);
const folder = mkdtempSync(join(tmpdir(), 'runcost-exports-'));
after(() => rmSync(folder, { recursive: true }));

const acme = await json('org', 'create', '--name', 'acme');
const jobs = await fillOnlyOrganization(settings, { days: 5, runs: 60 });
await serveHere(settings);

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const window = ['--from', daysAgo(10), '--to', daysAgo(0)];
const sha256 = (file: Buffer) => createHash('sha256').update(file).digest('hex');

test('saves the file that the server writes, in place of an existing one', async () => {
  const file = join(folder, 'jobs.csv');
  writeFileSync(file, 'old');
  const [stdout, stderr] = await printed('--dataset', 'jobs', ...window, '--output', file);
  assert.equal(stdout, `${file}\n`);
  const bytes = readFileSync(file);
  const rows = bytes.toString().split('\r\n').length - 2;
  assert.ok(rows > 0 && rows <= jobs, `${rows} of ${jobs}`);
  assert.match(stderr, new RegExp(`^${rows} rows, [\\d,]+ bytes, SHA-256 ${sha256(bytes)}\\n$`, 'm'));
  assert.deepEqual(readdirSync(folder), ['jobs.csv'], 'nothing unfinished is left');
});

test("uses the export's file name in a folder", async () => {
  const own = mkdtempSync(join(folder, 'own-'));
  const args = ['export', '--dataset', 'focus', '--format', 'parquet', ...window, '--output', own];
  const shown = await json(...args);
  assert.deepEqual(readdirSync(own), [`runcost-focus-${daysAgo(10)}-to-${daysAgo(0)}.parquet`]);
  const bytes = readFileSync(shown.path);
  assert.deepEqual([shown.status, shown.sha256, shown.bytes], ['done', sha256(bytes), bytes.length]);
  assert.equal(bytes.subarray(-4).toString(), 'PAR1');
});

test('prints only the file to standard output', async () => {
  const [stdout] = await printed('--dataset', 'daily', '--format', 'jsonl', ...window, '--output', '-');
  const lines = stdout.trimEnd().split('\n');
  assert.ok(lines.length > 0);
  for (const line of lines) assert.equal(typeof JSON.parse(line).cost, 'number');
});

test('names the wrong option and writes nothing', async () => {
  const socket = join(folder, 'socket');
  const listening = createServer().listen(socket);
  after(() => listening.close());
  for (const [args, words] of [
    [['--dataset', 'jobs', '--from', 'x', '--to', daysAgo(0)], /--from must be a UTC day/],
    [['--dataset', 'jobs', '--from', daysAgo(0), '--to', daysAgo(1)], /--to must not be before/],
    [
      ['--dataset', 'jobs', ...window, '--output', join(folder, 'no', 'file.csv')],
      /--output.*no does not exist/,
    ],
    [['--dataset', 'jobs', ...window, '--output', '-', '--json'], /--json/],
    [['--dataset', 'jobs', ...window, '--output', socket], /--output.*socket is not a file or a folder/],
    [['--dataset', 'costs', ...window], /Allowed choices are jobs, runs, daily, focus, focus_invoice_detail/],
    [['--dataset', 'jobs', '--from', daysAgo(1)], /--to/],
    [window, /--dataset/],
  ] as const) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [2, ''], stderr);
    assert.match(stderr, words);
  }
  assert.ok(statSync(socket).isSocket());
});

test('lists exports, and downloads one again, also of a named organization', async () => {
  const [latest] = await json('export', 'list', '--limit', '1');
  const own = mkdtempSync(join(folder, 'again-'));
  const saved = await json('export', 'download', latest.id, '--output', own, '--org', acme.org_id);
  assert.equal(saved.path, join(own, latest.file_name));
  assert.equal(sha256(readFileSync(saved.path)), latest.sha256);
});

test('a file that cannot be written whole leaves the old one', async () => {
  // A file size limit simulates a full disk.
  const own = mkdtempSync(join(folder, 'full-'));
  writeFileSync(join(own, 'jobs.csv'), 'old');
  const args = ['export', '--dataset', 'jobs', ...window, '--output', join(own, 'jobs.csv')];
  const limited = `trap '' XFSZ; ulimit -f 8; exec "$@"`;
  const child = spawn('sh', ['-c', limited, 'sh', process.execPath, ...programStart, ...args], {
    env: { ...process.env, DATABASE_URL: '', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  assert.equal(status, 1);
  assert.match(stderr, /^error: The file could not be written: EFBIG.*\n$/m);
  assert.doesNotMatch(stderr, /\n +at /, 'no stack');
  assert.deepEqual(readdirSync(own), ['jobs.csv']);
  assert.equal(readFileSync(join(own, 'jobs.csv'), 'utf8'), 'old');
});
