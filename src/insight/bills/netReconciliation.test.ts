/** Our net cost against bills: those at hand, and those that GitHub's published rules make. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startTestApp, type Answer, type TestOrganization } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';
import { bill, importCsv, lineOf, usageReport } from '../../../test/harness/bills.ts';

const testApp = await startTestApp();

async function setTerms(organization: TestOrganization, terms: object): Promise<void> {
  const set = await organization.send('PUT', '/api/v1/pricing/terms', { terms: [terms] });
  assert.equal(set.status, 200, set.text);
}

async function choose(organization: TestOrganization, book_id: string): Promise<void> {
  const set = await organization.send('PUT', '/api/v1/pricing', { book_id });
  assert.equal(set.status, 200, set.text);
}

function assertExplained({ net_unexplained, bill_net }: Answer['body']): void {
  assert.ok(Math.abs(net_unexplained) <= bill_net / 100, `${net_unexplained} of ${bill_net}`);
}

test('explains the net amounts of the summarised report', async () => {
  const { organization, work, ask } = await newBilledCompany(testApp);
  await setTerms(organization, { included_minutes: { minutes: 13 } });
  await work({ day: '2026-03-02', repository: 'acme/api', minutes: 4.5 });
  await work({ day: '2026-03-03', repository: 'acme/web', minutes: 2, label: 'macos-latest' });
  await work({ day: '2026-03-03', repository: 'other/x', minutes: 9, private: false });
  for (const minutes of [240, 260]) {
    const larger = { label: 'ubuntu-latest-4-cores', group: 'Large' };
    await work({ day: '2026-03-03', repository: 'acme/api', minutes, ...larger });
  }
  await work({ day: '2026-03-04', repository: 'acme/tools', minutes: 7 });
  await importCsv(testApp, organization, usageReport('summarised'));
  const { totals, data } = await ask();
  assertExplained(totals);
  assert.deepEqual([totals.our_cost, totals.our_net, totals.bill_net], [8.328, 8.154064517, 8.156]);
  const macos = data.find(({ sku }: Answer['body']) => sku === 'macos');
  // Of 13 minutes, 5 are used the day before; two on macOS use 20.67.
  assert.deepEqual([macos.our_net, macos.bill_net], [0.098064517, 0.1]);
});

test('explains the net amounts of the detailed report', async () => {
  const { organization, work, ask } = await newBilledCompany(testApp);
  await choose(organization, 'github_by_date');
  await setTerms(organization, { discount_percent: 11.11 });
  for (const minutes of [10, 5]) await work({ repository: 'acme/api', minutes });
  await work({ repository: 'acme/web', minutes: 20, label: 'self-hosted', group: 'Own' });
  await work({ repository: 'acme/Tool', minutes: 60, private: false });
  await importCsv(testApp, organization, usageReport('detailed'));
  const { totals } = await ask();
  assertExplained(totals);
  assert.deepEqual([totals.our_net, totals.bill_net, totals.net_unexplained], [0.080001, 0.08, 0.000001]);
});

test('explains the amounts of the legacy report', async () => {
  testApp.clock.set('2023-02-01T12:00:00Z');
  try {
    const { organization, work, ask } = await newBilledCompany(testApp);
    await work({ day: '2023-01-20', repository: 'acme/playground', minutes: 1 });
    await work({ day: '2023-01-20', repository: 'acme/playground', minutes: 34 });
    await work({ day: '2023-01-21', repository: 'acme/ios', minutes: 20, label: 'macos-latest' });
    await work({ day: '2023-01-21', repository: 'acme/ios', minutes: 22, label: 'windows-latest' });
    const arm = { label: 'ubuntu-16-core-arm', group: 'Large' };
    await work({ day: '2023-01-21', repository: 'acme/ios', minutes: 3, ...arm });
    await importCsv(testApp, organization, usageReport('legacy'));
    const { totals } = await ask();
    assertExplained(totals);
    assert.deepEqual([totals.our_net, totals.bill_net, totals.net_unexplained], [2.352, 2.352, 0]);
  } finally {
    testApp.clock.set('2026-03-18T12:00:00Z');
  }
});

const rates = {
  'ubuntu-latest': { sku: 'actions_linux', usd: 0.006, isLarge: false },
  'windows-latest': { sku: 'actions_windows', usd: 0.01, isLarge: false },
  'macos-latest': { sku: 'actions_macos', usd: 0.062, isLarge: false },
  'ubuntu-latest-8-cores': { sku: 'linux_8_core', usd: 0.022, isLarge: true },
};
const anyWork = fc.record({
  day: fc.integer({ min: 1, max: 17 }),
  repository: fc.constantFrom('acme/api', 'acme/web', 'acme/open'),
  label: fc.constantFrom(...(Object.keys(rates) as (keyof typeof rates)[])),
  seconds: fc.integer({ min: 1, max: 5_000 }),
});
type Work = typeof anyWork extends fc.Arbitrary<infer T> ? T : never;

/** The bill by GitHub's published rules; included minutes are used by one job after the other. */
function billOf(
  works: readonly Work[],
  { minutes, discount }: { minutes: number; discount: number },
): string[] {
  let left = minutes * rates['ubuntu-latest'].usd;
  const inOrder = works.toSorted((a, b) => a.day - b.day);
  const lines = inOrder.map(({ day, repository, label, seconds }) => {
    const { sku, usd, isLarge } = rates[label];
    const quantity = Math.ceil(seconds / 60);
    const gross = quantity * usd;
    const isFree = repository === 'acme/open' && !isLarge;
    const covered = isFree ? gross : isLarge ? 0 : Math.min(gross, left);
    if (!isFree) left -= covered;
    return {
      date: `2026-03-${String(day).padStart(2, '0')}`,
      ...{ sku, quantity, price: usd, repository: repository.slice(5), gross },
      discount: covered + ((gross - covered) * discount) / 100,
    };
  });
  const cells = Map.groupBy(lines, ({ date, sku, repository }) => `${date} ${sku} ${repository}`);
  return [...cells.values()].map((cell) => {
    const sum = (name: 'quantity' | 'gross' | 'discount') =>
      Number(cell.reduce((total, line) => total + line[name], 0).toFixed(9));
    const amounts = { quantity: sum('quantity'), gross: sum('gross'), discount: sum('discount') };
    return lineOf({ ...cell[0]!, ...amounts });
  });
}

