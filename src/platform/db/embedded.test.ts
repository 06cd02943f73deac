import assert from 'node:assert/strict';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  watch,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { CompiledQuery, sql } from 'kysely';
import pg from 'pg';
import { startChild, type Child } from '../../../test/harness/child.ts';
import { embeddedTemplate } from '../../../test/harness/embeddedTemplate.ts';
import { openDatabase, type OpenDatabase } from './database.ts';
import { DirectoryInUse, type Holder } from './directoryLock.ts';
import { openEmbedded } from './embedded.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'runcost-data-'));
  after(() => rmSync(folder, { recursive: true }));
  return folder;
}

async function newDataDir(): Promise<string> {
  const folder = newFolder();
  cpSync(await embeddedTemplate(), folder, { recursive: true });
  return folder;
}

async function open(dataDir: string): Promise<OpenDatabase> {
  const database = await openDatabase(
    { databaseUrl: null, dataDir },
    { command: 'test', mayJoin: false, mayCreate: true },
  );
  after(database.close);
  return database;
}

async function startUser(dataDir: string, how: 'own' | 'join'): Promise<Child> {
  const child = startChild('useDatabase.ts', dataDir, how);
  assert.equal(await child.readLine(), 'open');
  return child;
}

const ask = (child: Child, text: string, parameters: unknown[] = []): void =>
  child.writeLine(JSON.stringify({ sql: text, parameters }));

async function query(child: Child, text: string, parameters: unknown[] = []): Promise<unknown> {
  ask(child, text, parameters);
  return JSON.parse(await child.readLine());
}

const addressOf = ({ socketDirectory }: { socketDirectory: string }): pg.ClientConfig => ({
  host: socketDirectory,
  user: 'postgres',
  database: 'postgres',
  application_name: 'runcost',
});

const holderOf = (dataDir: string): Holder =>
  JSON.parse(readFileSync(join(dataDir, 'holder.json'), 'utf8')) as Holder;

/** The first message of a client in PostgreSQL's protocol 3.0. */
function startupMessage(): Buffer {
  const body = Buffer.from('\0\x03\0\0user\0postgres\0application_name\0runcost\0\0', 'latin1');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(length.length + body.length);
  return Buffer.concat([length, body]);
}

/** Resolves when a file appears in `folder` whose name starts like this. */
async function appears(folder: string, name = ''): Promise<void> {
  const watcher = watch(folder);
  try {
    while (!readdirSync(folder).some((entry) => entry.startsWith(name))) await once(watcher, 'change');
  } finally {
    watcher.close();
  }
}

test('every commit is synced to disk', async () => {
  const embedded = await openEmbedded(await newDataDir(), { command: 'test', mayCreate: true });
  after(embedded.close);
  const client = new pg.Client(addressOf(embedded));
  await client.connect();
  await client.query('create table kept (id int primary key)');
  const before = embedded.countFsyncs();
  const inserts = 25;
  for (let id = 0; id < inserts; id++) await client.query('insert into kept values ($1)', [id]);
  const fsyncs = embedded.countFsyncs() - before;
  assert.ok(fsyncs >= inserts, `${fsyncs} fsyncs for ${inserts} inserts`);
  await client.end();
  await embedded.close();
});

test('kill -9 during writes loses no acknowledged row, and index and table agree', async () => {
  const dataDir = await newDataDir();
  const acknowledged: number[] = [];
  const socketFolders: string[] = [];
  for (const [round, acknowledgements] of [20, 90, 170].entries()) {
    const writer = await startUser(dataDir, 'own');
    if (round === 0) await query(writer, 'create table kept (id int primary key, text text)');
    const ids = Array.from({ length: 200 }, (_, index) => round * 1_000 + index);
    for (const id of ids) ask(writer, 'insert into kept values ($1, $2)', [id, 'x'.repeat(id % 700)]);
    for (const id of ids.slice(0, acknowledgements)) {
      assert.equal(await writer.readLine(), '[]');
      acknowledged.push(id);
    }
    await writer.kill();
    socketFolders.push(holderOf(dataDir).socketDirectory);
  }

  const reader = await startUser(dataDir, 'own');
  // Each start has removed that of the killed process before it.
  assert.deepEqual(
    socketFolders.map((folder) => existsSync(folder)),
    [false, false, false],
  );
  const idsBy = async (scan: 'seq' | 'index'): Promise<number[]> => {
    for (const kind of ['seq', 'index', 'indexonly', 'bitmap']) {
      await query(reader, 'select set_config($1, $2, false)', [`enable_${kind}scan`, String(kind === scan)]);
    }
    const rows = await query(reader, 'select id from kept where id >= 0 order by id');
    return (rows as { id: number }[]).map(({ id }) => id);
  };
  const inTable = await idsBy('seq');
  assert.deepEqual(await idsBy('index'), inTable);
  const kept = new Set(inTable);
  assert.deepEqual(
    acknowledged.filter((id) => !kept.has(id)),
    [],
  );
});

