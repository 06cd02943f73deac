import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import pg from 'pg';
import { fillOnlyOrganization } from '../../test/harness/demo.ts';
import { newStorage, newTarget, runCommand, serveHere } from '../../test/harness/program.ts';
import { checkIndexes } from '../platform/backup/integrity.queries.ts';
import { type Database, openDatabase } from '../platform/db/database.ts';

const settings = await newStorage();
const created = await runCommand(['org', 'create', '--name', 'acme', '--json'], settings);
const { org_id: orgId } = JSON.parse(created.stdout) as { org_id: string };
await fillOnlyOrganization(settings, { days: 40, runs: 400 });
const server = await serveHere(settings);
await runCommand(['waste'], settings);
await server.stop();

async function inDatabase(work: (db: Database) => Promise<void>): Promise<void> {
  const address = { databaseUrl: settings['DATABASE_URL'] ?? null, dataDir: settings.DATA_DIR };
  const database = await openDatabase(address, { mayCreate: false });
  try {
    await work(database.db);
  } finally {
    await database.close();
  }
}

const verify = () => runCommand(['verify'], settings);

test('finds nothing wrong where only the program has written', async () => {
  const { code, stdout, stderr } = await verify();
  assert.equal(code, 0, stdout + stderr);
  for (const name of ['indexes of runs', 'references of deliveries', 'days of rollups', 'sums of waste']) {
    assert.match(stdout, new RegExp(`^${name} +[1-9][\\d,]* +ok$`, 'm'));
  }
  assert.doesNotMatch(stdout, /wrong|could not/);
});

test('merges the stored reports again if asked, and names each row that has something else', async () => {
  const fromReports = () => runCommand(['verify', '--from-reports'], settings);
  const clean = await fromReports();
  assert.equal(clean.code, 0, clean.stdout + clean.stderr);
  assert.match(clean.stdout, /^reports of runs +400 +ok$/m);
  assert.match(clean.stdout, /^reports of jobs +[\d,]+ +ok$/m);
  const change = (by: number) =>
    inDatabase(async (db) => {
      const job = sql`select run_id, attempt, job_id from jobs where cost_nanos > 5 order by 1, 2, 3 limit 1`;
      await sql`update jobs set cost_nanos = cost_nanos + ${by} where (run_id, attempt, job_id) = (${job})`.execute(
        db,
      );
      const end = sql`completed_at + make_interval(secs => ${by})`;
      await sql`update runs set completed_at = ${end} where id = (select max(id) from runs where completed_at is not null)`.execute(
        db,
      );
    });
  await change(1);
  const changed = await fromReports();
  await change(-1);
  assert.equal(changed.code, 1);
  assert.match(changed.stdout, /^reports of runs +400 +2 wrong$/m);
  assert.match(changed.stdout, /: costNanos is \d+, its reports have \d+$/m);
  assert.match(changed.stdout, /: completedAt is "[^"]+", its reports have "[^"]+"$/m);
  assert.match(changed.stdout, /, job .+: \d+ minutes and \d+1 nano-dollars do not fit its time and price$/m);
});

if (settings['DATABASE_URL']) {
  test('says what to do where there are no tables', async () => {
    const { code, stderr } = await runCommand(['verify'], await newTarget());
    assert.equal(code, 1);
    assert.match(stderr, /is on an older schema version\. Run `runcost migrate` first/);
  });
}

test('names each sum that somebody changed, and a job that lost its run', async () => {
  const [day] = await changeRollups();
  const { code, stdout } = await verify();
  assert.equal(code, 1);
  assert.match(stdout, /^rollup organization_days +1 +1 wrong$/m);
  assert.match(stdout, new RegExp(`organization ${orgId}, ${day}: costNanos is (\\d+), its rows have \\d+`));
  for (const table of [
    'workflow_days',
    'runner_days',
    'charge_days',
    'unpriced_days',
    'waste_days',
    'waste_jobs',
  ]) {
    assert.match(stdout, new RegExp(`^rollup ${table} +[1-3] +[1-3] wrong$`, 'm'), table);
  }
  await changeRollups(-1);
});

