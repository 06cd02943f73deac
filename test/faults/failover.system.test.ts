import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { createHealth } from '../../src/platform/db/health.ts';
import { request, startTestApp } from '../harness/app.ts';
import { newStorage, runCommand } from '../harness/program.ts';
import { newJob, newRun } from '../harness/submission.ts';
import { findPostgres } from '../server/findPostgres.ts';
import { needs } from '../server/installed.ts';
import { startReplicated } from '../server/startReplicated.ts';

const postgres = findPostgres();

const title = 'requests go on with the promoted standby, and a standby alone is named';
test(title, needs(postgres, 'PostgreSQL', 'postgresql'), async () => {
  const cluster = startReplicated(postgres!);
  after(cluster.stop);
  const testApp = await startTestApp({ DATABASE_URL: cluster.url });
  const organization = await testApp.newOrganization();
  const [first, second] = [newRun({ jobs: [newJob()] }), newRun({ jobs: [newJob()] })];
  const post = (run = second) => organization.send('POST', '/api/v1/runs', { runs: [run] });
  const isReady = async () =>
    (await request(testApp.server, { method: 'GET', url: '/readyz' })).status === 200;
  assert.equal((await post(first)).status, 200);
  assert.ok(await isReady());

  const settings = { ...(await newStorage()), DATABASE_URL: cluster.standbyUrl };
  const { code, stderr } = await runCommand(['migrate'], settings);
  assert.equal(code, 5);
  assert.match(stderr, /at DATABASE_URL cannot be used: this is a standby/);
  const pool = new pg.Pool({ connectionString: cluster.standbyUrl });
  const standby = new Kysely({ dialect: new PostgresDialect({ pool }), plugins: [new CamelCasePlugin()] });
  const health = createHealth(standby as never, testApp.app.log);
  await assert.rejects(health.check(), { code: 'database_read_only', message: /this is a standby/ });
  health.close();
  await pool.end();

  cluster.killPrimary();
  // Processes of the killed primary may still answer, or store it without an answer.
  while ((await post()).status !== 503) continue;
  cluster.promoteStandby();
  let acknowledged = 1;
  for (let tries = 0; acknowledged < 2 && tries < 100; tries++)
    if ((await post()).status === 200) acknowledged++;
  const { body } = await organization.get('/api/v1/dashboard/workflows/summary');
  assert.deepEqual([acknowledged, body.total_runs, await isReady()], [2, 2, true]);
});
