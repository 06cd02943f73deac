/** Keeps bench/pageRequests.json current. `npm run page-requests` writes it. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { file, pageRequests, withPlaceholders } from '../../bench/pageRequests.ts';
import { follow, openDashboard, waitUntilLoaded } from '../harness/dashboard.ts';

const { address, owner, ask, newPage, signIn, assertNoConsoleErrors } = await openDashboard();

test('bench/pageRequests.json has what the pages request (npm run page-requests)', async () => {
  await ask(`alerts?org_id=${owner.orgId}`, { name: 'Budget', alert_type: 'budget', threshold_amount: 1 });
  await ask('webhooks', { url: 'http://127.0.0.1:9/hook', events: ['alert.triggered'] });
  const { runs } = await ask<{ runs: { id: string }[] }>(`dashboard/recent-runs?org_id=${owner.orgId}`);
  const run = runs.at(-1)!.id;
  const { data } = await ask<{ data: { workflow: { id: string } } }>(`runs/${run}`);
  const values = { org: owner.orgId, run, workflow: data.workflow.id };
  const page = await newPage({ width: 1_440 });
  await signIn(page);
  const sent: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (request.method() === 'GET' && pathname.startsWith('/api/')) sent.push(pathname + search);
  });
  const found: typeof pageRequests = {};
  for (const path of Object.keys(pageRequests)) {
    // Loaded again, it keeps no answers of the page before.
    await page.goto(`${address}/no-such-page`);
    await waitUntilLoaded(page);
    sent.length = 0;
    await follow(page, path.replace('{run}', run));
    await waitUntilLoaded(page);
    found[path] = withPlaceholders(sent, values);
  }
  assertNoConsoleErrors();
  if (process.env.PAGE_REQUESTS === 'write') writeFileSync(file, `${JSON.stringify(found, null, 2)}\n`);
  else assert.deepEqual(found, pageRequests);
});
