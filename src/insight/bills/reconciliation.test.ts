import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sharedTestApp, type Answer } from '../../../test/harness/app.ts';
import { causesOf, newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { addDays, dayOf } from '../../platform/lib/days.ts';

const testApp = await sharedTestApp();
const path = '/api/v1/bills/reconciliation';
const newCompany = (options?: { plan: 'free' | 'pro' }) => newBilledCompany(testApp, options);

test('without a report, nothing is compared', async () => {
  const { work, ask: asked } = await newCompany();
  await work();
  const { data, period, totals } = await asked();
  assert.deepEqual([data, period, totals.our_cost], [[], null, 0]);
  const named = await asked({ from: '2026-03-01', to: '2026-03-05' });
  assert.deepEqual([named.data, named.days_without_report], [[], 5]);
  assert.deepEqual(named.not_billed, { minutes: 5, cost: 0.04 });
});

test('days after today are neither compared nor counted', async () => {
  const { bill: bills, ask: asked, organization } = await newCompany();
  const now = testApp.clock.now();
  const [start, end, later] = [-1, 0, 10].map((days) => addDays(dayOf(now), days));
  await bills({ date: start! });
  const { period, days_without_report } = await asked({ from: start!, to: later! });
  assert.deepEqual([period, days_without_report], [{ start, end }, 1]);
  const ahead = await organization.get(path, { from: later!, to: later! });
  assertProblem(ahead, 400, 'invalid_request', ['query.from']);
  assert.equal(ahead.body.errors[0].message, `must not be after today, ${end}`);
});

test('an equal bill has no difference, and shows the repository in our spelling', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'Acme/Api' });
  await bills({ organization: 'acme', repository: 'api' });
  const { data, period, totals } = await asked();
  assert.deepEqual(period, { start: '2026-03-02', end: '2026-03-02' });
  assert.equal(data.length, 1);
  const { explained: _, net_explained: __, ...row } = data[0];
  assert.deepEqual(row, {
    day: '2026-03-02',
    month: null,
    sku: 'linux',
    repository: 'Acme/Api',
    our_minutes: 5,
    our_cost: 0.04,
    bill_minutes: 5,
    bill_gross: 0.04,
    bill_discount: 0,
    bill_net: 0.04,
    difference: 0,
    unexplained: 0,
    our_net: 0.04,
    net_difference: 0,
    net_unexplained: 0,
  });
  assert.equal(totals.difference, 0);
});

test('included minutes, public repositories and other prices explain uncharged costs', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'acme/private' });
  await work({ repository: 'acme/public', private: false });
  await work({ repository: 'acme/cheaper' });
  await bills(
    { repository: 'private', discount: 0.04 },
    { repository: 'public', discount: 0.04 },
    { repository: 'cheaper', price: 0.006, gross: 0.03 },
  );
  const { data, totals } = await asked({ by: 'repository' });
  const causes = Object.fromEntries(data.map((row: Answer['body']) => [row.repository, causesOf(row)]));
  assert.deepEqual(causes, {
    'acme/private': { included_minutes: 0.04 },
    'acme/public': { public_repository: 0.04 },
    'acme/cheaper': { price_list: 0.01 },
  });
  assert.deepEqual(causesOf(totals), { included_minutes: 0.04, public_repository: 0.04, price_list: 0.01 });
});

test('explains a public repository that the bill leaves out', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'acme/public', private: false });
  await work();
  await bills({});
  assert.deepEqual(causesOf((await asked()).totals), { public_repository: 0.04 });
});

