import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { fillOnlyOrganization } from '../../test/harness/demo.ts';
import {
  newDataDir,
  newStorage,
  newTarget,
  programStart,
  runCommand,
  serveHere,
} from '../../test/harness/program.ts';
import type { Settings } from '../../test/harness/storage.ts';
import { derivedTables } from '../app.ts';
import { moveData, prepareSource } from '../platform/backup/move.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';
import { setHold } from '../platform/db/installation.ts';
import { systemClock } from '../platform/lib/time.ts';

// A database with the program's tables.
const settings = await newStorage();
const dataDir = newDataDir();
const target = await newTarget();
const url = target['DATABASE_URL']!;
const source = { DATA_DIR: dataDir };
const client = new pg.Client({ connectionString: url });
// The database is dropped before this connection ends.
client.on('error', () => {});
await client.connect();
after(() => client.end());
const count = async (table: string) =>
  Number((await client.query(`select count(*) from ${table}`)).rows[0]!.count);

async function inFolder(folder: string, work: (db: Database) => Promise<unknown>): Promise<void> {
  const address = { databaseUrl: null, dataDir: folder };
  const { db, close } = await openDatabase(address, { mayCreate: false, applicationName: 'runcost move' });
  try {
    await work(db);
  } finally {
    await close();
  }
}

const inSource = (work: (db: Database) => Promise<unknown>) => inFolder(dataDir, work);
const move = () => runCommand(['move', '--to', url], source);

/** What `resume` prints while a server runs. */
async function endHold(of: Settings): Promise<string> {
  const server = await serveHere(of);
  const { stderr } = await runCommand(['resume'], of);
  await server.stop();
  return stderr;
}

const created = await runCommand(['org', 'create', '--name', 'acme', '--json'], source);
assert.equal(created.code, 0, created.stderr);
await fillOnlyOrganization(source, { days: 20, runs: 300 });

test('refuses a target that is none, and the folder that it reads', async () => {
  const refusals: [to: string, exit: number, message: RegExp][] = [
    ['http://db.internal', 2, /^error: --to must be postgres:/],
    [dataDir, 2, /^error: --to must be another folder than DATA_DIR/],
    ['postgres://127.0.0.1:1/none', 5, /^error: The database at --to cannot be used/],
  ];
  for (const [to, exit, message] of refusals) {
    const { code, stderr } = await runCommand(['move', '--to', to], source);
    assert.equal(code, exit);
    assert.match(stderr, message);
  }
});

test('a target is marked before its first row, so that no server starts on it', async () => {
  const marked = await newTarget();
  const address = { databaseUrl: marked['DATABASE_URL']!, dataDir };
  const opened = await openDatabase(address, { mayCreate: true });
  const options = { target: 'marked', clock: systemClock };
  await inSource(async (db) => {
    const origin = await prepareSource(db, { ...options, sourceFolder: dataDir });
    const stopped = { ...options, signal: AbortSignal.abort(), derived: derivedTables, report: () => {} };
    await assert.rejects(moveData(db, opened.db, { ...origin, ...stopped }), { name: 'AbortError' });
  });
  const { rows } = await sql`select from organizations`.execute(opened.db);
  assert.equal(rows.length, 0);
  await opened.close();
  const { stderr } = await runCommand(['org', 'create', '--name', 'other'], marked);
  assert.match(stderr, /Data is being moved into this database/);
});