test('a killed first start recovers at the next one, which others may join before it is ready', async () => {
  const dataDir = newFolder();
  const unfinished = join(dataDir, 'postgres-18.unfinished');
  const killed = startChild('useDatabase.ts', dataDir, 'own');
  await appears(dataDir, 'postgres-18.unfinished');
  await appears(unfinished);
  await killed.kill();
  assert.ok(existsSync(unfinished));
  assert.ok(!existsSync(join(dataDir, 'postgres-18')));
  rmSync(join(dataDir, 'holder.json'));

  const owner = startChild('useDatabase.ts', dataDir, 'own');
  await appears(dataDir, 'holder.json');
  const guest = startChild('useDatabase.ts', dataDir, 'join');
  assert.equal(await guest.readLine(), 'open');
  assert.equal(holderOf(dataDir).pid, owner.pid);
  assert.equal(await owner.readLine(), 'open');
  await query(owner, 'create table seen (id int)');
  assert.deepEqual(await query(guest, 'select count(*)::int as n from seen'), [{ n: 0 }]);
  assert.ok(!existsSync(unfinished));
  for (const folder of [dataDir, join(dataDir, 'postgres-18')]) {
    assert.equal(statSync(folder).mode & 0o777, 0o700);
  }
});

test('a folder in use is refused to a process that may not join, naming the holder', async () => {
  const dataDir = await newDataDir();
  const { db, close } = await open(dataDir);
  const message = new RegExp(`in use by process ${process.pid} \\(runcost test\\)`);
  await assert.rejects(open(dataDir), { constructor: DirectoryInUse, message });
  await sql`select 1`.execute(db);
  await close();
});

test('a process that may join opens a free folder itself, closes it once and leaves nothing behind', async () => {
  const dataDir = await newDataDir();
  const owner = await startUser(dataDir, 'join');
  assert.deepEqual(await query(owner, 'select 1 as one'), [{ one: 1 }]);
  const { pid, command, socketDirectory } = holderOf(dataDir);
  assert.deepEqual([pid, command], [owner.pid, 'fixture']);
  assert.ok(existsSync(socketDirectory));
  owner.endInput();
  assert.deepEqual(await owner.ended, { exit: 0, stderr: '' });
  assert.ok(!existsSync(socketDirectory));
  assert.deepEqual(readdirSync(dataDir).toSorted(), ['lock', 'postgres-18']);
});

test('concurrent clients each get their own answers, however large the queries', async () => {
  const dataDir = await newDataDir();
  const { db, close } = await open(dataDir);
  const guest = await startUser(dataDir, 'join');
  const neighbour = new pg.Client(addressOf(holderOf(dataDir)));
  await neighbour.connect();
  const large = 'x'.repeat(300_000);
  const questionOf = (who: string, id: number): [string, unknown[]] =>
    id % 3 === 0
      ? ['select $1::text as who, length($2::text) as size', [who, large]]
      : ['select $2::int as id, $1::text as who', [who, id]];
  const expected = (who: string, id: number) => (id % 3 === 0 ? { who, size: large.length } : { id, who });

  const guestIsDone = new AbortController();
  const guestAsks = async () => {
    const ids = Array.from({ length: 90 }, (_, id) => id);
    for (const id of ids) ask(guest, ...questionOf('guest', id));
    for (const id of ids) assert.deepEqual(JSON.parse(await guest.readLine()), [expected('guest', id)]);
    guestIsDone.abort();
  };
  const asks = async (
    who: string,
    run: (text: string, parameters: unknown[]) => Promise<{ rows: unknown[] }>,
  ) => {
    for (let id = 0; !guestIsDone.signal.aborted; id++) {
      assert.deepEqual((await run(...questionOf(who, id))).rows, [expected(who, id)]);
    }
  };
  await Promise.all([
    guestAsks(),
    asks('owner', (text, parameters) => db.executeQuery(CompiledQuery.raw(text, parameters))),
    asks('neighbour', (text, parameters) => neighbour.query(text, parameters)),
  ]);
  await neighbour.end();
  await guest.kill();
  await close();
});

test('a transaction is isolated: others wait for its end and do not see what it rolls back', async () => {
  const dataDir = await newDataDir();
  const { db, close } = await open(dataDir);
  const guest = await startUser(dataDir, 'join');
  await sql`create table changes (id int)`.execute(db);
  const count = () =>
    sql<{ n: number }>`select count(*)::int as n from changes`.execute(db).then(({ rows }) => rows[0]!.n);

  await query(guest, 'begin');
  await query(guest, 'insert into changes values (1)');
  const whileOpen = count();
  assert.deepEqual(await query(guest, 'select count(*)::int as n from changes'), [{ n: 1 }]);
  await query(guest, 'rollback');
  assert.equal(await whileOpen, 0);

  const takenBack = db.transaction().execute(async (tx) => {
    await sql`insert into changes values (2)`.execute(tx);
    ask(guest, 'select count(*)::int as n from changes');
    await sql`select pg_sleep(0.05)`.execute(tx);
    throw new Error('taken back');
  });
  await assert.rejects(takenBack, /taken back/);
  assert.deepEqual(JSON.parse(await guest.readLine()), [{ n: 0 }]);

  await query(guest, 'begin');
  await query(guest, 'insert into changes values (3)');
  const whileDying = count();
  await guest.kill();
  assert.equal(await whileDying, 0);
  await close();
});