test('unpriced labels, other runners and missing runs explain extra charges', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'acme/unpriced', label: 'our-own-big-one', group: 'Big' });
  await work({ repository: 'acme/guessed', label: 'ubuntu-latest-8-cores', group: 'Big' });
  const four = { sku: 'linux_4_core', price: 0.016, gross: 0.08 };
  await bills(
    { repository: 'unpriced', ...four },
    { repository: 'guessed', ...four },
    { repository: 'unheard' },
  );
  const { data } = await asked();
  const causes = data.map((row: Answer['body']) => [row.repository, row.sku, causesOf(row)]);
  assert.deepEqual(
    new Set(causes.map((each: unknown) => JSON.stringify(each))),
    new Set(
      [
        ['acme/guessed', 'linux_8_core', { other_runner: 0.16 }],
        ['acme/guessed', 'linux_4_core', { other_runner: -0.08 }],
        ['acme/unpriced', 'linux_4_core', { unpriced_label: -0.08 }],
        ['acme/unpriced', 'unpriced', {}],
        ['acme/unheard', 'linux', { missing_deliveries: -0.04 }],
      ].map((each) => JSON.stringify(each)),
    ),
  );
});

test("separates the report's rounding from its prices", async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work();
  await bills({ price: 0.0079, gross: 0.04 });
  assert.deepEqual(causesOf((await asked()).totals), { price_list: 0.0005, rounding: -0.0005 });
});

test('minutes that neither side explains stay unexplained', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work();
  await bills({ quantity: 8, gross: 0.064 });
  assert.deepEqual(causesOf((await asked()).totals), { unexplained: -0.024 });
});

test('a job over midnight may be on the previous day of the bill, up to its minutes', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ start: '2026-03-02T23:58:00Z', minutes: 5 });
  await work({ day: '2026-03-03', minutes: 5 });
  await bills({ date: '2026-03-02' }, { date: '2026-03-03', quantity: 2, gross: 0.016 });
  const { data, totals } = await asked({ by: 'day' });
  // Five of the eight minutes ran over midnight; the other three are unexplained.
  assert.deepEqual(data.map(causesOf), [{ day_shift: -0.04 }, { day_shift: 0.04, unexplained: 0.024 }]);
  assert.deepEqual(causesOf(totals), { unexplained: 0.024 });
  const first = await asked({ from: '2026-03-02', to: '2026-03-02' });
  assert.deepEqual(causesOf(first.totals), { day_shift: -0.04 }, 'also where the next day is not asked for');
});

test('minutes on neighboring days without a job over midnight are no shift', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ day: '2026-03-03' });
  await work({ day: '2026-03-02', minutes: 1 });
  await bills(
    { date: '2026-03-02', quantity: 6, gross: 0.048 },
    { date: '2026-03-03', quantity: 0, gross: 0 },
  );
  const { data } = await asked({ by: 'day' });
  assert.deepEqual(data.map(causesOf), [{ unexplained: -0.04 }, { unexplained: 0.04 }]);
});

test('by month, each month has its days, and all months the totals', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  for (const day of ['2026-02-27', '2026-02-28', '2026-03-02']) await work({ day });
  await bills({ date: '2026-02-27' }, { date: '2026-02-28', quantity: 0, gross: 0 }, { date: '2026-03-02' });
  const { data } = await asked({ by: 'month' });
  assert.deepEqual(
    data.map(({ month, day, our_cost, bill_net }: Answer['body']) => [month, day, our_cost, bill_net]),
    [
      ['2026-02', null, 0.08, 0.04],
      ['2026-03', null, 0.04, 0.04],
    ],
  );
});

test('compares only days, owners and providers with a report', async () => {
  const { organization, work, bill: bills, ask: asked } = await newCompany();
  await work();
  await work({ day: '2026-03-08' });
  await work({ repository: 'elsewhere/api' });
  await submit(
    organization,
    newRun({
      provider: 'jenkins',
      repo_name: 'acme/api',
      created_at: '2026-03-02T09:00:00Z',
      started_at: '2026-03-02T09:00:00Z',
      jobs: [newJob({ started_at: '2026-03-02T09:00:00Z', completed_at: '2026-03-02T09:05:00Z' })],
    }),
  );
  await bills({});
  const found = await asked({ from: '2026-03-01', to: '2026-03-10' });
  assert.deepEqual([found.totals.our_cost, found.totals.difference], [0.04, 0]);
  assert.deepEqual(found.not_billed, { minutes: 15, cost: 0.12 });
  assert.equal(found.days_without_report, 9);
});

