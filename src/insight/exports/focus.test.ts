import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { startTestApp } from '../../../test/harness/app.ts';
import { exported } from '../../../test/harness/exports.ts';
import { newSource } from '../../../test/harness/source.ts';
import { newJob, newRun, submit } from '../../../test/harness/submission.ts';
import { gitHubJob, gitHubRun } from '../../../test/payloads/gitHub.ts';
import { focusColumns } from './columns.ts';

const testApp = await startTestApp();

/** Columns of FOCUS 1.3, Cost and Usage, with their feature level; nullable ones with a question mark. */
const specification = {
  mandatory: [
    'BilledCost',
    'BillingAccountId',
    'BillingAccountName?',
    'BillingCurrency',
    'BillingPeriodEnd',
    'BillingPeriodStart',
    'ChargeCategory',
    'ChargeClass?',
    'ChargeDescription?',
    'ChargePeriodEnd',
    'ChargePeriodStart',
    'ContractedCost',
    'EffectiveCost',
    'HostProviderName',
    'InvoiceIssuerName',
    'ListCost',
    'PricingQuantity?',
    'PricingUnit?',
    'ProviderName',
    'PublisherName',
    'ServiceCategory',
    'ServiceName',
    'ServiceProviderName',
  ],
  others: [
    'AllocatedMethodDetails?',
    'AllocatedMethodId?',
    'AllocatedResourceId?',
    'AllocatedResourceName?',
    'AllocatedTags?',
    'AvailabilityZone?',
    'BillingAccountType',
    'CapacityReservationId?',
    'CapacityReservationStatus?',
    'ChargeFrequency',
    'CommitmentDiscountCategory?',
    'CommitmentDiscountId?',
    'CommitmentDiscountName?',
    'CommitmentDiscountQuantity?',
    'CommitmentDiscountStatus?',
    'CommitmentDiscountType?',
    'CommitmentDiscountUnit?',
    'ConsumedQuantity?',
    'ConsumedUnit?',
    'ContractApplied?',
    'ContractedUnitPrice?',
    'InvoiceId?',
    'ListUnitPrice?',
    'PricingCategory?',
    'PricingCurrency?',
    'PricingCurrencyContractedUnitPrice?',
    'PricingCurrencyEffectiveCost?',
    'PricingCurrencyListUnitPrice?',
    'RegionId?',
    'RegionName?',
    'ResourceId?',
    'ResourceName?',
    'ResourceType?',
    'ServiceSubcategory',
    'SkuId?',
    'SkuMeter?',
    'SkuPriceDetails?',
    'SkuPriceId?',
    'SubAccountId?',
    'SubAccountName?',
    'SubAccountType?',
    'Tags?',
  ],
};

const bare = (name: string) => name.replace('?', '');

type Row = Record<string, string>;

async function focusRows(...runs: object[]): Promise<Row[]> {
  const organization = await testApp.newOrganization();
  await submit(organization, ...(runs as Record<string, unknown>[]));
  return parse(await exported(testApp, organization, { dataset: 'focus', from: '2026-01-01' }), {
    columns: true,
  });
}

describe('the columns', () => {
  const names = focusColumns.map(({ name }) => name);
  const all = [...specification.mandatory, ...specification.others];

  test('are all mandatory ones and others of the specification, by name', () => {
    for (const name of specification.mandatory) assert.ok(names.includes(bare(name)), name);
    const standard = names.filter((name) => !name.startsWith('x_'));
    for (const name of standard) assert.ok(all.map(bare).includes(name), name);
    assert.equal(new Set(names).size, names.length);
  });

  test('of our own start with x_ and come last', () => {
    const firstOwn = names.findIndex((name) => name.startsWith('x_'));
    assert.ok(names.slice(firstOwn).every((name) => /^x_[A-Z][A-Za-z]+$/.test(name)));
  });

  test('are nullable only where the specification allows it', () => {
    for (const { name, isNullable } of focusColumns) {
      if (isNullable && !name.startsWith('x_')) assert.ok(all.includes(`${name}?`), name);
    }
  });

  test('are in each file, in every format', async () => {
    const organization = await testApp.newOrganization();
    await submit(organization, newRun());
    const fields = { dataset: 'focus' };
    const csv = (await exported(testApp, organization, fields)).toString();
    assert.deepEqual(csv.split('\r\n')[0]!.split(','), names);
    const line = (await exported(testApp, organization, { ...fields, format: 'jsonl' })).toString();
    assert.deepEqual(Object.keys(JSON.parse(line)), names);
    const parquet = await exported(testApp, organization, { ...fields, format: 'parquet' });
    const [row] = await parquetReadObjects({ file: new Uint8Array(parquet).buffer });
    assert.deepEqual(Object.keys(row!), names);
    assert.deepEqual(row!['Tags'], { 'ci/attempt': '1' });
  });
});

