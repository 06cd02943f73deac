import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CompiledQuery, sql, type DatabaseConnection } from 'kysely';
import { startTestApp } from '../../../test/harness/app.ts';
import { gateTo } from '../../../test/harness/gate.ts';
import { jobReportWith, runWith } from '../../../test/payloads/gitHubReadings.ts';
import { inSnapshot, openDatabase, type Database, type Transaction } from '../../platform/db/database.ts';
import { inPipeline } from '../../platform/db/pipeline.ts';
import { nameOf } from '../../platform/db/prepared.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { createRecorder } from './recorder.ts';
import type { RunReport } from './report.ts';
import { verifyRollups } from './verifyRollups.ts';

const testApp = await startTestApp();

test('while the database is away, all waiting calls fail, and later ones succeed', async () => {
  const { orgId } = await testApp.newOrganization();
  const gate = await gateTo(testApp.app.config);
  const gated = await openDatabase(
    { ...testApp.app.config, databaseUrl: gate.databaseUrl },
    { mayCreate: true },
  );
  let transactions = 0;
  const counting = {
    getExecutor: () => {
      transactions += 1;
      return gated.db.getExecutor();
    },
  } as Database;
  const recorder = createRecorder({ ...testApp.app, db: counting });
  const recordAtOnce = () =>
    Promise.allSettled(
      Array.from({ length: 20 }, (_, index) => recorder.record(orgId, [runWith({ id: index + 1 })])),
    );
  const outcomes = (settled: PromiseSettledResult<unknown>[]) => new Set(settled.map(({ status }) => status));

  gate.shut();
  assert.deepEqual(outcomes(await recordAtOnce()), new Set(['rejected']));
  // The first alone, the other 19 as one batch.
  assert.equal(transactions, 2);
  gate.open();
  assert.deepEqual(outcomes(await recordAtOnce()), new Set(['fulfilled']));
  await gated.close();
});

test('two processes that record the same runs at once leave exact sums', async () => {
  const { app } = testApp;
  const { orgId } = await testApp.newOrganization();
  const processes = [createRecorder(app), createRecorder(app)];
  for (let job = 1; job <= 10; job++) {
    await Promise.all(
      processes.flatMap((recorder, process) =>
        [1, 2, 3].map((run) =>
          recorder.record(orgId, [jobReportWith({ id: 10 * job + process, run_id: run })]),
        ),
      ),
    );
  }
  const { differences, days } = await inSnapshot(app.db, (tx) =>
    verifyRollups(tx, orgId, { providers: app.providers, report: () => {} }),
  );
  assert.deepEqual({ differences, days }, { differences: [], days: 1 });
  const sums = await sql<{
    jobs: bigint;
  }>`select jobs from organization_days where org_id = ${orgId}`.execute(app.db);
  assert.deepEqual(sums.rows, [{ jobs: 60n }]);
});

const inSeveral = async (count: number): Promise<string[]> =>
  Promise.all(Array.from({ length: count }, async () => (await testApp.newOrganization()).orgId));

test('small reports of several organizations share transactions, and keep their errors', async () => {
  const { app } = testApp;
  const [first, second, third, fourth, fifth] = (await inSeveral(5)) as [
    string,
    string,
    string,
    string,
    string,
  ];
  let begun = 0;
  let broken: string | null = null;
  const db = spyOn(app.db, ({ sql: text, parameters }) => {
    begun += Number(text.startsWith('begin'));
    if (broken !== null && parameters.includes(broken)) throw new Error('a fault that is not in the data');
  });
  const recorder = createRecorder({ ...app, db });
  const recordAll = (runNumber: number, fails: string | null) =>
    Promise.allSettled(
      [first, second, third, fourth, fifth].map((orgId) =>
        recorder.record(orgId, [{ ...runWith({}), runNumber: orgId === fails ? 2 ** 40 : runNumber }]),
      ),
    );
  const outcomes = async (recorded: ReturnType<typeof recordAll>) =>
    (await recorded).map(({ status }) => status);

  assert.deepEqual(new Set(await outcomes(recordAll(1, null))), new Set(['fulfilled']));
  // Two begin at once, and the other three wait for the next.
  assert.equal(begun, 3);
  const [fulfilled, rejected] = ['fulfilled', 'rejected'];
  const allButFourth = [fulfilled, fulfilled, fulfilled, rejected, fulfilled];
  assert.deepEqual(await outcomes(recordAll(2, fourth)), allButFourth);
  broken = fourth;
  assert.deepEqual(await outcomes(recordAll(2, null)), allButFourth);
  const stored = await Promise.all(
    [third, fourth].map(async (orgId) => {
      const { rows } = await sql<{
        runNumber: number;
      }>`select run_number from runs where org_id = ${orgId}`.execute(app.db);
      return rows.map(({ runNumber }) => runNumber);
    }),
  );
  assert.deepEqual(stored, [[2], [1]]);
});

for (const isDistributed of [false, true]) {
  const title = isDistributed ? 'on several servers' : 'written together';
  test(`organizations whose rows are ${title}, each get their own`, () => recordSeveral(isDistributed));
}

