/** PgBouncer runs as another user, who cannot reach the socket of our own PostgreSQL, so these use an installed one. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newAlert, spend, triggersOf } from './harness/alerts.ts';
import { request, startTestApp } from './harness/app.ts';
import { answersWith, withSettings } from './harness/roleSettings.ts';
import { newJob, newRun } from './harness/submission.ts';
import { createServerDatabase } from './server/createServerDatabase.ts';
import { findPostgres } from './server/findPostgres.ts';
import { needs } from './server/installed.ts';
import { hasPgBouncer, startPgBouncer } from './server/startPgBouncer.ts';
import { startPostgres } from './server/startPostgres.ts';

const postgres = findPostgres();
const installed = needs(postgres && hasPgBouncer, 'PostgreSQL or PgBouncer', 'postgresql pgbouncer');
const server = postgres && startPostgres(postgres);
if (server) after(server.stop);
const newDatabase = async () => (await createServerDatabase(server!.url)).url;

test(
  'through PgBouncer in transaction mode, requests, transactions and background work go on',
  installed,
  async () => {
    const bouncer = await startPgBouncer(await newDatabase());
    after(bouncer.stop);
    const testApp = await startTestApp({ DATABASE_URL: bouncer.through });
    assert.equal((await request(testApp.server, { method: 'GET', url: '/readyz' })).status, 200);
    const organization = await testApp.newOrganization();
    const alert = await newAlert(organization, { notify_email: false });
    // More transactions at once than PgBouncer has connections, under one lock.
    const sent = await Promise.all(
      Array.from({ length: 20 }, () =>
        organization.send('POST', '/api/v1/runs', { runs: [newRun({ jobs: [newJob()] })] }),
      ),
    );
    for (const { status, text } of sent) assert.equal(status, 200, text);
    await spend(organization, 12, '2026-03-18');
    testApp.clock.set('2026-03-19T00:10:00Z');
    await testApp.worker.processAll();
    assert.equal((await triggersOf(organization, alert)).length, 1);
    const { body } = await organization.get('/api/v1/dashboard/workflows/summary');
    assert.equal(body.total_runs, 21);
    assert.match(testApp.logged(), /takes no time-outs/);
  },
);

test('settings of the database or its roles change nothing through PgBouncer', installed, async () => {
  const expected = await answersWith(await newDatabase());
  const bouncer = await startPgBouncer(await withSettings(await newDatabase()));
  after(bouncer.stop);
  assert.deepEqual(await answersWith(bouncer.through), expected);
});
