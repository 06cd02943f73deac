import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parquetReadObjects } from 'hyparquet';
import { startTestApp, type TestOrganization } from '../../../test/harness/app.ts';
import { bill, importCsv, lineOf } from '../../../test/harness/bills.ts';
import { createExport, exported } from '../../../test/harness/exports.ts';
import { assertProblem } from '../../../test/harness/problem.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { focus14Columns } from './billedCharges.ts';
import { type Column, focusColumns } from './columns.ts';
import { billingPeriodColumns, focusUnit, invoiceDetailColumns } from './invoiceColumns.ts';

const testApp = await startTestApp();

type Row = Record<string, unknown>;
type Fields = { dataset: string; version?: string; from?: string; to?: string };

async function rowsOf(organization: TestOrganization, fields: Fields): Promise<Row[]> {
  const file = await exported(testApp, organization, { from: '2026-01-01', format: 'jsonl', ...fields });
  return file
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

const details = (organization: TestOrganization, fields: object = {}) =>
  rowsOf(organization, { dataset: 'focus_invoice_detail', ...fields });
const periods = (organization: TestOrganization, fields: object = {}) =>
  rowsOf(organization, { dataset: 'focus_billing_period', ...fields });

async function importBill(organization: TestOrganization, ...lines: Parameters<typeof lineOf>[0][]) {
  const answer = await importCsv(testApp, organization, bill(...lines.map(lineOf)));
  assert.equal(answer.status, 201, answer.text);
}

/** Of FOCUS 1.4, by dataset: the mandatory columns, nullable ones with a question mark. */
const mandatory = {
  invoiceDetail: [
    'BilledCost BillingAccountId BillingCurrency BillingPeriodEnd BillingPeriodStart ChargeCategory',
    'InvoiceDetailCreated InvoiceDetailDescription? InvoiceDetailGrain? InvoiceDetailId',
    'InvoiceDetailLastUpdated InvoiceId InvoiceIssueDate? InvoiceIssueStatus InvoiceIssuerName',
    // Not nullable in the specification, but a report does not name it.
    'PaymentDueDate? PaymentTerms? ReferenceInvoiceId',
  ],
  billingPeriod: [
    'BillingPeriodCreated BillingPeriodEnd BillingPeriodLastUpdated BillingPeriodStart BillingPeriodStatus',
    'InvoiceIssuerName',
  ],
};

describe('the columns of 1.4', () => {
  for (const [columns, names] of [
    [invoiceDetailColumns, mandatory.invoiceDetail],
    [billingPeriodColumns, mandatory.billingPeriod],
  ] as [Column[], string[]][]) {
    test(`of ${names[0]!.split(' ')[0]} … are the mandatory ones, then ours`, () => {
      const given = columns.map(({ name, isNullable }) => `${name}${isNullable ? '?' : ''}`);
      const standard = names.join(' ').split(' ');
      assert.deepEqual(given.slice(0, standard.length), standard);
      assert.ok(given.slice(standard.length).every((name) => /^x_[A-Z]\w+\??$/.test(name)));
    });
  }

  test('of costs are those of 1.3 without the removed ones and with the ids of invoices', () => {
    const [before, now] = [focusColumns, focus14Columns].map((columns) => columns.map(({ name }) => name));
    assert.deepEqual(
      before!.filter((name) => !now!.includes(name)),
      ['ProviderName', 'PublisherName'],
    );
    assert.deepEqual(
      now!.filter((name) => !before!.includes(name)),
      ['InvoiceDetailId', 'InvoiceId'],
    );
    const standard = now!.filter((name) => !name.startsWith('x_'));
    assert.deepEqual(
      standard,
      standard.toSorted((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
  });
});

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;
const decimal = /^-?(0|[1-9]\d*)(\.\d*[1-9])?$/;

/** The rules of the attributes DateTimeFormat, NumericFormat, NullHandling and KeyValueFormat, on the text of a line. */
function assertFormats(line: string, columns: readonly Column[]): void {
  const row = JSON.parse(line) as Row;
  for (const { name, kind, isNullable } of columns) {
    const value = row[name];
    if (value === null) {
      assert.ok(isNullable, name);
      continue;
    }
    assert.notEqual(value, '', name);
    if (kind === 'text') assert.equal(typeof value, 'string', name);
    if (kind === 'second') assert.match(value as string, instant, name);
    if (kind === 'decimal') {
      const [, written] = new RegExp(`"${name}":([^,}]*)`).exec(line)!;
      assert.match(written!, decimal, name);
    }
    if (kind === 'object')
      for (const each of Object.values(value as Row))
        assert.ok(['string', 'number', 'boolean'].includes(typeof each));
  }
  const [start, end] = [row['BillingPeriodStart'] as string, row['BillingPeriodEnd'] as string];
  assert.match(start, /-01T00:00:00Z$/);
  const next = new Date(start);
  next.setUTCMonth(next.getUTCMonth() + 1);
  assert.equal(Date.parse(end), next.getTime(), 'a period ends where the next one starts');
}

test('writes times, numbers, ids and nulls as the specification wants them', async () => {
  const organization = await testApp.newOrganization();
  // A job of a millisecond, ids of digits only, and a billionth of a dollar.
  const times = { started_at: '2026-03-18T10:00:00.000Z', completed_at: '2026-03-18T10:00:00.001Z' };
  await submit(organization, newRun({ jobs: [newJob({ job_id: '1234567890123456789', ...times })] }));
  await importBill(
    organization,
    { sku: '12345', organization: '42', gross: '0.000000001', quantity: '0.000000001', price: 1 },
    { date: '2026-02-28', gross: '123456789.12', price: '', unit: '' },
    { organization: '', repository: '' },
  );
  for (const [dataset, version, columns] of [
    ['focus', '1.3', focusColumns],
    ['focus', '1.4', focus14Columns],
    ['focus_invoice_detail', '1.4', invoiceDetailColumns],
    ['focus_billing_period', '1.4', billingPeriodColumns],
  ] as [string, string, Column[]][]) {
    const fields = { dataset, version, from: '2026-01-01', format: 'jsonl' };
    const lines = (await exported(testApp, organization, fields)).toString().trimEnd().split('\n');
    for (const line of lines) assertFormats(line, columns);
    const csv = (await exported(testApp, organization, { ...fields, format: 'csv' })).toString();
    assert.doesNotMatch(csv, /(^|,)-?\d+(\.\d+)?e[+-]?\d+(,|$)/im, 'no exponents');
    const parquet = await exported(testApp, organization, { ...fields, format: 'parquet' });
    const rows = await parquetReadObjects({ file: new Uint8Array(parquet).buffer });
    assert.equal(rows.length, lines.length);
    assert.deepEqual(
      Object.keys(rows[0]!),
      columns.map(({ name }) => name),
    );
  }
});

describe('invoice details', () => {
  test('are what the bill says of each month, organization and SKU, over all repositories', async () => {
    const organization = await testApp.newOrganization();
    assert.deepEqual(await details(organization), []);
    await importBill(
      organization,
      { gross: 0.04, discount: 0.01 },
      { gross: 0.06, repository: 'web' },
      { date: '2026-03-17', gross: 1 },
      { date: '2026-02-01', gross: 5 },
      { sku: 'actions_storage', unit: 'gigabyte-hours', quantity: 744, gross: 0.25, price: '0.000336021' },
      { product: 'copilot', sku: 'copilot_for_business', unit: 'user-months', quantity: 1, gross: 19 },
      { organization: 'other', gross: 7 },
    );
    const rows = await details(organization);
    assert.deepEqual(
      rows.map((row) => [
        (row['BillingPeriodStart'] as string).slice(0, 7),
        row['InvoiceDetailGrain'],
        row['BilledCost'],
        row['x_ListCost'],
        row['x_PricingQuantity'],
      ]),
      [
        ['2026-02', grain('acme', 'GitHub Actions', 'linux', 'Minutes'), 5, 5, 5],
        ['2026-03', grain('acme', 'GitHub Actions', 'linux', 'Minutes'), 1.09, 1.1, 15],
        ['2026-03', grain('acme', 'GitHub Actions', 'storage', 'GB-Hours'), 0.25, 0.25, 744],
        ['2026-03', grain('acme', 'copilot', 'copilot_for_business', 'User-Months'), 19, 19, 1],
        ['2026-03', grain('other', 'GitHub Actions', 'linux', 'Minutes'), 7, 7, 5],
      ],
    );
    const [first] = rows;
    const now = `${testApp.clock.now().toISOString().slice(0, 19)}Z`;
    assert.deepEqual(
      [first!['InvoiceIssueStatus'], first!['InvoiceIssuerName'], first!['ChargeCategory']],
      ['Open', 'GitHub', 'Usage'],
    );
    assert.deepEqual([first!['InvoiceDetailCreated'], first!['InvoiceDetailLastUpdated']], [now, now]);
    assert.deepEqual(
      [first!['PaymentTerms'], first!['PaymentDueDate'], first!['InvoiceIssueDate']],
      [null, null, null],
    );
  });

  test('have ids that are unique in their invoice, stay the same, and join to their billing period', async () => {
    const organization = await testApp.newOrganization();
    await importBill(
      organization,
      {},
      { unit: 'seconds' },
      { sku: 'actions_windows' },
      { date: '2026-02-01' },
    );
    const rows = await details(organization);
    const keys = rows.map((row) => JSON.stringify([row['InvoiceId'], row['InvoiceDetailId']]));
    assert.equal(new Set(keys).size, 4);
    assert.equal(new Set(rows.map((row) => row['InvoiceId'])).size, 2, 'one invoice per month');
    for (const row of rows) assert.equal(row['ReferenceInvoiceId'], row['InvoiceId']);
    const again = await details(organization);
    assert.deepEqual(again, rows);
    const known = (await periods(organization)).map((row) => [
      row['BillingPeriodStart'],
      row['InvoiceIssuerName'],
    ]);
    assert.deepEqual(known, [
      ['2026-02-01T00:00:00Z', 'GitHub'],
      ['2026-03-01T00:00:00Z', 'GitHub'],
    ]);
  });

  test('count each day once, by the latest report, and say when reports came', async () => {
    const organization = await testApp.newOrganization();
    await importBill(organization, { gross: 1 }, { date: '2026-03-03', gross: 2 });
    const first = testApp.clock.now();
    testApp.clock.forward(60);
    await importBill(organization, { date: '2026-03-03', gross: 5 });
    const [row, ...others] = await details(organization);
    assert.deepEqual([row!['BilledCost'], others], [6, []]);
    const text = (at: Date) => `${at.toISOString().slice(0, 19)}Z`;
    const times = [text(first), text(testApp.clock.now())];
    assert.deepEqual([row!['InvoiceDetailCreated'], row!['InvoiceDetailLastUpdated']], times);
    const [period] = await periods(organization);
    assert.deepEqual([period!['BillingPeriodCreated'], period!['BillingPeriodLastUpdated']], times);
    assert.equal(period!['BillingPeriodStatus'], 'Open');
  });

  test('are of whole months that the window touches, and of no other organization', async () => {
    const organization = await testApp.newOrganization();
    await importBill(organization, { date: '2026-01-31' }, { date: '2026-02-01' }, { date: '2026-03-02' });
    const months = async (from: string, to: string) =>
      (await periods(organization, { from, to })).map((row) => row['BillingPeriodStart']);
    assert.deepEqual(await months('2026-02-14', '2026-02-14'), ['2026-02-01T00:00:00Z']);
    assert.deepEqual(await months('2026-01-31', '2026-02-01'), [
      '2026-01-01T00:00:00Z',
      '2026-02-01T00:00:00Z',
    ]);
    assert.deepEqual(await details(await testApp.newOrganization()), []);
  });
});

function grain(account: string, service: string, sku: string, unit: string): Row {
  return { ServiceName: service, SubAccountId: account, x_Sku: sku, x_Unit: unit };
}

test('writes the units of reports in the words of the specification', () => {
  for (const [unit, word] of [
    ['minutes', 'Minutes'],
    ['gigabyte_hours', 'GB-Hours'],
    ['gigabytehours', 'GB-Hours'],
    ['gigabytes', 'GB'],
    ['user_months', 'User-Months'],
    ['gb_days', 'GB-Days'],
    ['hours', 'Hours'],
    ['ai_credits', 'AiCredits'],
    ['gigabyte_month', 'GB-Months'],
    ['requests', 'Requests'],
    ['', null],
  ] as const)
    assert.equal(focusUnit(unit), word, unit);
});

describe('the version', () => {
  test('is 1.3 unless asked, and part of the file name', async () => {
    const organization = await testApp.newOrganization();
    for (const [fields, shown] of [
      [{ dataset: 'focus' }, ['focus', '1.3', 'runcost-focus-2026']],
      [{ dataset: 'focus', version: '1.3' }, ['focus', '1.3', 'runcost-focus-2026']],
      [{ dataset: 'focus', version: '1.4' }, ['focus', '1.4', 'runcost-focus-1.4-2026']],
    ] as const) {
      const created = await createExport(organization, fields);
      assert.equal(created.status, 201, created.text);
      const { id, dataset, version, file_name } = created.body.data;
      assert.deepEqual([dataset, version], shown.slice(0, 2));
      assert.ok(file_name.startsWith(shown[2]), file_name);
      await organization.send('POST', `/api/v1/exports/${id}/cancel`);
    }
  });

  test('is refused where there is none, or where it lacks the dataset', async () => {
    const organization = await testApp.newOrganization();
    const at = ['body.version'];
    for (const fields of [
      { dataset: 'jobs', version: '1.4' },
      { dataset: 'focus_invoice_detail', version: '1.3' },
      { dataset: 'focus', version: '1.2' },
    ])
      assertProblem(await createExport(organization, fields), 400, 'invalid_request', at);
  });
});