test('clients that disconnect or request encryption disturb nobody', async () => {
  const embedded = await openEmbedded(await newDataDir(), { command: 'test', mayCreate: true });
  after(embedded.close);
  await assert.rejects(
    new pg.Client({ ...addressOf(embedded), ssl: true }).connect(),
    /does not support SSL/,
  );

  const client = new pg.Client(addressOf(embedded));
  await client.connect();
  const breaking = connect(join(embedded.socketDirectory, '.s.PGSQL.5432'));
  // The start of a connection, and of a statement of 1000 bytes that never arrives.
  breaking.write(Buffer.concat([startupMessage(), Buffer.from('P\0\0\x03\xe8select', 'latin1')]));
  await once(breaking, 'data');
  assert.deepEqual((await client.query('select $1::int as n', [1])).rows, [{ n: 1 }]);
  breaking.destroy();
  assert.deepEqual((await client.query('select $1::int as n', [2])).rows, [{ n: 2 }]);
  await client.end();
  await embedded.close();
});

test('another program is refused, and what a client of ours has set ends with it', async () => {
  const embedded = await openEmbedded(await newDataDir(), { command: 'test', mayCreate: true });
  after(embedded.close);
  const address = addressOf(embedded);
  for (const name of ['pg_dump', 'psql', undefined]) {
    const { application_name: _, ...anonymous } = address;
    const other = new pg.Client(name === undefined ? anonymous : { ...anonymous, application_name: name });
    other.on('error', () => {});
    await assert.rejects(other.connect(), /accepts only Runcost's own commands.*`runcost export`/);
  }

  const careless = new pg.Client(address);
  await careless.connect();
  await careless.query("select set_config('search_path', '', false)");
  await careless.query('prepare left_behind as select 1');
  await careless.query('select pg_advisory_lock(1)');
  await careless.end();
  const next = new pg.Client(address);
  await next.connect();
  const { rows } = await next.query(
    `select current_setting('search_path') as path,
      (select count(*)::int from pg_prepared_statements where name = 'left_behind') as prepared,
      (select count(*)::int from pg_locks where locktype = 'advisory') as locks`,
  );
  assert.deepEqual(rows, [{ path: 'public', prepared: 0, locks: 0 }]);
  await next.end();
  await embedded.close();
});

test('a failed database acknowledges nothing more, says why, and can be closed and opened again', async () => {
  const dataDir = await newDataDir();
  const first = await open(dataDir);
  await sql`create table kept (id int primary key)`.execute(first.db);
  await sql`insert into kept values (1)`.execute(first.db);

  const log = join(dataDir, 'postgres-18', 'pg_wal');
  renameSync(log, `${log}.away`);
  const writes = sql`select pg_switch_wal(); insert into kept values (2);`.execute(first.db);
  await assert.rejects(writes, /Connection terminated|pg_wal/);
  await assert.rejects(first.failed, /^PublicError: The embedded database failed: could not .*pg_wal/);
  await assert.rejects(sql`insert into kept values (3)`.execute(first.db));
  await first.close();
  renameSync(`${log}.away`, log);

  const second = await open(dataDir);
  const { rows } = await sql`select id from kept`.execute(second.db);
  assert.deepEqual(rows, [{ id: 1 }]);
  await second.close();
});

test('a database that cannot be opened says why and releases the folder', async () => {
  const dataDir = await newDataDir();
  const control = join(dataDir, 'postgres-18', 'global', 'pg_control');
  renameSync(control, `${control}.away`);
  await assert.rejects(
    open(dataDir),
    /^PublicError: The database in .*postgres-18 cannot be opened: .*pg_control/,
  );
  renameSync(`${control}.away`, control);
  await (await open(dataDir)).close();
});

test('values have the types that the program expects', async () => {
  const { db, close } = await open(await newDataDir());
  const { rows } = await sql`
    select 9007199254740993::int8 as nanos, 0.1::numeric as exact, date '2026-03-01' as day, 7::int4 as count,
      timestamptz '2026-03-01T23:30:00-02:00' as at, '{"a": 1}'::jsonb as json`.execute(db);
  assert.deepEqual(rows, [
    {
      nanos: 9_007_199_254_740_993n,
      exact: '0.1',
      day: '2026-03-01',
      count: 7,
      at: new Date('2026-03-02T01:30:00Z'),
      json: { a: 1 },
    },
  ]);
  await close();
});
