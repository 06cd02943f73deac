import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sql } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { migrate, statementsOf } from './migrate.ts';
import { openVault } from './openVault.ts';

const { app } = await startTestApp();
const { db } = app;
const folder = mkdtempSync(join(tmpdir(), 'runcost-migrations-'));
after(() => rmSync(folder, { recursive: true }));
const folderUrl = pathToFileURL(`${folder}/`);
const add = (name: string, text: string) => writeFileSync(join(folder, name), text);

test('tables that the former migrations made count as those of the first one', async () => {
  // Later migrations have already run here.
  const schema = '0001_schema.sql';
  const firstOnly = join(folder, 'first');
  mkdirSync(firstOnly);
  copyFileSync(new URL(`../../../migrations/${schema}`, import.meta.url), join(firstOnly, schema));
  const firstUrl = pathToFileURL(`${firstOnly}/`);
  const list = sql`select name, hash, needs from migrations where name = ${schema}`;
  const { rows: before } = await list.execute(db);
  const setDone = async (...names: string[]) => {
    await sql`delete from migrations`.execute(db);
    for (const name of names)
      await sql`insert into migrations (name, hash) values (${name}, 'former')`.execute(db);
  };
  await setDone('0001_foundation.sql', '0067_names.sql');
  await assert.rejects(migrate(db, firstUrl), { code: 'database_too_old' });
  await setDone('0001_foundation.sql', '0067_names.sql', '0068_members_seen.sql');
  assert.deepEqual(await migrate(db, firstUrl), []);
  assert.deepEqual((await list.execute(db)).rows, before);
  // The other tests continue with their own history.
  await sql`delete from migrations`.execute(db);
});

add('0001_first.sql', 'create table first (org_id uuid primary key);');

test('each migration runs once, in the order of names, however many programs start together', async () => {
  add('0002_second.sql', 'insert into first values (gen_random_uuid());');
  const ran = await Promise.all([migrate(db, folderUrl), migrate(db, folderUrl), migrate(db, folderUrl)]);
  assert.deepEqual(
    ran.toSorted((a, b) => b.length - a.length),
    [['0001_first.sql', '0002_second.sql'], [], []],
  );
  const { rows } = await sql`select 1 from first`.execute(db);
  assert.equal(rows.length, 1);
});

test('a failed migration rolls back all migrations of the same start', async () => {
  add('0003_third.sql', 'create table third (org_id uuid primary key);');
  add('0004_broken.sql', 'create table fourth (org_id uuid primary key); select 1 / 0;');
  await assert.rejects(migrate(db, folderUrl), /division by zero/);
  const { rows } = await sql<{
    found: string | null;
  }>`select coalesce(to_regclass('third'), to_regclass('fourth')) as found`.execute(db);
  assert.equal(rows[0]!.found, null);
  add('0004_broken.sql', 'create table fourth (org_id uuid primary key);');
  assert.deepEqual(await migrate(db, folderUrl), ['0003_third.sql', '0004_broken.sql']);
});

test('an older program starts beside a newer one, unless a migration needs newer programs', async () => {
  add('0005_wider.sql', 'alter table first add column added int;');
  await migrate(db, folderUrl);
  rmSync(join(folder, '0005_wider.sql'));
  assert.deepEqual(await migrate(db, folderUrl), []);
  add('0005_wider.sql', 'alter table first add column added int;');
  const text =
    '-- Needs programs from 0005: they do not use first.org_id.\nalter table first drop column org_id;';
  add('0006_narrower.sql', text);
  await migrate(db, folderUrl);
  rmSync(join(folder, '0006_narrower.sql'));
  assert.deepEqual(await migrate(db, folderUrl), []);
  rmSync(join(folder, '0005_wider.sql'));
  await assert.rejects(migrate(db, folderUrl), /migrated by a newer Runcost \(0006_narrower\.sql\)/);
  add('0005_wider.sql', 'alter table first add column added int;');
  add('0006_narrower.sql', text);
});

test('an edited migration is refused', async () => {
  add('0001_first.sql', 'create table other (org_id uuid primary key);');
  await assert.rejects(migrate(db, folderUrl), /0001_first\.sql was edited/);
});

test('a start refuses another key than the one that encrypted the secrets', async () => {
  const config = { ...app.config, encryptionKeys: [Buffer.alloc(32, 7)] };
  await assert.rejects(openVault(config, db, []), /ENCRYPTION_KEY is not the key/);
});

test('with DATABASE_URL and no ENCRYPTION_KEY everything works except storing secrets, and the error names the setting', async () => {
  const vault = await openVault(
    { ...app.config, databaseUrl: 'postgres://elsewhere/db', encryptionKeys: [] },
    db,
    [],
  );
  assert.throws(() => vault.seal('secret'), /Set ENCRYPTION_KEY/);
});

test('a migration is split into statements, also if strings, comments and functions have semicolons', () => {
  const [comment, body] = [
    "-- One; it's two\n/* three; */ create table a (b text default 'it''s; so', \"c;d\" text)",
    '\ncreate function e() as $of$ f; $$ g; $$; $of$',
  ];
  assert.deepEqual(statementsOf(`${comment};${body};\n-- The end;\n`), [comment, body]);
});

test('no new migration changes a table in a way that Citus refuses', () => {
  const migrations = new URL('../../../migrations/', import.meta.url);
  const isRefused = (statement: string) =>
    /\badd column\b[^;]*?\b(check|references|unique|primary key)\b/i.test(statement) ||
    /\badd (check|foreign|unique|primary)\b/i.test(statement) ||
    (/\badd constraint\b/i.test(statement) && statement.match(/\b(add|drop|alter column) /gi)!.length > 1);
  const names = readdirSync(migrations).filter((name) =>
    statementsOf(readFileSync(new URL(name, migrations), 'utf8').replaceAll(/--.*/g, '')).some(isRefused),
  );
  // From before a database could be distributed.
  assert.deepEqual(names, [
    '0012_dated_terms.sql',
    '0018_more_terms.sql',
    '0020_terms_and_claims.sql',
    '0022_digests_of_actor_kinds.sql',
    '0025_digests_of_teams.sql',
  ]);
});