async function recordSeveral(isDistributed: boolean): Promise<void> {
  const { app } = testApp;
  const organizations = await inSeveral(4);
  let together = 0;
  const db = spyOn(app.db, ({ sql: text, parameters }) => {
    if (text.includes('"row"."org_id"')) together += Number(new Set(parameters[0] as string[]).size > 1);
  });
  const recorder = createRecorder({ ...app, db, isDistributed });
  const recordAll = (reportsOf: (place: number) => RunReport[]) =>
    Promise.all(organizations.map((orgId, place) => recorder.record(orgId, reportsOf(place), new Date())));
  // The same run in each, with another number of jobs, some without a price; then its end moves it to another workflow.
  const jobs = (place: number) =>
    Array.from({ length: place + 1 }, (_, job) =>
      jobReportWith({ id: job + 1, labels: [job % 2 === 0 ? 'ubuntu-latest' : `own-${place}`] }),
    );
  await recordAll(() => [runWith({ id: 7 })]);
  await recordAll(jobs);
  await recordAll(() => [runWith({})]);
  assert.ok(
    isDistributed ? together === 0 : together >= 10,
    `${together} statements of several organizations`,
  );
  for (const [place, orgId] of organizations.entries()) {
    const { differences } = await inSnapshot(app.db, (tx) =>
      verifyRollups(tx, orgId, { providers: app.providers, report: () => {} }),
    );
    const { rows } = await sql<{ runs: bigint; jobs: bigint }>`
      select (select count(*) from runs where org_id = ${orgId}) as runs,
        (select sum(jobs) from organization_days where org_id = ${orgId})::int8 as jobs
    `.execute(app.db);
    assert.deepEqual(
      { differences, rows },
      { differences: [], rows: [{ runs: 2n, jobs: BigInt(place + 1) }] },
    );
  }
}

test('an organization that is locked elsewhere keeps no other waiting, and then records what came meanwhile', async () => {
  const { app } = testApp;
  const [locked, ...others] = (await inSeveral(5)) as [string, ...string[]];
  const batches: number[] = [];
  const db = spyOn(app.db, ({ sql: text, parameters }) => {
    const [orgIds] = parameters as [string[]];
    if (text.trimStart().startsWith('insert into "runs"') && orgIds.includes(locked))
      batches.push(orgIds.length);
  });
  const recorder = createRecorder({ ...app, db });
  const recordAll = () => others.map((orgId) => recorder.record(orgId, [runWith({})]));
  const waiting: Promise<unknown>[] = [];
  await app.db.transaction().execute(async (tx) => {
    await lockCosts(tx, locked);
    const atOnce = recordAll();
    waiting.push(recorder.record(locked, [runWith({ id: 1 })]));
    await Promise.all(atOnce);
    waiting.push(...[2, 3].map((id) => recorder.record(locked, [runWith({ id })])));
    await Promise.all(recordAll());
  });
  await Promise.all(waiting);
  assert.deepEqual(batches, [3]);
});

test('what a recording prepares finds rows by their keys, even with plans from small tables', async () => {
  const { app } = testApp;
  const { orgId } = await testApp.newOrganization();
  const sent = new Map<string, number>();
  const db = spyOn(app.db, ({ sql: text, parameters }) => {
    if (nameOf(text)) sent.set(text, parameters.length);
  });
  const recorder = createRecorder({ ...app, db });
  await recorder.record(orgId, [jobReportWith({})], new Date());
  await recorder.record(orgId, [runWith({})], new Date());
  assert.ok(sent.size >= 10);
  // With statistics, a scan of so few rows looks cheapest.
  await sql`analyze organizations, webhooks, price_books, price_rules`.execute(app.db);
  const execute = (tx: Transaction, text: string) =>
    tx.executeQuery<Record<string, string>>(CompiledQuery.raw(text));
  for (const [text, values] of sent) {
    const plan = await inPipeline(app.db, async (tx) => {
      await execute(tx, 'set local plan_cache_mode = force_generic_plan');
      await execute(tx, `prepare recorded as ${text}`);
      const { rows } = await execute(tx, `explain execute recorded (${Array(values).fill('null').join()})`);
      await execute(tx, 'deallocate recorded');
      return rows.flatMap((row) => Object.values(row)).join('\n');
    });
    assert.doesNotMatch(
      plan,
      /Seq Scan|Scan using \w+(?<!_pkey) on|Bitmap Index Scan on \w+(?<!_pkey)\s/,
      text,
    );
  }
});

/** The database, with a look at each statement of its transactions. */
function spyOn(db: Database, look: (statement: CompiledQuery) => void): Database {
  const executor = db.getExecutor();
  const provideConnection: typeof executor.provideConnection = (use) =>
    executor.provideConnection((connection) =>
      use({
        executeQuery: (statement: CompiledQuery) => {
          look(statement);
          return connection.executeQuery(statement);
        },
      } as DatabaseConnection),
    );
  const withConnectionProvider = executor.withConnectionProvider.bind(executor);
  return { getExecutor: () => ({ provideConnection, withConnectionProvider }) } as unknown as Database;
}