/** Changes one row of each rollup, and changes it back. */
async function changeRollups(sign = 1): Promise<string[]> {
  const days: string[] = [];
  await inDatabase(async (db) => {
    for (const [table, column] of [
      ['organization_days', 'cost_nanos'],
      ['workflow_days', 'runs'],
      ['runner_days', 'minutes'],
      ['charge_days', 'jobs'],
      ['unpriced_days', 'jobs'],
      ['waste_days', 'useful_jobs'],
      ['waste_jobs', 'jobs'],
    ] as const) {
      const { rows } = await sql<{ day: string }>`
        update ${sql.table(table)} t set ${sql.ref(column)} = ${sql.ref(column)} + ${sign}
        where (t.*)::text in (select min((o.*)::text) from ${sql.table(table)} o where day = (select min(day) from ${sql.table(table)}))
        returning day::text as day`.execute(db);
      days.push(rows[0]!.day);
    }
  });
  return days;
}

if (settings['DATABASE_URL']) {
  const faultsSeenBy = async (db: Database, mayUseAmcheck: boolean): Promise<unknown[]> => {
    const faults: unknown[] = [];
    const report = ({ name, fault }: { name: string; fault: unknown }) => {
      if (fault) faults.push([name, fault]);
    };
    await checkIndexes(db, report, { mayUseAmcheck });
    return faults;
  };

  test('finds nothing wrong while rows are recorded, also without amcheck', async () => {
    await inDatabase(async (db) => {
      await sql`create table a_busy_one (id int)`.execute(db);
      for (let index = 0; index < 20; index++)
        await sql`create index on a_busy_one ((id + ${sql.lit(index)}))`.execute(db);
      const recorder = new pg.Client({ connectionString: settings['DATABASE_URL'] });
      await recorder.connect();
      const recording = recorder.query(`
        do $$ begin while to_regclass('is_checked') is null loop
          insert into a_busy_one values (1); commit; perform pg_sleep(0.0005);
        end loop; end $$`);
      try {
        assert.deepEqual(await faultsSeenBy(db, false), []);
      } finally {
        await sql`create table is_checked ()`.execute(db);
        await recording;
        await recorder.end();
        await sql`drop table a_busy_one, is_checked`.execute(db);
      }
    });
  });

  test('counts where amcheck is installed and this user may not execute it', async () => {
    const role = `reader_${process.pid}`;
    await inDatabase(async (db) => {
      await sql`create extension amcheck`.execute(db);
      await sql`create role ${sql.ref(role)} login password 'reader'`.execute(db);
      await sql`grant select on all tables in schema public to ${sql.ref(role)}`.execute(db);
      const url = new URL(settings['DATABASE_URL']!);
      [url.username, url.password] = [role, 'reader'];
      try {
        const options = { mayCreate: false };
        const reader = await openDatabase({ databaseUrl: url.href, dataDir: '' }, options);
        const faults = await faultsSeenBy(reader.db, true);
        await reader.close();
        assert.deepEqual(faults, []);
      } finally {
        await sql`drop owned by ${sql.ref(role)}`.execute(db);
        await sql`drop role ${sql.ref(role)}`.execute(db);
        await sql`drop extension amcheck`.execute(db);
      }
    });
  });
}

test('names an index that lacks rows, with and without amcheck', async () => {
  await inDatabase(async (db) => {
    // As after copying files in use: rows are in the table but not in the index.
    await sql`update pg_index set indisready = false where indexrelid = 'runs_recent'::regclass`.execute(db);
    await sql`
      update runs set created_at = created_at + interval '1 second'
      where id in (select id from runs order by id limit 3)`.execute(db);
    await sql`update pg_index set indisready = true where indexrelid = 'runs_recent'::regclass`.execute(db);
    const faults: unknown[] = [];
    await checkIndexes(
      db,
      ({ name, fault }) => {
        if (fault !== null) faults.push([name, fault]);
      },
      { mayUseAmcheck: false },
    );
    assert.deepEqual(faults, [['runs_recent', 'index "runs_recent" has 397 of 400 rows']]);
  });
  const { code, stdout } = await verify();
  assert.equal(code, 1);
  assert.match(stdout, /^indexes of runs +4 +1 wrong$/m);
  assert.doesNotMatch(stdout, /rollup .* wrong/, 'the sums are right again');
  assert.match(
    stdout,
    /indexes of runs: .*table "runs" lacks matching index tuple within index "runs_recent"/,
  );
});
