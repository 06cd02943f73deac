import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWith } from '../../../test/gitHubReadings.ts';
import { startTestApp } from '../../../test/harness/app.ts';
import { gateTo } from '../../../test/harness/gate.ts';
import { openDatabase, type Database } from '../../platform/db/database.ts';
import { createRecorder } from './recorder.ts';

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
    transaction: () => {
      transactions += 1;
      return gated.db.transaction();
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
