import { Type } from 'typebox';
import {
  CalendarDay,
  dataOf,
  dayOf,
  defaulted,
  nameOf,
  nullable,
  nullableText,
  NullableTimestamp,
  pageOf,
  PageQuery,
  Pagination,
  sampleText,
  Span,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { causes, netCauses, type NetCause } from './cells.ts';
import { dateOrders } from './readLine.ts';
import { formats } from './readLines.ts';
import { groupings } from './rows.ts';
import { products } from './skus.ts';

const Quantity = Type.Unsafe<DecimalNumber>({
  type: 'number',
  format: 'decimal',
  description: 'in the unit, exact to nine decimals',
});

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

const parts = Object.fromEntries(causes.map((cause) => [cause, Usd])) as Record<
  (typeof causes)[number],
  typeof Usd
>;

const netParts = Object.fromEntries(netCauses.map((cause) => [cause, Usd])) as Record<NetCause, typeof Usd>;

const sums = {
  our_minutes: Type.Integer(),
  our_cost: Usd,
  bill_minutes: Quantity,
  bill_gross: Usd,
  bill_discount: Usd,
  bill_net: Usd,
  difference: usdOf('`our_cost` minus `bill_net`'),
  explained: Type.Object(parts),
  unexplained: usdOf('the rest of `difference` after the explained parts'),
  our_net: usdOf('our cost after free runners, included minutes and discounts'),
  net_difference: usdOf('`our_net` minus `bill_net`'),
  net_explained: Type.Object(netParts),
  net_unexplained: usdOf('the rest of `net_difference` after its explained parts'),
};

const billDays = 'YYYY-MM-DD, UTC, from 2000-01-01 to 2099-12-31';

export const ReconciliationQuery = Type.Object({
  ...PageQuery.properties,
  from: Type.Optional(dayOf('2026-03-01', billDays)),
  to: Type.Optional(dayOf('2026-03-31', billDays)),
  by: defaulted(
    Type.Unsafe<(typeof groupings)[number]>({
      type: 'string',
      enum: groupings,
      description: 'what a row is; `all`: each SKU of each repository on each day',
    }),
    'all',
  ) as unknown as ReturnType<typeof words<typeof groupings>>,
  sku: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'in any spelling: `actions_linux`, `linux`',
      examples: ['linux'],
    }),
  ),
  repository: Type.Optional(
    Type.String({ maxLength: 255, description: 'part of its name', examples: ['api'] }),
  ),
});

export const BilledMonthsSchema = Type.Array(
  Type.Object({
    month: Type.String({ examples: ['2026-03'] }),
    bill_net: usdOf('everything that is billed'),
    products: Type.Array(Type.Object({ product: words(products), net: Usd }), {
      description: 'the most expensive first; only `compute` is compared',
    }),
  }),
  { description: 'the oldest month first' },
);

export const ReconciliationSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      day: nullable(CalendarDay),
      month: nullableText('2026-03', 'with `by=month`'),
      sku: nullableText('actions_linux'),
      repository: nullableText('acme/api'),
      ...sums,
    }),
    { description: 'largest difference first; days and months in order' },
  ),
  period: Type.Unsafe<{ start: string; end: string } | null>({
    type: ['object', 'null'],
    properties: Span.properties,
    required: ['start', 'end'],
    description: "the compared days; null without a report for days within the plan's history",
  }),
  totals: Type.Object(sums, { description: 'of all rows, on all pages' }),
  days_without_report: Type.Integer({
    description: 'days of the period without a report; ignores filters',
  }),
  not_billed: Type.Object(
    { minutes: Type.Integer(), cost: Usd },
    { description: 'recorded on days, owners and providers without a report; filters apply' },
  ),
  not_compared: Type.Array(
    Type.Object({
      product: Type.String({ examples: ['actions'], description: 'as the bill names it' }),
      kind: words(products),
      sku: Type.String({ examples: ['storage'] }),
      unit: Type.String({ examples: ['gigabyte_hours'] }),
      quantity: Quantity,
      ...amounts,
      repositories: Type.Array(
        Type.Object({
          repository: sampleText('acme/api', 'empty if the bill names none'),
          net: Usd,
        }),
        { description: 'the 20 most expensive ones' },
      ),
    }),
    { description: 'everything on the bill except minutes of GitHub Actions; filters apply' },
  ),
  pagination: Pagination,
});
