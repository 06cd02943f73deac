/** Storage and other products of the bill as charges of FOCUS 1.4. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { exported } from '../../../test/harness/exports.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { findBilledPage } from './billedCharges.ts';

const testApp = await startTestApp();

const storage = { sku: 'actions_storage', unit: 'gigabyte-hours', quantity: 200, gross: 0.5, discount: 0.1 };
const credits = {
  product: 'copilot',
  sku: 'copilot_ai_credits',
  unit: 'ai-credits',
  quantity: 300,
  gross: 3,
};

/** With a job of 5 minutes, which is on the bill too. */
async function newCompany(): Promise<TestOrganization> {
  const organization = await testApp.newOrganization();
  const times = { started_at: '2026-03-02T10:00:00Z', completed_at: '2026-03-02T10:05:00Z' };
  await submit(organization, newRun({ created_at: times.started_at, jobs: [newJob(times)] }));
  const lines = [
    { date: '2026-03-02' },
    { ...storage, date: '2026-03-02' },
    { ...storage, date: '2026-03-02', repository: 'web' },
    { ...credits, date: '2026-03-04', repository: '' },
  ];
  const answer = await importCsv(testApp, organization, bill(...lines.map(lineOf)));
  assert.equal(answer.status, 201, answer.text);
  return organization;
}

async function chargesOf(organization: TestOrganization, fields: object = {}) {
  const asked = { dataset: 'focus', version: '1.4', from: '2026-03-01', format: 'jsonl', ...fields };
  const text = (await exported(testApp, organization, asked)).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

test('what a bill has beside jobs follows them, and jobs are not counted twice', async () => {
  const organization = await newCompany();
  const charges = await chargesOf(organization);
  const facts = charges.map((row) =>
    ['SkuMeter', 'ResourceName', 'BilledCost', 'ListCost', 'PricingQuantity', 'PricingUnit'].map(
      (name) => row[name],
    ),
  );
  assert.deepEqual(facts.slice(1), [
    ['storage', 'acme/api', 0.4, 0.5, 200, 'GB-Hours'],
    ['storage', 'acme/web', 0.4, 0.5, 200, 'GB-Hours'],
    ['copilot_ai_credits', null, 3, 3, 300, 'AiCredits'],
  ]);
  assert.deepEqual([facts[0]![0], charges[0]!['x_RunId'] !== null], ['Runner Minutes', true]);
  const [, first, , last] = charges as [unknown, Record<string, unknown>, unknown, Record<string, unknown>];
  assert.deepEqual(
    ['ChargePeriodStart', 'ChargePeriodEnd', 'ServiceCategory', 'x_RunId', 'InvoiceDetailId'].map(
      (name) => first[name],
    ),
    ['2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z', 'Storage', null, 'acme/actions/storage/gigabyte_hours'],
  );
  assert.equal(last['ServiceCategory'], 'AI and Machine Learning');
  // The ids are those of the invoice details.
  const details = await chargesOf(organization, { dataset: 'focus_invoice_detail' });
  const ids = new Set(details.map((row) => `${String(row['InvoiceId'])} ${String(row['InvoiceDetailId'])}`));
  for (const row of charges.slice(1))
    assert.ok(ids.has(`${String(row['InvoiceId'])} ${String(row['InvoiceDetailId'])}`));
});

test('1.3 has jobs only, and a window only the days that begin in it', async () => {
  const organization = await newCompany();
  assert.equal((await chargesOf(organization, { version: '1.3' })).length, 1);
  assert.equal((await chargesOf(organization, { from: '2026-03-03' })).length, 1);
  assert.equal(
    (await chargesOf(organization, { from: '2026-03-02T00:00:01Z', to: '2026-03-04T00:00:00Z' })).length,
    1,
  );
  const other = await testApp.newOrganization();
  assert.deepEqual(await chargesOf(other), []);
});

test('pages end with a day, and the next one continues there', async () => {
  const { orgId } = await newCompany();
  const scope = { orgId, from: new Date('2026-03-01'), to: new Date('2026-03-06'), organizationName: 'Acme' };
  const first = await findBilledPage(testApp.app.db, scope, null, 1);
  assert.deepEqual([first.rows.length, first.cursor], [2, ['billed', '2026-03-03']]);
  const second = await findBilledPage(testApp.app.db, scope, first.cursor, 5);
  assert.deepEqual([second.rows.length, second.cursor], [1, ['billed', '2026-03-06']]);
  assert.deepEqual((await findBilledPage(testApp.app.db, scope, second.cursor, 5)).rows, []);
});
