import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { newStorage, newTarget, runCommand, serveHere } from '../../test/harness/program.ts';
import { openDatabase } from '../platform/db/database.ts';

const settings = await newStorage();
const { db, close } = await openDatabase(
  { databaseUrl: settings['DATABASE_URL']!, dataDir: settings.DATA_DIR },
  { mayCreate: false },
);
const distribute = (...options: string[]) => runCommand(['distribute', ...options], settings);
const listed = async (query: string) => (await sql<{ name: string }>`${sql.raw(query)}`.execute(db)).rows;
const ofOrganizations = `select table_name as name from information_schema.columns join information_schema.tables
  using (table_name) where column_name = 'org_id' and table_type = 'BASE TABLE' order by 1`;

/** The functions that the command needs. Like those of Citus, they refuse a table before the ones that it references. */
async function pretendCitus(): Promise<void> {
  await sql`
    create table pg_dist_partition (logicalrelid regclass, partmethod "char", colocated text, shards integer);
    create function create_distributed_table(name regclass, distributed_by text, colocate_with text, shard_count integer default null)
    returns void language plpgsql as $$ begin
      if distributed_by <> 'org_id' or exists (
        select 1 from pg_constraint where conrelid = name and contype = 'f' and confrelid <> name
          and confrelid not in (select logicalrelid from pg_dist_partition)
      ) then raise exception '% is too early', name; end if;
      insert into pg_dist_partition values (name, 'h', colocate_with, shard_count);
    end $$;
    create function truncate_local_data_after_distributing_table(name regclass) returns void language sql as '';
  `.execute(db);
}

test('says what to install where there is no Citus', async () => {
  const { code, stderr } = await distribute();
  assert.equal(code, 1);
  assert.match(stderr, /has no Citus.*create extension citus/);
});

test('makes no tables', async () => {
  const target = await newTarget();
  const { code, stderr } = await runCommand(['distribute', '--dry-run'], target);
  assert.equal(code, 1);
  assert.match(stderr, /has no tables.*runcost migrate/);
  assert.match((await runCommand(['verify'], target)).stderr, /has no tables/);
});

test('distributes each table of organizations after those that it references, and none twice', async () => {
  await pretendCitus();
  const { code, stdout } = await distribute('--dry-run', '--shards', '16');
  assert.equal(code, 0);
  const [first] = stdout.split('\n');
  assert.match(
    first!,
    /^select create_distributed_table\('organizations', 'org_id', .*shard_count => 16\);$/,
  );
  assert.deepEqual(await listed('select logicalrelid as name from pg_dist_partition'), []);

  const done = await distribute();
  assert.equal(done.code, 0, done.stderr);
  const distributed = 'select logicalrelid::text as name from pg_dist_partition';
  assert.deepEqual(await listed(`${distributed} order by 1`), await listed(ofOrganizations));
  const apart = `${distributed} where colocated <> 'organizations' or shards is not null`;
  assert.deepEqual(await listed(apart), [{ name: 'organizations' }]);
  assert.match((await distribute()).stderr, /All tables of organizations are distributed/);
});

test('distributes what an upgrade adds, which `serve` asks for', async () => {
  assert.equal((await runCommand(['org', 'create', '--name', 'Acme'], settings)).code, 0);
  await sql`create table later (org_id uuid primary key references organizations)`.execute(db);
  const server = await serveHere(settings);
  const { status } = await fetch(`${server.address}/readyz`);
  await server.stop();
  assert.match(server.printed(), /1 undistributed table \(later\)/);
  assert.equal(status, 503);
  assert.match(
    (await distribute('--dry-run')).stdout,
    /^[^;]+\('later', 'org_id', colocate_with => 'organizations'\);\n/,
  );
  assert.match((await distribute()).stderr, /Distributed 1 table\./);
  await sql`drop table later`.execute(db);
});

test('`verify` checks the indexes of each part of a table, or says that it cannot', async () => {
  const without = await runCommand(['verify'], settings);
  assert.equal(without.code, 0);
  assert.match(without.stdout, /^indexes of runs +\d+ +\d+ could not be checked$/m);
  assert.match(without.stderr, /create extension amcheck/);

  await sql`
    create extension amcheck;
    create function run_command_on_shards(name regclass, command text)
    returns table (shardid bigint, success boolean, result text) language plpgsql as $$ begin
      execute replace(command, '%s', name::text);
      return query values (1::bigint, true, ''), (2, name <> 'members'::regclass, 'its index is damaged');
    end $$;
  `.execute(db);
  const { code, stdout } = await runCommand(['verify'], settings);
  assert.equal(code, 1);
  assert.match(stdout, /^indexes of runs +2 +ok$/m);
  assert.match(stdout, /^indexes of members +2 +1 wrong$/m);
  assert.match(stdout, /^indexes of members: its index is damaged$/m);
  await close();
});
