import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type Answer } from '../../../test/harness/app.ts';
import { causesOf, newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { assertProblem } from '../../../test/harness/problem.ts';

const testApp = await startTestApp();
const path = '/api/v1/bills/reconciliation';
const newCompany = (options?: { plan: 'free' | 'pro' }) => newBilledCompany(testApp, options);

test('the latest of overlapping reports counts, and the previous one again after a deletion', async () => {
  const { organization, work, bill: bills, ask: asked } = await newCompany();
  await work();
  await bills({ gross: 0.04 }, { date: '2026-03-03', gross: 0.5, price: 0.1 });
  testApp.clock.forward(60);
  const later = await bills({ gross: 0.03, price: 0.006 });
  assert.deepEqual(
    (await asked({ by: 'day' })).data.map((row: Answer['body']) => row.bill_net),
    [0.03, 0.5],
  );
  assert.equal((await organization.send('DELETE', `/api/v1/bills/reports/${later}`)).status, 200);
  assert.deepEqual(
    (await asked({ by: 'day' })).data.map((row: Answer['body']) => row.bill_net),
    [0.04, 0.5],
  );
});

test('reports with and without an organization column cover the same usage', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work();
  await bills({});
  testApp.clock.forward(60);
  await bills({ organization: '', repository: 'Acme/api', gross: 0.03, price: 0.006 });
  const { totals } = await asked();
  assert.deepEqual([totals.bill_net, causesOf(totals)], [0.03, { price_list: 0.01 }]);
});

test("bare names in a report without an organization do not count beside the owner's report", async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work();
  await bills({});
  testApp.clock.forward(60);
  await bills({ organization: '', repository: 'api', gross: 0.03, price: 0.006 });
  assert.equal((await asked()).totals.bill_net, 0.04);
});

test('a later report of other organizations or products takes no days from an earlier one', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  for (const day of ['2026-03-02', '2026-03-03']) await work({ day });
  await bills({}, { date: '2026-03-03' });
  testApp.clock.forward(60);
  await bills(
    { date: '2026-03-01', organization: 'beta', repository: 'x' },
    { date: '2026-03-05', product: 'copilot', sku: 'copilot_for_business', unit: 'user-months' },
    { date: '2026-03-03', gross: 0.03, price: 0.006 },
  );
  const { data } = await asked({ by: 'day', repository: 'acme/' });
  assert.deepEqual(
    data.map((row: Answer['body']) => row.bill_net),
    [0.04, 0.03],
  );
});

test('takes a SKU in any spelling, and filters the lists of other costs', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work();
  await work({ repository: 'elsewhere/api' });
  await work({ repository: 'elsewhere/web', label: 'windows-latest' });
  await bills(
    {},
    { sku: 'windows', price: 0.016, gross: 0.08 },
    { sku: 'actions_storage', unit: 'gigabyte-hours', repository: 'api' },
    { sku: 'actions_storage', unit: 'gigabyte-hours', repository: 'web' },
  );
  for (const sku of ['linux', 'actions_linux', 'Actions Linux', 'Compute - UBUNTU']) {
    const found = await asked({ sku });
    assert.deepEqual([found.pagination.total, found.totals.bill_net], [1, 0.04], sku);
    assert.deepEqual([found.not_billed.minutes, found.not_compared], [5, []], sku);
  }
  const storage = await asked({ sku: 'Actions storage', repository: 'WEB' });
  assert.deepEqual(
    storage.not_compared.map((each: Answer['body']) => each.gross),
    [0.04],
  );
  const web = await asked({ repository: 'web' });
  assert.deepEqual([web.not_billed.minutes, web.not_compared[0].gross], [5, 0.04]);
});

test('comparisons of an organization run one by one, and few may wait', async () => {
  const { organization, bill: bills } = await newCompany();
  await bills({});
  const eightTimes = (url: string) => Promise.all(Array.from({ length: 8 }, () => organization.get(url)));
  // Opens all connections, so that the comparisons are requested concurrently.
  await eightTimes('/api/v1/session');
  const answers = await eightTimes(path);
  const refusals = answers.filter(({ status }) => status !== 200);
  // If one has been answered before the last is requested, that one may still wait.
  assert.ok(refusals.length >= 1 && refusals.length <= 4, `${refusals.length} were refused`);
  for (const refusal of refusals) {
    assertProblem(refusal, 429, 'reconciliation_busy');
    assert.equal(refusal.headers['retry-after'], '5');
  }
  assert.equal((await organization.get(path)).status, 200, 'and then there is room again');
});

test('refuses a day with more than fifty thousand repositories without a filter', async () => {
  const { organization, work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'acme/r7777' });
  const lines = Array.from({ length: 50_001 }, (_, index) => ({ repository: `r${index}` }));
  await bills(...lines);
  const refused = await organization.get(path);
  assertProblem(refused, 400, 'invalid_request', ['query.repository']);
  assert.match(refused.body.detail, /50000.*2026-03-02/);
  assertProblem(await organization.get(path, { repository: 'r' }), 400, 'invalid_request', [
    'query.repository',
  ]);
  const { data } = await asked({ repository: 'R7777' });
  assert.deepEqual([data.length, data[0].our_minutes, causesOf(data[0])], [1, 5, {}]);
  const { totals } = await asked({ repository: 'acme/r4444' });
  assert.deepEqual(
    causesOf(totals),
    { unexplained: -0.44 },
    'deliveries are not called missing without all names',
  );
});

test('all pages of a comparison come from one read, until its days or reports change', async () => {
  const { organization, work, bill: bills, ask: asked } = await newCompany();
  await work();
  await bills({}, { sku: 'windows', price: 0.016, gross: 0.08 });
  const netOf = async (page: number) => (await asked({ page, per_page: 1 })).totals.bill_net;
  assert.equal(await netOf(1), 0.12);
  const { db } = testApp.app;
  // Nothing else can change a line.
  await db.updateTable('billLines').set({ netNanos: 0n }).where('orgId', '=', organization.orgId).execute();
  assert.equal(await netOf(2), 0.12);
  await work();
  assert.equal(await netOf(2), 0);
  testApp.clock.forward(60);
  await bills({ gross: 0.03, price: 0.006 });
  assert.equal(await netOf(1), 0.03);
});
