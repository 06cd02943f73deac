import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type Answer } from '../../../test/harness/app.ts';
import { newBilledCompany } from '../../../test/harness/billedCompany.ts';

const testApp = await startTestApp();

type Company = Awaited<ReturnType<typeof newBilledCompany>>;

async function monthsOf({ organization }: Company): Promise<[string, number][]> {
  const answer = await organization.get('/api/v1/bills/months');
  assert.equal(answer.status, 200, answer.text);
  return answer.body.data.flatMap(({ month, products }: Answer['body']) =>
    products
      .filter(({ product }: Answer['body']) => product === 'compute')
      .map(({ net }: Answer['body']) => [month, net]),
  );
}

/** Only the comparison has rows for months without a billed minute. */
async function comparedMonths({ ask }: Company): Promise<[string, number][]> {
  const { data } = await ask({ by: 'month' });
  return data
    .filter(({ bill_minutes }: Answer['body']) => bill_minutes > 0)
    .map(({ month, bill_net }: Answer['body']) => [month, bill_net]);
}

test('sums what is billed in each month, as the comparison does', async () => {
  const company = await newBilledCompany(testApp);
  assert.deepEqual(await monthsOf(company), []);
  for (const day of ['2026-01-31', '2026-02-01', '2026-03-02']) await company.work({ day });
  await company.bill(
    { date: '2026-01-31' },
    { date: '2026-01-31', sku: 'actions_windows', gross: 0.5, price: 0.1 },
    { date: '2026-03-02', product: 'copilot', sku: 'copilot_for_business', unit: 'user-months' },
    { date: '2026-03-03', gross: 0.08, price: 0.016 },
  );
  assert.deepEqual(await monthsOf(company), [
    ['2026-01', 0.54],
    ['2026-03', 0.08],
  ]);
  assert.deepEqual(await monthsOf(company), await comparedMonths(company));
});

test('counts a day once: of the latest report, and not of a personal one beside its organization', async () => {
  const company = await newBilledCompany(testApp);
  await company.work();
  await company.bill({}, { date: '2026-03-03', gross: 0.5, price: 0.1 });
  testApp.clock.forward(60);
  const later = await company.bill({ gross: 0.03, price: 0.006 });
  testApp.clock.forward(60);
  await company.bill({ organization: '', repository: 'api', gross: 7, price: 1.4 });
  assert.deepEqual(await monthsOf(company), [['2026-03', 0.53]]);
  assert.deepEqual(await monthsOf(company), await comparedMonths(company));
  await company.organization.send('DELETE', `/api/v1/bills/reports/${later}`);
  assert.deepEqual(await monthsOf(company), [['2026-03', 0.54]]);
  assert.deepEqual(await monthsOf(company), await comparedMonths(company));
});

test('has the months of the plan only', async () => {
  const company = await newBilledCompany(testApp, { plan: 'free' });
  await company.bill({ date: '2026-01-05' }, { date: '2026-03-02' });
  assert.deepEqual(await monthsOf(company), await comparedMonths(company));
  assert.deepEqual(await monthsOf(company), [['2026-03', 0.04]]);
});

test('leaves out a first month of which only the last days are in the history', async () => {
  const company = await newBilledCompany(testApp);
  await company.bill({ date: '2025-03-02' }, { date: '2025-03-31' }, { date: '2025-04-01' });
  assert.deepEqual(await monthsOf(company), [['2025-04', 0.04]]);
  const { status, body } = await company.organization.get(
    '/api/v1/bills/months?from=2025-03-01&to=2026-03-31',
  );
  assert.equal(status, 400);
  assert.equal(body.detail, 'query.from must be at most 366 days before `to`');
});
