/** Products of the bill in cost questions: storage and others beside what jobs cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { request, startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';

const testApp = await startTestApp();
testApp.clock.set('2026-12-05T12:00:00Z');

type Query = Record<string, string | number>;
type Line = Parameters<typeof lineOf>[0];

const november = { from: '2026-11-01', to: '2026-11-30' };

async function costs(organization: TestOrganization, query: Query = {}): Promise<Answer['body']> {
  const answer = await organization.get('/api/v1/costs', { ...november, ...query });
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data;
}

function groupsOf({ groups }: Answer['body']): [...(string | null)[], number][] {
  return groups.map(({ by, value }: Answer['body']) => [
    ...by.map(({ value: of }: { value: string | null }) => of),
    value,
  ]);
}

const ofStorage: Line = {
  date: '2026-11-18',
  sku: 'actions_storage',
  unit: 'gigabyte-hours',
  quantity: 303_616,
  price: '0.000336021',
  gross: '102.02135194',
  discount: '0.00135194',
  net: '102.02',
  repository: 'pub',
};

/** The only charge of a public repository is storage. */
async function newPublicRepository() {
  const company = await newBilledCompany(testApp);
  await company.organization.send('PUT', '/api/v1/pricing', { book_id: 'github_by_date' });
  await company.work({ day: '2026-11-18', repository: 'acme/pub', minutes: 9.5, private: false });
  const discounted = { quantity: 10, price: '0.006', gross: 0.06, discount: 0.06, net: 0 };
  await company.bill({ date: '2026-11-18', repository: 'pub', ...discounted }, ofStorage);
  return company;
}

test('the storage of a public repository is a product beside its free minutes', async () => {
  const { organization, ask } = await newPublicRepository();
  const byProduct = async (metric: string) =>
    groupsOf(await costs(organization, { metric, group_by: 'repository,product' }));
  assert.deepEqual(await byProduct('cost'), [
    ['acme/pub', 'storage', 102.02135194],
    ['acme/pub', 'compute', 0.06],
  ]);
  assert.deepEqual(await byProduct('net_cost'), [
    ['acme/pub', 'storage', 102.02],
    ['acme/pub', 'compute', 0],
  ]);
  for (const [metric, ofJobs] of Object.entries({ minutes: 10, jobs: 1, runs: 1 }))
    assert.deepEqual(await byProduct(metric), [
      ['acme/pub', 'compute', ofJobs],
      ['acme/pub', 'storage', 0],
    ]);
  for (const [metric, total] of Object.entries({ cost: 0.06, net_cost: 0, minutes: 10 })) {
    assert.equal((await costs(organization, { metric })).total.value, total);
    assert.equal((await costs(organization, { metric, product: 'compute' })).total.value, total);
  }
  const { totals, not_compared } = await ask(november);
  assert.deepEqual([totals.our_net, totals.bill_net, totals.net_unexplained], [0, 0, 0]);
  assert.deepEqual([totals.our_minutes, totals.bill_minutes], [10, 10]);
  assert.deepEqual([not_compared[0].gross, not_compared[0].known_gross], [102.02135194, 102.021351936]);
});

test('the bill of a month has its products by repository, with average gigabytes', async () => {
  const { organization } = await newPublicRepository();
  const [month] = (await organization.get('/api/v1/bills/months')).body.data;
  const storage = { gross: 102.02135194, net: 102.02, average_gigabytes: 421.688888889 };
  const compute = { gross: 0.06, net: 0, average_gigabytes: null };
  const of = (sums: object) => ({ ...sums, repositories: [{ repository: 'acme/pub', ...sums }] });
  assert.deepEqual(month, {
    month: '2026-11',
    hours: 720,
    bill_net: 102.02,
    products: [
      { product: 'storage', ...of(storage) },
      { product: 'compute', ...of(compute) },
    ],
  });
  const ask = async (query: Query) =>
    (await organization.get('/api/v1/bills/months', query)).body.data.length;
  assert.deepEqual(
    [await ask({ from: '2026-11-20' }), await ask({ to: '2026-10-31', from: '2026-10-01' })],
    [1, 0],
  );
});

