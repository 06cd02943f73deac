import { Type } from 'typebox';
import {
  CalendarDay,
  dataOf,
  defaulted,
  nameOf,
  nullable,
  pageOf,
  PageQuery,
  Pagination,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { causes } from './cells.ts';
import { dateOrders } from './readLine.ts';
import { formats } from './readLines.ts';
import { groupings } from './rows.ts';

const Quantity = Type.Unsafe<DecimalNumber>({
  type: 'number',
  format: 'decimal',
  description: 'of the unit, exact to nine decimals',
});

const amounts = { gross: Usd, discount: Usd, net: Usd };

const ReportSchema = Type.Object({
  id: Type.String(),
  file_name: Type.String(),
  sha256: Type.String({ description: 'of the file: the same bytes are the same report' }),
  bytes: Type.Integer(),
  format: words(formats),
  date_order: Type.Unsafe<(typeof dateOrders)[number] | null>({
    type: ['string', 'null'],
    enum: [...dateOrders, null],
    description: 'how its dates with slashes were read; null if it has none that the order matters for',
  }),
  lines: Type.Object({
    read: Type.Integer({ description: 'below the heading, without empty ones' }),
    kept: Type.Integer(),
    skipped: Type.Integer(),
    rounded: Type.Integer({
      description: 'kept ones with an amount of more than nine decimals, which was rounded half to even',
    }),
  }),
  bad_lines: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() }), {
    description: 'the first hundred that were skipped',
  }),
  period: Type.Object(
    { start: CalendarDay, end: CalendarDay },
    { description: 'the first and the last day in it' },
  ),
  totals: Type.Object(amounts),
  products: Type.Array(
    Type.Object({
      organization: Type.String(),
      product: Type.String(),
      unit: Type.String(),
      period: Type.Object(
        { start: CalendarDay, end: CalendarDay },
        { description: 'the days of the product in that organization that the report covers' },
      ),
      lines: Type.Integer(),
      quantity: Quantity,
      ...amounts,
      compared: Type.Boolean({
        description: 'minutes of GitHub Actions are; all else is not covered by Runcost',
      }),
    }),
  ),
  imported_at: Timestamp,
});

export const OneImport = dataOf(
  Type.Object({
    ...ReportSchema.properties,
    is_new: Type.Boolean({
      description:
        'false where the same file was imported before: it does not become the latest report again',
    }),
    replaces: Type.Array(
      Type.Object({
        id: Type.String(),
        file_name: Type.String(),
        days: Type.Integer({ description: 'on which it counted until now, for any organization or product' }),
      }),
      { description: 'reports that do not count any more on days of this one' },
    ),
  }),
);

export const OneReport = dataOf(ReportSchema);
export const ReportsSchema = pageOf(ReportSchema);

export const ImportQuery = Type.Object({
  file_name: defaulted(nameOf({ maxLength: 255, description: 'as it is listed' }), 'report.csv'),
  date_order: Type.Optional(
    words(dateOrders, {
      description:
        'how dates such as 03/04/2026 are read: month/day or day/month. Required if the file does not show it',
    }),
  ),
});

const parts = Object.fromEntries(causes.map((cause) => [cause, Usd])) as Record<
  (typeof causes)[number],
  typeof Usd
>;

const sums = {
  our_minutes: Type.Integer(),
  our_cost: Usd,
  bill_minutes: Quantity,
  bill_gross: Usd,
  bill_discount: Usd,
  bill_net: Usd,
  difference: usdOf('`our_cost` without `bill_net`'),
  explained: Type.Object(parts),
  unexplained: usdOf('with the explained parts it adds up to `difference`'),
};

const BillDay = Type.String({
  format: 'date',
  description: 'YYYY-MM-DD, UTC, from 2000-01-01 to 2099-12-31',
});

export const ReconciliationQuery = Type.Object({
  ...PageQuery.properties,
  from: Type.Optional(BillDay),
  to: Type.Optional(BillDay),
  by: defaulted(
    Type.Unsafe<(typeof groupings)[number]>({
      type: 'string',
      enum: groupings,
      description: 'what rows are made of; `all`: each SKU of each repository on each day',
    }),
    'all',
  ) as unknown as ReturnType<typeof words<typeof groupings>>,
  sku: Type.Optional(
    Type.String({ maxLength: 100, description: 'in any spelling of a report: `actions_linux`, `linux`' }),
  ),
  repository: Type.Optional(Type.String({ maxLength: 255, description: 'part of its name' })),
});

const NullableText = Type.Unsafe<string | null>({ type: ['string', 'null'] });

export const ReconciliationSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      day: nullable(CalendarDay),
      sku: NullableText,
      repository: NullableText,
      ...sums,
    }),
    { description: 'the largest difference first, days in their order' },
  ),
  period: Type.Unsafe<{ start: string; end: string } | null>({
    type: ['object', 'null'],
    properties: { start: CalendarDay, end: CalendarDay },
    required: ['start', 'end'],
    description: 'the days that were compared; null without an imported report of days that the plan shows',
  }),
  totals: Type.Object(sums, { description: 'of all rows, also of other pages' }),
  days_without_report: Type.Integer({
    description: 'days of the period that no report covers, whatever the filters',
  }),
  not_billed: Type.Object(
    { minutes: Type.Integer(), cost: Usd },
    { description: 'what we have of days, owners and CI systems that no report covers; as filtered' },
  ),
  not_compared: Type.Array(
    Type.Object({
      product: Type.String(),
      sku: Type.String(),
      unit: Type.String(),
      quantity: Quantity,
      ...amounts,
    }),
    { description: 'what the bill has besides minutes of GitHub Actions; as filtered' },
  ),
  pagination: Pagination,
});
