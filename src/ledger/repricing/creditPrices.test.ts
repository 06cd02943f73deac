import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp } from '../../../test/harness/app.ts';
import type { Json } from '../../../test/harness/commands.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { createWorker } from '../../platform/work/worker.ts';
import { repricingPollers } from './doReprice.ts';

const testApp = await startTestApp();
const { app } = testApp;
const worker = createWorker(repricingPollers({ ...app, db: app.background }), app);

test('a price of a credit applies to new jobs by day, and with a reprice to recorded ones', async () => {
  const organization = await testApp.newOrganization();
  // 61 seconds of Docker large are 21 credits.
  const add = (run_id: string, day: string) => {
    const times = { started_at: `${day}T10:00:00Z`, completed_at: `${day}T10:01:01Z` };
    const created_at = times.started_at;
    return submit(
      organization,
      newRun({ run_id, created_at, jobs: [newJob({ runner: 'circleci_docker_large', ...times })] }),
    );
  };
  await add('a', '2026-03-17');
  const terms = [
    { provider: 'circleci', effective_from: '2026-03-01', usd_per_credit: 0.0005 },
    { provider: 'circleci', effective_from: '2026-03-18' },
  ];
  const set = await organization.send('PUT', '/api/v1/pricing/terms', { terms });
  assert.equal(set.status, 200, set.text);
  await add('b', '2026-03-17');
  await add('c', '2026-03-18');
  const [listed, own] = [0.0126, 0.0105];
  const receiptOf = async (id: string) =>
    (await organization.get(`/api/v1/runs/run_api_${id}`)).body.data.jobs[0].receipt;
  const costs = async () =>
    Promise.all(['a', 'b', 'c'].map(async (each) => (await receiptOf(each)).cost as number));
  assert.deepEqual(await costs(), [listed, own, listed]);
  const { credits, price_book, price_per_minute } = await receiptOf('b');
  assert.deepEqual([credits, price_per_minute], [21, 0.01]);
  assert.equal(price_book.name, "the organization's billing terms");
  const other = await testApp.newOrganization();
  assert.deepEqual((await other.get('/api/v1/pricing/terms')).body.data, []);
  const month = { from: '2026-03-01', to: '2026-03-31' };
  assert.equal((await organization.send('POST', '/api/v1/reprices', month)).status, 202);
  await worker.processAll();
  assert.deepEqual(await costs(), [own, own, listed]);
  const { data } = (await organization.get('/api/v1/pricing/runner-kinds')).body;
  const kind = data.runner_kinds.find((each: Json) => each.runner_kind === 'circleci_docker_large');
  assert.equal(kind.usd_per_minute, 0.012);
});