test('an import or its removal changes answers at once, and other organizations see nothing', async () => {
  const { organization, bill: imports } = await newBilledCompany(testApp);
  const storage = async (of: TestOrganization) => (await costs(of, { product: 'storage' })).total.value;
  assert.equal(await storage(organization), 0);
  const id = await imports(ofStorage);
  assert.equal(await storage(organization), 102.02135194);
  const other = await testApp.newOrganization();
  assert.deepEqual([await storage(other), (await other.get('/api/v1/bills/months')).body.data], [0, []]);
  await organization.send('DELETE', `/api/v1/bills/reports/${id}`);
  assert.equal(await storage(organization), 0);
});

test('every line of a bill is of a product, whatever its words', async () => {
  const { organization, ask, bill: imports } = await newBilledCompany(testApp);
  const line = (product: string, sku: string, unit: string, net: number, more: Line = {}): Line => ({
    date: '2026-11-02',
    product,
    sku,
    unit,
    gross: net,
    net,
    quantity: 1,
    price: net,
    ...more,
  });
  await imports(
    line('copilot', 'copilot_ai_credit', 'ai-credits', 8, { gross: 10, discount: 2, repository: '' }),
    line('sandbox', 'sandbox_compute', 'seconds', 3),
    line('actions', 'actions_custom_image_storage', 'gigabyte-hours', 2),
    line('Packages', 'Packages storage', 'GigabyteHours', 1.5, { quantity: 7_200 }),
    line('git_lfs', 'git_lfs_storage', 'gigabyte-hours', 1, { quantity: 72 }),
    line('models', 'never_seen_before', 'things', 0.5),
    line('actions', 'actions_self_hosted_linux', 'minutes', 0.25),
  );
  assert.deepEqual(groupsOf(await costs(organization, { metric: 'net_cost', group_by: 'product' })), [
    ['ai_credits', 8],
    ['storage', 3.5],
    ['sandbox', 3],
    ['lfs', 1],
    ['other', 0.5],
  ]);
  const { not_compared, totals } = await ask(november);
  assert.deepEqual(
    not_compared.map(({ sku, kind, known_gross }: Answer['body']) => [sku, kind, known_gross]),
    [
      ['copilot_ai_credit', 'ai_credits', 0.01],
      ['sandbox_compute', 'sandbox', null],
      ['custom_image_storage', 'storage', null],
      ['packages_storage', 'storage', null],
      ['git_lfs_storage', 'lfs', null],
      ['never_seen_before', 'other', null],
    ],
  );
  assert.equal(totals.bill_net, 0.25);
  const [{ products, bill_net }] = (await organization.get('/api/v1/bills/months')).body.data;
  assert.equal(bill_net, 16.25);
  assert.deepEqual(
    products
      .filter(({ average_gigabytes }: Answer['body']) => average_gigabytes !== null)
      .map(({ product, average_gigabytes }: Answer['body']) => [product, average_gigabytes]),
    [
      ['storage', 10.001388889],
      ['lfs', 0.1],
    ],
  );
});

test('a personal report names repositories without owners, and counts only beside no other report', async () => {
  const { organization, work } = await newBilledCompany(testApp);
  for (const repository of ['Mona/Tool', 'acme/api']) await work({ day: '2026-10-01', repository });
  const personal = { ...ofStorage, organization: '' };
  const lines = [
    { ...personal, repository: 'tool', net: 3 },
    { ...personal, repository: 'api', net: 5 },
    { ...personal, repository: '', net: 7 },
  ];
  await importCsv(testApp, organization, bill(...lines.map(lineOf)));
  const ask = async () =>
    groupsOf(await costs(organization, { metric: 'net_cost', group_by: 'repository', product: 'storage' }));
  assert.deepEqual(await ask(), [
    [null, 7],
    ['acme/api', 5],
    ['Mona/Tool', 3],
  ]);
  // In another month, because who has a report must not depend on the days of a question.
  const own = await importCsv(testApp, organization, bill(lineOf({ ...ofStorage, date: '2026-09-01' })));
  assert.equal(own.status, 201, own.text);
  assert.deepEqual(await ask(), [
    [null, 7],
    ['Mona/Tool', 3],
  ]);
});