test("explains more than 99% of bills by GitHub's published rules", async () => {
  const anyTerms = fc.record({
    minutes: fc.constantFrom(0, 50, 400, 100_000),
    discount: fc.constantFrom(0, 10, 17.5),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyWork, { minLength: 3, maxLength: 14 }), anyTerms, async (works, terms) => {
      const { organization, work, ask } = await newBilledCompany(testApp);
      await choose(organization, 'github_by_date');
      await setTerms(organization, {
        included_minutes: { minutes: terms.minutes },
        discount_percent: terms.discount,
      });
      for (const { day, seconds, repository, label } of works) {
        await work({
          ...{ repository, label, minutes: seconds / 60, private: repository !== 'acme/open' },
          day: `2026-03-${String(day).padStart(2, '0')}`,
          ...(rates[label].isLarge && { group: 'Large' }),
        });
      }
      const imported = await importCsv(testApp, organization, bill(...billOf(works, terms)));
      assert.equal(imported.status, 201, imported.text);
      const { totals, data } = await ask({ by: 'day' });
      // Sums of floating-point amounts differ in the last digits.
      assert.ok(Math.abs(totals.net_unexplained) <= totals.bill_net / 100 + 1e-6, JSON.stringify(totals));
      for (const day of data) assert.ok(Math.abs(day.net_unexplained) <= day.bill_net / 100 + 1e-6);
    }),
    { numRuns: 12 },
  );
});

test('a wrong plan is not explained', async () => {
  const { organization, work, bill: bills, ask } = await newBilledCompany(testApp);
  await work();
  await bills({ discount: 0.04 });
  const before = (await ask()).totals;
  assert.deepEqual([before.unexplained, before.our_net, before.net_unexplained], [0, 0.04, 0.04]);
  await setTerms(organization, { included_minutes: { github_plan: 'team' } });
  const { totals } = await ask();
  assert.deepEqual([totals.our_net, totals.net_difference, totals.net_unexplained], [0, 0, 0]);
});
