import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { newAlert, spend, triggersOf } from './harness/alerts.ts';
import { request, startTestApp } from './harness/app.ts';
import { newStorage } from './harness/program.ts';
import { newJob, newRun } from './harness/submission.ts';
import { hasPgBouncer, startPgBouncer } from './server/startPgBouncer.ts';

if (process.env.TEST_DATABASE === 'server' && hasPgBouncer) {
  test('through PgBouncer in transaction mode, requests, transactions and background work go on', async () => {
    const { DATABASE_URL: direct } = await newStorage();
    const bouncer = await startPgBouncer(direct!);
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
  });
}
