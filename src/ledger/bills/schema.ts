import { Type } from 'typebox';
import {
  dataOf,
  defaulted,
  nameOf,
  nullableText,
  NullableTimestamp,
  pageOf,
  Quantity,
  sampleText,
  Span,
  Timestamp,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import { dateOrders } from './readLine.ts';
import { formats } from './readLines.ts';

const amounts = { gross: Usd, discount: Usd, net: Usd };

export const ReportSchema = Type.Object({
  id: Type.String({ examples: ['bill_4e8a2c6f0b1d9735e6c4'] }),
  file_name: Type.String({ examples: ['march.csv'] }),
  sha256: Type.String({
    description: 'of the file; the same bytes are the same report',
    examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
  }),
  bytes: Type.Integer(),
  format: words(formats),
  date_order: Type.Unsafe<(typeof dateOrders)[number] | null>({
    type: ['string', 'null'],
    enum: [...dateOrders, null],
    description: 'how dates with slashes were read; null if no date depends on it',
  }),
  lines: Type.Object({
    read: Type.Integer({ description: 'below the heading, without empty lines' }),
    kept: Type.Integer(),
    skipped: Type.Integer(),
    rounded: Type.Integer({
      description: 'kept lines with an amount of more than nine decimals, rounded half to even',
    }),
  }),
  bad_lines: Type.Array(
    Type.Object({ line: Type.Integer(), reason: sampleText('quantity must be a number, not many') }),
    {
      description: 'the first hundred skipped lines',
    },
  ),
  period: Type.Object(Span.properties, { description: 'the first and the last day' }),
  totals: Type.Object(amounts),
  products: Type.Array(
    Type.Object({
      organization: Type.String({ examples: ['acme'] }),
      product: Type.String({ examples: ['actions'] }),
      unit: Type.String({ examples: ['minutes'] }),
      period: Type.Object(Span.properties, {
        description: 'the days that the report covers for this product and organization',
      }),
      lines: Type.Integer(),
      quantity: Quantity,
      ...amounts,
      compared: Type.Boolean({
        description: 'whether it is compared: minutes of GitHub Actions are',
      }),
    }),
  ),
  imported_at: Timestamp,
});

const ImportSchema = Type.Object({
  ...ReportSchema.properties,
  is_new: Type.Boolean({
    description: 'false if the same file was imported before; it does not become the latest report again',
  }),
  replaces: Type.Array(
    Type.Object({
      id: sampleText('bill_4e8a2c6f0b1d9735e6c4'),
      file_name: Type.String({ examples: ['march.csv'] }),
      days: Type.Integer({
        description: 'days on which it counted until now, for any organization or product',
      }),
    }),
    { description: 'reports that no longer count on days of this one' },
  ),
});

export const OneImport = dataOf(ImportSchema);

export const OneKnownImport = dataOf(
  Type.Object({
    ...ImportSchema.properties,
    id: nullableText('bill_4e8a2c6f0b1d9735e6c4', 'null in a dry run of a new file'),
    imported_at: NullableTimestamp,
  }),
);

export const ReportsSchema = pageOf(ReportSchema);

export const ReportFile = Type.Unsafe<unknown>({
  type: 'string',
  format: 'binary',
  examples: [
    [
      'date,product,sku,quantity,unit_type,applied_cost_per_quantity,gross_amount,discount_amount,net_amount,organization,repository,cost_center_name',
      '2026-03-02,actions,actions_linux,125,minutes,0.006,0.75,0,0.75,acme,api,',
      '',
    ].join('\n'),
  ],
});

export const ImportQuery = Type.Object({
  file_name: defaulted(
    nameOf({ maxLength: 255, description: 'the name to list it by', examples: ['march.csv'] }),
    'report.csv',
  ),
  date_order: Type.Optional(
    words(dateOrders, {
      description:
        'how to read dates such as 03/04/2026: month/day or day/month. Required if the file does not show ' +
        'it',
    }),
  ),
  dry_run: defaulted(
    Type.Boolean({ description: 'only say what would be imported', examples: [true] }),
    false,
  ),
});
