import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { jobReportWith, runWith } from '../../../test/gitHubReadings.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { gateTo } from '../../../test/harness/gate.ts';
import { inSnapshot, openDatabase, type Database } from '../../platform/db/database.ts';
import { createRecorder } from './recorder.ts';
import { verifyRollups } from './verifyRollups.ts';

const testApp = await startTestApp();

test('while the database is away, all waiting calls fail, and later ones succeed', async () => {
  const { orgId } = await testApp.newOrganization();
  const gate = await gateTo(testApp.app.config);
  const gated = await openDatabase(
    { ...testApp.app.config, databaseUrl: gate.databaseUrl },
    { command: 'test', mayJoin: false, mayCreate: true },
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

  await gate.shut();
  assert.deepEqual(outcomes(await recordAtOnce()), new Set(['rejected']));
  // The first alone, the other 19 as one batch.
  assert.equal(transactions, 2);
  await gate.open();
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
