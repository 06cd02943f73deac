import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { commandsOf } from '../../test/harness/commands.ts';
import {
  newStorage,
  newTarget,
  ownerOf,
  programStart,
  runCommand,
  serveHere,
} from '../../test/harness/program.ts';
import type { Settings } from '../../test/harness/storage.ts';
import { newRun } from '../../test/harness/submission.ts';
import { openWebhookReceiver } from '../../test/harness/webhookReceiver.ts';
import { endArchive, listEntries, sha256, withFile, writeEntry } from '../platform/backup/archive.ts';
import { openDatabase } from '../platform/db/database.ts';

const folder = mkdtempSync(join(tmpdir(), 'runcost-backups-'));
after(() => rmSync(folder, { recursive: true }));

const settings = await newStorage();
const receiver = await openWebhookReceiver();
const server = await serveHere(settings);
const backup = join(folder, 'backup.tar');

async function send(path: string, body: object): Promise<void> {
  const response = await fetch(`${server.address}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${ownerOf(server).token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, await response.text());
}

async function inDatabase<T>(
  of: Settings,
  work: (db: Awaited<ReturnType<typeof openDatabase>>['db']) => Promise<T>,
): Promise<T> {
  const address = { databaseUrl: of['DATABASE_URL'] ?? null, dataDir: of.DATA_DIR };
  const { db, close } = await openDatabase(address, { mayCreate: false });
  try {
    return await work(db);
  } finally {
    await close();
  }
}

type TableOf = { name: string; rows: number; sum: string };

/** Restoring changes these rows, which identify the installation. */
const kept = (tables: TableOf[]) => tables.filter(({ name }) => name !== 'installation');

async function sumsOf(of: Settings) {
  return inDatabase(of, async (db) => {
    const { rows } = await sql<Record<string, string>>`
      select (select sum(cost_nanos) from jobs) as jobs, (select sum(cost_nanos) from organization_days) as days,
        (select count(*) from runs)::text as recorded,
        (select sum(runs) from organization_days)::text as counted
    `.execute(db);
    return rows[0]!;
  });
}

const restored = await newTarget();
let manifest: { tables: TableOf[] };

test('a backup taken while runs are recorded holds one moment, and restores to the last digit', async () => {
  await send('/webhooks', { url: receiver.url, events: ['workflow.completed'] });
  const submit = (runs: number) => send('/runs', { runs: Array.from({ length: runs }, () => newRun()) });
  await submit(300);
  const done = new AbortController();
  const recording = (async () => {
    while (!done.signal.aborted) await submit(7);
  })();
  // Left by a killed command with the same process id, as is common in containers.
  if (!settings['DATABASE_URL']) mkdirSync(join(settings.DATA_DIR, `snapshot-${process.pid}-0`));
  const part = (host: string) => join(folder, `backup.tar.${host}-${process.pid}-0a1b2c3d.part`);
  for (const host of [hostname(), 'dead', 'writing']) writeFileSync(part(host), 'some rows');
  utimesSync(part('dead'), new Date(), new Date(Date.now() - 3_700_000));
  const { json } = commandsOf('backup', settings);
  manifest = await json('backup', '--output', backup).finally(() => done.abort());
  await recording;
  assert.deepEqual(readdirSync(folder).toSorted(), ['backup.tar', basename(part('writing'))]);
  assert.deepEqual(
    readdirSync(settings.DATA_DIR).filter((name) => name.startsWith('snapshot')),
    [],
  );

  const { code, stdout, stderr } = await runCommand(['restore', backup], restored);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Restored: [\d,]+ rows in \d+ tables, 1 organization, as of 20/);
  assert.match(stderr, /It is on hold/);
  assert.match(stderr, /the secrets of 0 sources and 1 webhook, 0 API/);
  if (restored['DATABASE_URL']) restored['ENCRYPTION_KEY'] = settings['ENCRYPTION_KEY']!;
  else {
    copyFileSync(join(settings.DATA_DIR, 'encryption.key'), join(restored.DATA_DIR, 'encryption.key'));
  }
  const again = await commandsOf('backup', restored).json('backup', '--output', join(folder, 'again.tar'));
  assert.deepEqual(kept(again.tables), kept(manifest.tables));
  const sums = await sumsOf(restored);
  assert.deepEqual([sums['jobs'], sums['recorded']], [sums['days'], sums['counted']]);
  assert.ok(Number(sums['recorded']) >= 300, sums['recorded']);
});

test('a restored server sends nothing until `resume`, and says so', async () => {
  const snapshot = join(restored.DATA_DIR, `snapshot-${process.pid}-0`);
  if (!restored['DATABASE_URL']) mkdirSync(snapshot);
  const copy = await serveHere(restored);
  assert.ok(!existsSync(snapshot));
  assert.match(copy.printed(), /ON HOLD +This Runcost was restored on 20[\d-]+ from a backup of 20/);
  assert.match(copy.printed(), /Nothing is sent until: .*resume/);
  const ready = async () => (await fetch(`${copy.address}/readyz`)).json();
  assert.deepEqual(await ready(), { status: 'ok', hold: 'restored' });
  const again = await runCommand(['resume'], restored);
  assert.match(again.stderr, /^Ended: This Runcost was restored on /);
  assert.deepEqual(await ready(), { status: 'ok' });
  assert.match((await runCommand(['resume'], restored)).stderr, /^There was no hold\.$/m);
  await copy.stop();
});

/** The backup with a changed manifest and matching hashes. */
async function withManifest(change: (manifest: string) => string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  const sink = async (bytes: Buffer) => void pieces.push(bytes);
  await withFile(backup, async (file) => {
    for (const { name, read } of await listEntries(file)) {
      if (name === 'manifest.json') {
        const bytes = Buffer.from(change((await read()).toString()));
        await writeEntry(sink, name, bytes, new Date());
        await writeEntry(sink, `${name}.sha256`, Buffer.from(sha256(bytes)), new Date());
      } else if (name !== 'manifest.json.sha256') await writeEntry(sink, name, await read(), new Date());
    }
    await endArchive(sink);
  });
  return Buffer.concat(pieces);
}

test('refuses a file that differs from what was written, and leaves the target empty', async () => {
  const whole = readFileSync(backup);
  const jobsAt = whole.indexOf('data/jobs/000001.jsonl.gz') + 512;
  const flipped = (at: number) => {
    const bytes = Buffer.from(whole);
    bytes[at]! ^= 1;
    return bytes;
  };
  const newer = whole.toString('latin1').replace(/0001_schema\.sql/, '0939_schema.sql');
  const target = await newTarget();
  for (const [title, bytes, words] of [
    ['a flipped byte in a table', flipped(jobsAt + 40), /damaged: table jobs has changed/],
    ['a flipped byte of a header', flipped(jobsAt - 500), /damaged: it is cut off or broken after table/],
    [
      'a flipped byte in the manifest',
      flipped(whole.indexOf('"organizations"') + 2),
      /its manifest has changed/,
    ],
    ['an edited manifest', Buffer.from(newer, 'latin1'), /its manifest has changed/],
    ['a cut in a table', whole.subarray(0, jobsAt + 40), /damaged: it is cut off or broken after table/],
    ['a cut before the manifest', whole.subarray(0, whole.indexOf('manifest.json') + 600), /damaged/],
    ['another file', Buffer.from('hello'), /not a backup of Runcost/],
    [
      'SQL in place of a type',
      await withManifest((written) => written.replace('"type": "text"', '"type": "text, extra text"')),
      /damaged: table \w+ has other columns/,
    ],
    ['an empty file', Buffer.alloc(0), /not a backup of Runcost/],
  ] as const) {
    const file = join(folder, 'bad.tar');
    writeFileSync(file, bytes);
    const { code, stdout, stderr } = await runCommand(['restore', file], target);
    assert.deepEqual([code, stdout], [2, ''], title);
    assert.match(stderr, words, title);
    assert.doesNotMatch(stderr, /at .*\.ts/, title);
  }
  const { code, stdout } = await runCommand(['restore', '--check', backup], target);
  assert.equal(code, 0);
  assert.match(stdout, /^The backup is whole: /);
  const left = await runCommand(['backup', '--output', '-'], target);
  assert.match(left.stderr, /There is no database|no Runcost tables yet/);
});

test('refuses a backup of a newer version, and a target that is not empty', async () => {
  const file = join(folder, 'newer.tar');
  await inDatabase(restored, async (db) => {
    await sql`insert into migrations (name, hash) values ('9999_future.sql', 'x')`.execute(db);
  });
  await commandsOf('backup', restored).printed('--output', file);
  const { code, stderr } = await runCommand(['restore', file], await newTarget());
  assert.equal(code, 1);
  assert.match(stderr, /backup was written by Runcost [\d.]+, whose tables are newer/);
  const taken = await runCommand(['restore', backup], settings);
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /has (a database|tables)\. Restore into an empty one; nothing was changed/);
  const foreign = mkdtempSync(join(folder, 'photos-'));
  // A server of an older version that was killed left its address.
  for (const name of ['lost+found', 'address', 'a.jpg', 'b.jpg']) writeFileSync(join(foreign, name), '');
  const refused = await runCommand(['restore', backup], { DATA_DIR: foreign });
  assert.equal(refused.code, 1);
  const reason = "has files that are not Runcost's: a.jpg and 1 other file. Restore into an empty one;";
  assert.ok(refused.stderr.includes(reason), refused.stderr);
  assert.deepEqual(readdirSync(foreign).toSorted(), ['a.jpg', 'address', 'b.jpg', 'lost+found']);
});

test('prints only the file to standard output, and holds the key only if it is asked to', async () => {
  const key =
    settings['ENCRYPTION_KEY'] ?? readFileSync(join(settings.DATA_DIR, 'encryption.key'), 'utf8').trim();
  for (const [flags, hasKey] of [
    [[], false],
    [['--with-key'], true],
  ] as const) {
    const { code, stdout, stderr } = await runCommand(['backup', '--output', '-', ...flags], settings);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^data\/[^]+manifest\.json[^]+\0$/);
    assert.equal(stdout.includes(key), hasKey);
  }
  const child = spawn(process.execPath, [...programStart, 'backup', '--output', '-'], {
    env: { ...process.env, DATABASE_URL: '', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [[closed], printed] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
  assert.equal(closed, 1, printed);
  assert.match(printed, /^error: The backup could not be written: write EPIPE$/m);
  assert.doesNotMatch(printed, /at .*\.ts/);
  const refused = await runCommand(['backup', '--output', backup], settings);
  assert.match(refused.stderr, /backup\.tar exists; backups replace nothing/);
});