test('a move that is killed goes on where it was, and keeps the hold of the source', async () => {
  const child = spawn(process.execPath, [...programStart, 'move', '--to', url], {
    env: { ...process.env, DATABASE_URL: '', ...source },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  const others =
    'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  while ((await client.query(`${others} limit 1`)).rows.length === 0) {
    assert.equal(child.exitCode, null);
    await client.query('select pg_sleep(0.02)');
  }
  // The runs of the target are locked from the first table on, so that the move cannot get past them.
  let isLocked = false;
  while (!isLocked) {
    await client.query('begin');
    isLocked = await client.query('lock table runs in access exclusive mode').then(
      () => true,
      () => false,
    );
    if (!isLocked) await client.query('rollback');
  }
  const moved = async () => {
    const { rows } = await client.query<{ name: string }>('select name from moved_tables');
    return rows.map(({ name }) => name);
  };
  while (!(await moved()).includes('organizations'));
  child.kill('SIGKILL');
  await ended;
  await client.query('rollback');
  assert.ok(!(await moved()).includes('runs'));

  for (const args of [['serve'], ['verify'], ['backup', '--output', '-']]) {
    const half = await runCommand(args, target);
    assert.deepEqual([half.code, half.stdout], [5, ''], args[0]);
    assert.match(half.stderr, /Data is being moved into this database/);
  }

  const rename = (db: Database, from: string, to: string) =>
    sql`update organizations set name = ${to} where name = ${from}`.execute(db);
  await inSource((db) => rename(db, 'acme', 'beta'));
  const changed = await move();
  assert.equal(changed.code, 1);
  assert.match(changed.stderr, /^error: The data changed since the move was stopped: empty the target/m);
  const hold = { reason: 'restored', detail: 'May', since: new Date('2026-05-01') } as const;
  await inSource(async (db) => {
    await rename(db, 'beta', 'acme');
    await setHold(db, hold);
  });
  // Fails the last step on the target, like a crash after the source was put on hold.
  await client.query('create view obstacle as select * from moved_tables');
  assert.equal((await move()).code, 1);
  await client.query('drop view obstacle');
  const again = await move();
  assert.equal(again.code, 0, again.stderr);
  assert.match(
    again.stdout,
    /^Moved [\d,]+ rows in \d+ tables, each with the same checksum on both sides\.$/m,
  );
  assert.equal(await count('runs'), 300);
  const key = readFileSync(join(dataDir, 'encryption.key'), 'utf8').trim();
  const verified = await runCommand(['verify'], { ...target, ENCRYPTION_KEY: key });
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  const twice = await runCommand(['move', '--to', settings['DATABASE_URL']!], source);
  assert.equal(twice.code, 1);
  assert.match(
    twice.stderr,
    /^error: The data of this Runcost was moved to .+\. Use that one\. .*`runcost resume`/m,
  );
  const held = await endHold({ ...target, ENCRYPTION_KEY: key });
  assert.match(held, /^Ended: This Runcost was restored on 2026-05-01 from a backup of May/);
  assert.match(await endHold(source), /^Ended: The data of this Runcost was moved to .+ on 20/);
});

test('refuses a target with tables', async () => {
  const { code, stderr } = await runCommand(['move', '--to', settings['DATABASE_URL']!], source);
  assert.equal(code, 1);
  assert.match(stderr, /The target has tables already/);
});

test('a copied folder that was never started leaves the target on hold', async () => {
  const [copy, taken] = [newDataDir(), await newTarget()];
  cpSync(dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('/run') });
  await inFolder(copy, (db) => setHold(db, null));
  const moved = await runCommand(['move', '--to', taken['DATABASE_URL']!], { DATA_DIR: copy });
  assert.equal(moved.code, 0, moved.stderr);
  const key = readFileSync(join(copy, 'encryption.key'), 'utf8').trim();
  assert.match(await endHold({ ...taken, ENCRYPTION_KEY: key }), /This data folder is a copy/);
});

test('moves from a server to a folder, and not while anybody uses the server', async () => {
  const key = readFileSync(join(dataDir, 'encryption.key'), 'utf8').trim();
  const onServer = { ...target, ENCRYPTION_KEY: key };
  const back = newDataDir();
  const moveBack = () => runCommand(['move', '--to', back], onServer);
  const server = await serveHere(onServer);
  const refused = await moveBack();
  assert.match(refused.stderr, /^error: A server or command is using the source database\. Stop it/m);
  assert.deepEqual(readdirSync(back), [], 'no server can start on the folder of a refused move');
  const before = await runCommand(['costs', '--days', '30', '--json'], onServer);
  await server.stop();

  const others =
    'select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';
  /** PostgreSQL takes a moment to end the sessions of a command that has ended. */
  const nobodyElse = async () => {
    while ((await client.query(others)).rows.length > 0) await client.query('select pg_sleep(0.02)');
  };
  await nobodyElse();
  // A supervisor starts a server while the data is copied.
  await client.query('begin');
  await client.query('lock table runs');
  const copying = moveBack();
  const state = { hasEnded: false };
  void copying.finally(() => (state.hasEnded = true));
  const waiting = `
    select 1 from pg_locks join pg_database on oid = database
    where datname = current_database() and relation = 'runs'::regclass and not granted`;
  while (!state.hasEnded && (await client.query(waiting)).rows.length === 0)
    await client.query('select pg_sleep(0.02)');
  const late = new pg.Client({ connectionString: url, application_name: 'runcost' });
  await late.connect();
  await client.query('rollback');
  const { stderr } = await copying;
  await late.end();
  await nobodyElse();
  assert.match(stderr, /^error: A server or command is using the source database\. Stop it/m);

  const moved = await moveBack();
  assert.equal(moved.code, 0, moved.stderr);
  const here = { DATA_DIR: back, ENCRYPTION_KEY: key };
  const again = await serveHere(here);
  assert.deepEqual(await runCommand(['costs', '--days', '30', '--json'], here), before);
  await again.stop();
  const verified = await runCommand(['verify'], here);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
});
