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
import { newStorage, programStart, runCommand, serveHere } from '../../test/harness/program.ts';

const settings = await newStorage();
const { json, printed, run } = commandsOf('export', settings);
const folder = mkdtempSync(join(tmpdir(), 'runcost-exports-'));
after(() => rmSync(folder, { recursive: true }));

const acme = await json('org', 'create', '--name', 'acme');
const jobs = await fillOnlyOrganization(settings, { days: 5, runs: 60 });

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const window = ['--from', daysAgo(10), '--to', daysAgo(0)];
const sha256 = (file: Buffer) => createHash('sha256').update(file).digest('hex');

test('without a server, writes the file itself and replaces an existing one', async () => {
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
    [['--dataset', 'jobs', '--from', daysAgo(0), '--to', daysAgo(1)], /--to must not be before --from/],
    [
      ['--dataset', 'jobs', ...window, '--output', join(folder, 'no', 'file.csv')],
      /--output.*no does not exist/,
    ],
    [['--dataset', 'jobs', ...window, '--output', '-', '--json'], /--json/],
    [['--dataset', 'jobs', ...window, '--output', socket], /--output .*socket is not a file or a folder/],
    [['--dataset', 'costs', ...window], /Allowed choices are jobs, runs, daily, focus/],
    [['--dataset', 'jobs', '--from', daysAgo(1)], /--to/],
  ] as const) {
    const { code, stdout, stderr } = await run(...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, words);
  }
  assert.ok(statSync(socket).isSocket());
});

test('beside a server, waits for the file from any worker, and reports a full disk', async () => {
  const server = await serveHere(settings);
  const file = join(folder, 'beside.jsonl');
  await printed('--dataset', 'runs', '--format', 'jsonl', ...window, '--output', file);
  assert.equal(readFileSync(file).toString().split('\n').length, 61);
  const token = /runcost_\S+/.exec(
    (await runCommand(['token', 'create', '--name', 'x', '--org', acme.org_id], settings)).stdout,
  )![0];
  const response = await fetch(`${server.address}/api/v1/exports`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const { data } = (await response.json()) as { data: { download_url: string; dataset: string }[] };
  assert.equal(data[0]!.dataset, 'runs');
  const fetched = await fetch(data[0]!.download_url, { headers: { authorization: `Bearer ${token}` } });
  assert.deepEqual(Buffer.from(await fetched.arrayBuffer()), readFileSync(file));
  const part = await fetch(data[0]!.download_url, {
    headers: { authorization: `Bearer ${token}`, range: 'bytes=10-19' },
  });
  assert.equal(part.status, 206);
  assert.deepEqual(Buffer.from(await part.arrayBuffer()), readFileSync(file).subarray(10, 20));

  // A file size limit simulates a full disk. The server, which has the database, has no limit.
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
  await server.stop();
});
