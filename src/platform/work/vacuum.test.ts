import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { sql } from 'kysely';
import { newDataDir } from '../../../test/harness/program.ts';
import { openDatabase } from '../db/database.ts';
import { vacuumPollers } from './vacuum.ts';

const embedded = { databaseUrl: null, dataDir: await newDataDir() };
const { db, close } = await openDatabase(embedded, { command: 'test', mayJoin: false, mayCreate: true });
after(close);
const [poller, checkpoints] = vacuumPollers({ db, databaseUrl: null });

const run = () => poller!.run(new AbortController().signal);

async function look(): Promise<{ pages: number; known: number }> {
  const { rows } = await sql<{ pages: number; known: number }>`
    select (pg_relation_size(oid) / 8192)::int as pages, reltuples::int as known from pg_class where relname = 'words'
  `.execute(db);
  return rows[0]!;
}

const fill = () =>
  sql`insert into words select n, repeat('x', 100) from generate_series(1, 5000) n`.execute(db);

test('a server has its own autovacuum', () => {
  assert.deepEqual(vacuumPollers({ db, databaseUrl: 'postgres://somewhere' }), []);
});

test('the embedded database knows its tables’ sizes and reuses the space of deleted rows', async () => {
  await sql`create table words (n integer primary key, word text not null)`.execute(db);
  await fill();
  await run();
  const filled = await look();
  assert.equal(filled.known, 5_000);
  for (let round = 0; round < 4; round++) {
    await sql`delete from words where n < 5000`.execute(db);
    await run();
    assert.equal((await look()).known, 1);
    await sql`delete from words`.execute(db);
    await fill();
    await run();
  }
  assert.ok((await look()).pages <= filled.pages + 1);
});

test('nothing happens after few changes', async () => {
  await run();
  await sql`delete from words where n <= 40`.execute(db);
  await run();
  assert.equal((await look()).known, 5_000);
});

test('the embedded database makes a checkpoint in time, where enough was written', async () => {
  const replayedFrom = async () =>
    (await sql<{ lsn: string }>`select redo_lsn::text as lsn from pg_control_checkpoint()`.execute(db))
      .rows[0]!.lsn;
  await sql`create table filled (n integer, word text)`.execute(db);
  await sql`insert into filled select n, repeat('x', 200) from generate_series(1, 20000) n`.execute(db);
  const before = await replayedFrom();
  await checkpoints!.run(new AbortController().signal);
  const later = await replayedFrom();
  assert.notEqual(later, before);
  await checkpoints!.run(new AbortController().signal);
  assert.equal(await replayedFrom(), later);
});