test('leaves out self-hosted minutes like the bill, and lists storage and other products', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ label: 'self-hosted', group: 'Default' });
  await bills(
    { quantity: 0, gross: 0 },
    { sku: 'actions_storage', unit: 'gigabyte-hours', quantity: 16.28, price: 0.00033602, gross: 0.005 },
    {
      product: 'copilot',
      sku: 'copilot_for_business',
      unit: 'user-months',
      quantity: 1,
      price: 19,
      gross: 19,
    },
  );
  const { data, totals, not_compared: apart } = await asked();
  assert.deepEqual([data, totals.bill_net], [[], 0]);
  assert.deepEqual(
    apart.map((each: Answer['body']) => [each.product, each.sku, each.unit, each.quantity, each.net]),
    [
      ['copilot', 'copilot_for_business', 'user_months', 1, 19],
      ['actions', 'storage', 'gigabyte_hours', 16.28, 0.005],
    ],
  );
});

test('matches a report without owners by names that one owner has', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'ada/tool' });
  await bills({ organization: '', repository: 'Tool' });
  const { data } = await asked();
  assert.deepEqual([data.length, data[0].repository, data[0].difference], [1, 'ada/tool', 0]);
});

test('minutes without a repository are their own row', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work();
  await work({ day: '2026-03-01' });
  await bills(
    { repository: '' },
    { repository: '', organization: '' },
    { repository: '', organization: 'beta' },
  );
  const { data, totals } = await asked({ by: 'repository' });
  const causes = data.map((row: Answer['body']) => [row.repository, causesOf(row)]);
  assert.deepEqual(causes, [
    ['', { unnamed_repository: -0.04, unexplained: -0.08 }],
    ['acme/api', { unnamed_repository: 0.04 }],
  ]);
  assert.deepEqual(causesOf(totals), { unexplained: -0.08 });
});

test('days before the first recorded one are no missing deliveries, nor is a renamed repository', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'acme/old' });
  await bills({ date: '2026-03-01' }, { repository: 'new' }, { date: '2026-03-03' });
  const { data } = await asked({ by: 'day' });
  assert.deepEqual(data.map(causesOf), [{ before_connected: -0.04 }, {}, { missing_deliveries: -0.04 }]);
  assert.deepEqual(causesOf((await asked({ repository: 'new' })).totals), { renamed_repository: -0.04 });
});

test('unpriced labels explain a runner that never had a price before one that has priced jobs', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  await work({ day: '2026-03-01' });
  await work({ label: 'our-own-big-one', group: 'Big' });
  const four = { sku: 'Actions Linux 4-core', price: 0.016, gross: 0.08 };
  await bills({ date: '2026-03-01' }, { sku: 'linux 2-core' }, four);
  const { data } = await asked({ by: 'sku', from: '2026-03-02' });
  assert.deepEqual(Object.fromEntries(data.map((row: Answer['body']) => [row.sku, causesOf(row)])), {
    linux: { missing_deliveries: -0.04 },
    linux_4_core: { unpriced_label: -0.08 },
    unpriced: {},
  });
});