describe('a job', () => {
  test('is a charge for usage, with exact amounts and times to the second', async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    await source.deliver('workflow_run', gitHubRun({ created_at: '2026-03-17T10:00:00Z' }));
    await source.deliver('workflow_job', gitHubJob({ created_at: '2026-03-17T10:00:00Z' }));
    const [row] = parse(await exported(testApp, organization, { dataset: 'focus' }), {
      columns: true,
    }) as Row[];
    for (const [name, value] of Object.entries({
      BillingCurrency: 'USD',
      ChargeCategory: 'Usage',
      ChargeClass: '',
      ChargeFrequency: 'Usage-Based',
      BillingPeriodStart: '2026-03-01T00:00:00Z',
      BillingPeriodEnd: '2026-04-01T00:00:00Z',
      ConsumedUnit: 'Minutes',
      PricingUnit: 'Minutes',
      PricingCategory: 'Standard',
      ServiceName: 'GitHub Actions',
      ServiceCategory: 'Developer Tools',
      ServiceProviderName: 'GitHub',
      HostProviderName: 'GitHub',
      InvoiceIssuerName: 'GitHub',
      ProviderName: 'GitHub',
      PublisherName: 'GitHub',
      BillingAccountId: organization.orgId,
      BillingAccountName: 'Acme',
      SubAccountId: 'octo-org',
      ResourceType: 'Workflow',
      SkuId: 'linux_2_core',
    })) {
      assert.equal(row![name], value, name);
    }
  });

  test('has quantities that multiply to its cost', async () => {
    const [row] = await focusRows(newRun({ jobs: [newJob({ completed_at: '2026-03-18T10:04:20Z' })] }));
    const { ConsumedQuantity, PricingQuantity, ListUnitPrice, ContractedUnitPrice, BilledCost } = row!;
    assert.equal(ConsumedQuantity, '4.333333333');
    assert.deepEqual(
      [PricingQuantity, ListUnitPrice, ContractedUnitPrice, BilledCost],
      ['5', '0.008', '0.008', '0.04'],
    );
    assert.deepEqual(
      [row!['EffectiveCost'], row!['ListCost'], row!['ContractedCost']],
      ['0.04', '0.04', '0.04'],
    );
    assert.deepEqual(
      [row!['ChargePeriodStart'], row!['ChargePeriodEnd']],
      ['2026-03-18T10:00:00Z', '2026-03-18T10:04:20Z'],
    );
  });

  test('is billed in the month it completed', async () => {
    const times = { started_at: '2026-01-31T23:50:00Z', completed_at: '2026-02-01T00:10:00.500Z' };
    const [row] = await focusRows(newRun({ created_at: times.started_at, jobs: [newJob(times)] }));
    const { BillingPeriodStart, BillingPeriodEnd, ChargePeriodStart, ChargePeriodEnd } = row!;
    assert.deepEqual(
      [BillingPeriodStart, BillingPeriodEnd, ChargePeriodStart, ChargePeriodEnd],
      ['2026-02-01T00:00:00Z', '2026-03-01T00:00:00Z', '2026-01-31T23:50:00Z', '2026-02-01T00:10:01Z'],
    );
  });

  test('ends within its period, which is within its month', async () => {
    const times = { started_at: '2026-01-31T23:59:00Z', completed_at: '2026-02-01T00:00:00.001Z' };
    const [row] = await focusRows(newRun({ created_at: times.started_at, jobs: [newJob(times)] }));
    assert.equal(row!['BillingPeriodStart'], '2026-02-01T00:00:00Z');
    assert.equal(row!['ChargePeriodEnd'], '2026-02-01T00:00:01Z');
  });

  test("belongs to one workflow's resource, also if two share a name", async () => {
    const organization = await testApp.newOrganization();
    const source = await newSource(testApp, organization);
    for (const [index, path] of ['.github/workflows/a.yml', '.github/workflows/b.yml'].entries()) {
      const run = { id: 700 + index, name: 'CI', path, created_at: '2026-03-17T10:00:00Z' };
      await source.deliver('workflow_run', gitHubRun(run));
      const job = { id: 70 + index, run_id: run.id, workflow_name: 'CI', created_at: run.created_at };
      await source.deliver('workflow_job', gitHubJob(job));
    }
    const rows: Row[] = parse(await exported(testApp, organization, { dataset: 'focus' }), { columns: true });
    assert.deepEqual(
      rows.map((row) => row['ResourceName']),
      ['CI', 'CI'],
    );
    assert.equal(new Set(rows.map((row) => row['ResourceId'])).size, 2);
    for (const row of rows) assert.match(row['ResourceId']!, /^octo-org\/[\w-]+\/wf_[0-9a-f]{20}$/);
  });

  test("describes its runner in the specification's words", async () => {
    const kinds = [
      'windows_16_core',
      'macos_5_core_arm',
      'gitlab_linux_small',
      'self_hosted',
      'linux_96_core',
    ];
    const rows = await focusRows(
      newRun({ jobs: kinds.map((runner, index) => newJob({ job_id: String(index), runner })) }),
    );
    assert.deepEqual(
      rows.map(({ SkuPriceDetails: details }) => details && JSON.parse(details)),
      [
        { CoreCount: 16, OperatingSystem: 'Windows' },
        { CoreCount: 5, OperatingSystem: 'MacOS' },
        { OperatingSystem: 'Linux' },
        '',
        { CoreCount: 96, OperatingSystem: 'Linux' },
      ],
    );
  });

  test('on a self-hosted or unpriced runner costs nothing and names no host', async () => {
    const jobs = [
      newJob({ job_id: '1', runner: 'self_hosted' }),
      newJob({ job_id: '2', labels: ['unheard-of'] }),
      newJob({ job_id: '3', started_at: undefined, conclusion: 'skipped' }),
    ];
    const rows = await focusRows(newRun({ jobs, event: 'push', branch: 'main' }));
    assert.deepEqual(
      rows.map((row) => [
        row['x_JobId'],
        row['SkuId'],
        row['SkuPriceId'],
        row['BilledCost'],
        row['HostProviderName'],
      ]),
      [
        ['1', 'self_hosted', 'self_hosted', '0', 'Not Applicable'],
        ['2', 'unpriced', 'unpriced', '0', 'Not Applicable'],
        ['3', 'linux_2_core', 'linux_2_core', '0', 'api'],
      ],
    );
    assert.deepEqual(
      rows.map((row) => row['x_IsUnpriced']),
      ['false', 'true', 'false'],
    );
    assert.deepEqual(
      rows.map((row) => row['PricingQuantity']),
      ['5', '5', '0'],
    );
    assert.deepEqual(
      [rows[2]!['ChargePeriodStart'], rows[2]!['ChargePeriodEnd']],
      ['2026-03-18T10:05:00Z', '2026-03-18T10:05:01Z'],
    );
    assert.deepEqual(JSON.parse(rows[0]!['Tags']!), {
      'ci/event': 'push',
      'ci/branch': 'main',
      'ci/attempt': '1',
    });
  });
});
