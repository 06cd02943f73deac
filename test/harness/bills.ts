import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { request, type Answer, type SharedTestApp, type TestOrganization } from './app.ts';

type Options = {
  token?: string;
  fileName?: string;
  dateOrder?: string | undefined;
  dryRun?: boolean;
  type?: string;
  /** Of the content, if it is compressed. */
  encoding?: string;
};

export function importCsv(
  { server }: SharedTestApp,
  organization: TestOrganization,
  csv: string | Buffer | Readable,
  { token = organization.token, fileName, dateOrder, dryRun, type = 'text/csv', encoding }: Options = {},
): Promise<Answer> {
  return request(server, {
    method: 'POST',
    url: '/api/v1/bills/reports',
    query: {
      ...(fileName === undefined ? {} : { file_name: fileName }),
      ...(dateOrder === undefined ? {} : { date_order: dateOrder }),
      ...(dryRun === undefined ? {} : { dry_run: String(dryRun) }),
    },
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': type,
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      ...(csv instanceof Readable ? { 'transfer-encoding': 'chunked' } : {}),
    },
    payload: csv,
  });
}

/** Fails if the organization has any part of a report. */
export async function assertNothingStored(
  { app }: SharedTestApp,
  { orgId }: TestOrganization,
): Promise<void> {
  for (const table of ['billReports', 'billLines', 'billProducts'] as const) {
    assert.deepEqual(await app.db.selectFrom(table).selectAll().where('orgId', '=', orgId).execute(), []);
  }
}

export function usageReport(name: 'summarised' | 'detailed' | 'legacy'): Buffer {
  return readFileSync(new URL(`../fixtures/usage-reports/${name}.csv`, import.meta.url));
}

export const heading =
  'date,product,sku,quantity,unit_type,applied_cost_per_quantity,gross_amount,discount_amount,net_amount,organization,repository,cost_center_name';

type Line = {
  date?: string;
  product?: string;
  sku?: string;
  quantity?: string | number;
  unit?: string;
  price?: string | number;
  gross?: string | number;
  discount?: string | number;
  net?: string | number;
  organization?: string;
  repository?: string;
};

/** Defaults to five minutes on Linux, for four cents. */
export function lineOf(line: Line): string {
  const { date = '2026-03-02', product = 'actions', sku = 'actions_linux', unit = 'minutes' } = line;
  const { quantity = 5, price = '0.008', gross = '0.04', discount = 0 } = line;
  const {
    net = Number((Number(gross) - Number(discount)).toFixed(9)),
    organization = 'acme',
    repository = 'api',
  } = line;
  const amounts = [quantity, unit, price, gross, discount, net];
  return [date, product, sku, ...amounts, organization, repository, ''].join(',');
}

export function bill(...lines: string[]): string {
  return [heading, ...lines, ''].join('\n');
}