test('storage of a public repository is on the bill, but neither minutes nor unexplained', async () => {
  const { organization, work, bill: bills, ask: asked } = await newCompany();
  await work({ repository: 'acme/pub', private: false });
  const storage = { sku: 'actions_storage', unit: 'gigabyte-hours', price: 0.000336021, repository: 'pub' };
  await bills(
    { repository: 'pub', discount: 0.04 },
    { ...storage, quantity: 303_616, gross: 102.02135194, discount: 0.00135194, net: 102.02 },
    { ...storage, quantity: 1, gross: 0, repository: 'web' },
  );
  const { totals, not_compared: apart } = await asked({ by: 'repository' });
  assert.deepEqual(
    [totals.our_cost, totals.our_net, totals.bill_net, totals.bill_minutes, totals.net_unexplained],
    [0.04, 0, 0, 5, 0],
  );
  assert.deepEqual(
    apart.map(({ kind, net, repositories }: Answer['body']) => [kind, net, repositories]),
    [
      [
        'storage',
        102.02,
        [
          { repository: 'acme/pub', net: 102.02 },
          { repository: 'acme/web', net: 0 },
        ],
      ],
    ],
  );
  const months = await organization.get('/api/v1/bills/months');
  assert.deepEqual(
    months.body.data.map(({ month, bill_net, products }: Answer['body']) => [
      month,
      bill_net,
      ...products.map(({ product, net }: Answer['body']) => `${product} ${net}`),
    ]),
    [['2026-03', 102.02, 'storage 102.02', 'compute 0']],
  );
});

test('groups, filters and pages rows, and totals cover all rows', async () => {
  const { work, bill: bills, ask: asked } = await newCompany();
  for (const repository of ['acme/api', 'acme/web']) {
    for (const day of ['2026-03-02', '2026-03-03']) await work({ repository, day });
  }
  const lines = ['api', 'web'].flatMap((repository) =>
    ['2026-03-02', '2026-03-03'].flatMap((date) => [
      { repository, date },
      { repository, date, sku: 'windows', price: 0.016, gross: 0.08 },
    ]),
  );
  await bills(...lines);
  const all = await asked();
  assert.equal(all.pagination.total, 8);
  for (const [by, rows] of [
    ['day', 2],
    ['month', 1],
    ['sku', 2],
    ['repository', 2],
  ] as const) {
    const grouped = await asked({ by });
    assert.equal(grouped.data.length, rows);
    assert.deepEqual(grouped.totals, all.totals);
    assert.equal(Object.keys(grouped.data[0]).filter((name) => grouped.data[0][name] === null).length, 3);
  }
  const page = await asked({ per_page: 3, page: 3 });
  assert.equal(page.data.length, 2);
  assert.deepEqual(page.totals, all.totals);
  assert.equal((await asked({ sku: 'Windows' })).totals.our_cost, 0);
  assert.equal((await asked({ repository: 'WEB' })).pagination.total, 4);
  assert.equal((await asked({ from: '2026-03-03', to: '2026-03-03' })).pagination.total, 4);
});

test('refuses bad queries by parameter', async () => {
  const { organization, bill: bills } = await newCompany();
  await bills({});
  const refused = async (query: Record<string, string>, field: string) =>
    assertProblem(await organization.get(path, query), 400, 'invalid_request', [field]);
  await refused({ from: '2026-03-05', to: '2026-03-01' }, 'query.from');
  await refused({ from: '2026-03-05' }, 'query.from');
  await refused({ month: '2026-03' }, 'query.month');
  await refused({ from: '2025-03-01', to: '2026-03-01' }, 'query.from');
  await refused({ from: 'soon' }, 'query.from');
  await refused({ to: '9999-12-31' }, 'query.to');
  await refused({ from: '0001-01-01', to: '0001-01-01' }, 'query.from');
  assert.equal((await organization.get(path, { to: '2099-12-31' })).status, 200);
  const far = await organization.get(path, { to: '9999-12-31' });
  assert.match(far.body.detail, /from 2000-01-01 to 2099-12-31/);
  await refused({ by: 'user' }, 'query.by');
  const year = await organization.get(path, { from: '2025-04-01', to: '2026-03-01', by: 'sku' });
  assert.equal(year.status, 200);
});

test('a plan limits the bill to its history', async () => {
  const { work, bill: bills, ask: asked } = await newCompany({ plan: 'free' });
  await work({ day: '2026-01-05' });
  await bills({ date: '2026-01-05' }, { date: '2026-03-02' });
  assert.deepEqual((await asked()).period, { start: '2026-02-17', end: '2026-03-02' });
  assert.equal((await asked({ from: '2026-01-01', to: '2026-01-31' })).period, null);
});