test('storage takes filters, owners, comparisons, series and CSV as jobs do', async () => {
  const { organization, bill: imports } = await newBilledCompany(testApp);
  const team = { kind: 'team', owner: 'Web', repository: 'acme/pub' };
  assert.equal((await organization.send('POST', '/api/v1/ownership/rules', team)).status, 201);
  await imports(ofStorage, { ...ofStorage, date: '2026-10-31', gross: 2, net: 2 });
  const storage = { product: 'storage', metric: 'net_cost' };
  const owned = await costs(organization, { ...storage, group_by: 'team,workflow' });
  assert.deepEqual(groupsOf(owned), [['Web', null, 102.02]]);
  const { total } = await costs(organization, {
    ...storage,
    compare: 'previous_period',
    granularity: 'week',
  });
  assert.deepEqual([total.value, total.previous_value], [102.02, 2]);
  assert.deepEqual(
    total.series.filter(({ value }: Answer['body']) => value > 0).map(({ start }: Answer['body']) => start),
    ['2026-11-16'],
  );
  const [group] = (await costs(organization, { group_by: 'product,runner' })).groups;
  assert.deepEqual(
    [group.by[1].name, new URLSearchParams(group.narrow).get('group_by')],
    ['none', 'repository'],
  );
  const csv = await request(testApp.server, {
    url: '/api/v1/costs',
    query: { ...november, ...storage, group_by: 'product' },
    headers: { authorization: `Bearer ${organization.token}`, accept: 'text/csv' },
  });
  assert.match(csv.text, /^group,2026-11-01,storage,102\.02/m);
});

test('only cost questions know products', async () => {
  const organization = await testApp.newOrganization();
  const statusOf = async (path: string, query: Query) =>
    (await organization.get(`/api/v1${path}`, query)).status;
  assert.equal(await statusOf('/costs', { product: 'disk' }), 400);
  for (const path of ['/costs/change', '/durations'])
    for (const query of [{ group_by: 'product' }, { product: 'storage' }] as Query[])
      assert.equal(await statusOf(path, query), 400, path);
});

const anyLine = fc.record({
  day: fc.integer({ min: 1, max: 9 }),
  product: fc.constantFrom('actions', 'packages', 'git_lfs', 'copilot'),
  repository: fc.constantFrom('api', 'pub', ''),
  organization: fc.constantFrom('acme', 'beta'),
  cents: fc.integer({ min: -500, max: 100_000 }),
});
type AnyLine = typeof anyLine extends fc.Arbitrary<infer T> ? T : never;

test('products add up to the bill, whichever reports overlap', async () => {
  const anyReport = fc.array(anyLine, { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(anyReport, { minLength: 1, maxLength: 3 }), async (reports) => {
      const { organization, bill: imports, work } = await newBilledCompany(testApp);
      await work({ day: '2026-11-03', repository: 'acme/api', minutes: 7 });
      const expected = new Map<string, number>();
      for (const lines of reports) {
        testApp.clock.forward(60);
        await imports(...lines.map(billLineOf));
        for (const [key, cents] of centsByDay(lines)) expected.set(key, cents);
      }
      const total = [...expected.values()].reduce((sum, cents) => sum + cents, 0) / 100;
      const near = (value: number, to: number) =>
        assert.ok(Math.abs(value - to) < 1e-6, `${value}, not ${to}`);
      for (const group_by of ['product', 'repository,product', 'product,day', '']) {
        const all = await costs(organization, {
          metric: 'net_cost',
          group_by,
          ...(group_by === '' && { product: '*' }),
        });
        const sum = groupsOf(all).reduce((added, group) => added + (group.at(-1) as number), 0);
        if (group_by !== '') near(sum + (all.other?.value ?? 0), all.total.value);
        const { total: compute } = await costs(organization, { metric: 'net_cost' });
        near(all.total.value - compute.value, total);
      }
      const months = (await organization.get('/api/v1/bills/months')).body.data;
      near(
        months.reduce((sum: number, { bill_net }: Answer['body']) => sum + bill_net, 0),
        total,
      );
    }),
    { numRuns: 8 },
  );
});

const dayAt = (day: number) => `2026-11-0${day}`;

function billLineOf({ day, product, repository, organization, cents }: AnyLine): Line {
  const net = cents / 100;
  return {
    date: dayAt(day),
    product,
    sku: `${product}_storage`,
    unit: 'gigabyte-hours',
    organization,
    repository,
    gross: net,
    net,
  };
}

/** A report counts on all days from its first to its last, for each organization and product. */
function centsByDay(lines: readonly AnyLine[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, of] of Map.groupBy(lines, ({ organization, product }) => `${organization} ${product}`)) {
    const days = of.map(({ day }) => day);
    for (let day = Math.min(...days); day <= Math.max(...days); day++) {
      const onDay = of.filter((line) => line.day === day);
      sums.set(
        `${key} ${day}`,
        onDay.reduce((sum, { cents }) => sum + cents, 0),
      );
    }
  }
  return sums;
}
