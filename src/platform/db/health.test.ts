import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { request, startTestApp } from '../../../test/harness/app.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { readDistribution } from './distribution.ts';

const testApp = await startTestApp();
const { app, server } = testApp;
const { db } = app;
const organization = await testApp.newOrganization();
const ask = (url: string) => request(server, { method: 'GET', url });
const addMember = () =>
  organization.send('POST', '/api/v1/members', { email: `${crypto.randomUUID()}@acme.com`, role: 'viewer' });
const outagesLogged = (code: string) =>
  testApp
    .logged()
    .split('\n')
    .filter((line) => line.includes(`"outage":"${code}"`))
    .map((line) => (JSON.parse(line) as { level: number }).level);

/** Changes of the table fail with this SQLSTATE. */
async function failChanges(table: string, sqlState: string): Promise<void> {
  await sql`create or replace function fail_change() returns trigger language plpgsql as
    ${sql.raw(`$$ begin raise exception 'made up' using errcode = '${sqlState}'; end $$`)}`.execute(db);
  const before = sql`create or replace trigger fail_change before insert or update on`;
  await sql`${before} ${sql.table(table)} for each row execute function fail_change()`.execute(db);
}

const letChanges = (table: string) =>
  sql`drop trigger if exists fail_change on ${sql.table(table)}`.execute(db);

/** Sets it for all connections, from the next one on. */
async function setForAll(name: string, value: string): Promise<void> {
  await db.connection().execute(async (one) => {
    await sql`set default_transaction_read_only = off`.execute(one);
    await sql`do ${sql.raw(`$$ begin
      execute format('alter database %I set ${name} = %L', current_database(), '${value}');
    end $$`)}`.execute(one);
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`.execute(one);
    await sql`select set_config(${name}, ${value}, false)`.execute(one);
  });
  // Pools may give connections that the server has ended.
  for (const url of ['/readyz', '/api/v1/members'])
    for (let times = 0; times < 5; times++) await organization.get(url);
}

afterEach(async () => {
  await letChanges('members');
  await letChanges('migration_lock');
});

describe('a change that the database cannot take is answered 503', () => {
  for (const [sqlState, code] of [
    ['55P03', 'database_busy'],
    ['40P01', 'database_busy'],
    ['53300', 'database_busy'],
    ['57014', 'database_slow'],
    ['53100', 'disk_full'],
    ['25006', 'database_read_only'],
    ['08006', 'database_away'],
  ] as const) {
    test(`${sqlState}: ${code}`, async () => {
      await failChanges('members', sqlState);
      const answer = await addMember();
      assertProblem(answer, 503, code);
      assert.equal(answer.headers['retry-after'], '5');
      await letChanges('members');
      assert.equal((await addMember()).status, 201);
      assert.equal((await ask('/readyz')).status, 200);
    });
  }
});

test('whatever PostgreSQL says when it refuses connections, requests get 503 until it takes them', async () => {
  const separate = await startTestApp();
  const member = await separate.newOrganization();
  const address = new URL(separate.app.config.databaseUrl!);
  const name = address.pathname.slice(1);
  address.pathname = '/postgres';
  const client = new pg.Client({ connectionString: address.href });
  await client.connect();
  const rename = async (from: string, to: string) => {
    await client.query(`alter database "${from}" with allow_connections false`);
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [from]);
    await client.query(`alter database "${from}" rename to "${to}"`);
    await client.query(`alter database "${to}" with allow_connections true`);
  };
  await rename(name, `${name}_away`);
  for (let times = 0; times < 3; times++) {
    const answer = await member.get('/api/v1/members');
    assertProblem(answer, 503, 'database_away');
    assert.equal(answer.headers['retry-after'], '5');
  }
  await rename(`${name}_away`, name);
  await client.end();
  assert.equal((await member.get('/api/v1/members')).status, 200);
});

test('a full disk is logged once, and /readyz names it until the database takes a change again', async () => {
  const before = outagesLogged('disk_full').length;
  await failChanges('members', '53100');
  await failChanges('migration_lock', '53100');
  for (let times = 0; times < 5; times++) assertProblem(await addMember(), 503, 'disk_full');
  assertProblem(await ask('/readyz'), 503, 'disk_full');
  assert.equal((await ask('/healthz')).status, 200);
  assert.equal((await organization.get('/api/v1/members')).status, 200);
  await letChanges('members');
  assertProblem(await ask('/readyz'), 503, 'disk_full');
  await letChanges('migration_lock');
  assert.equal((await ask('/readyz')).status, 200);
  assert.deepEqual(outagesLogged('disk_full').slice(before), [50, 30]);
});

test('/readyz fails while the database is read-only, and while its tables cannot be found', async () => {
  await setForAll('default_transaction_read_only', 'on');
  assertProblem(await ask('/readyz'), 503, 'database_read_only');
  assertProblem(await addMember(), 503, 'database_read_only');
  assert.equal((await organization.get('/api/v1/members')).status, 200);
  await setForAll('default_transaction_read_only', 'off');
  assert.equal((await ask('/readyz')).status, 200);

  await setForAll('search_path', '');
  const answer = await ask('/readyz');
  assertProblem(answer, 503, 'database_unusable');
  assert.match(answer.body.detail, /relation "migration_lock" does not exist/);
  await setForAll('search_path', 'public');
  assert.equal((await ask('/readyz')).status, 200);
});

test('/readyz fails while Citus distributes some tables of organizations and not others', async () => {
  // Citus has this table in `pg_catalog`.
  await sql`create table pg_dist_partition (logicalrelid regclass, partmethod "char")`.execute(db);
  assert.equal((await ask('/readyz')).status, 200);
  await sql`insert into pg_dist_partition values ('organizations', 'h')`.execute(db);
  assertProblem(await ask('/readyz'), 503, 'not_distributed');
  const { undistributed } = (await readDistribution(db))!;
  await sql`insert into pg_dist_partition select name::regclass, 'h' from unnest(${undistributed}::text[]) as name`.execute(
    db,
  );
  assert.equal((await ask('/readyz')).status, 200);
  await sql`drop table pg_dist_partition`.execute(db);
});
