import { Type } from 'typebox';
import {
  CalendarDay,
  dayOf,
  defaulted,
  nullable,
  nullableText,
  PageQuery,
  Pagination,
  Period,
  Quantity,
  sampleText,
  Span,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { products, productWords } from '../../platform/lib/products.ts';
import { causes, netCauses, type NetCause } from './cells.ts';
import { groupings } from './rows.ts';

const amounts = { gross: Usd, discount: Usd, net: Usd };

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

export const BilledMonthsQuery = Type.Object({
  from: Type.Optional(dayOf('2026-03-01', 'the first month, by any of its days; by default a year')),
  to: Type.Optional(dayOf('2026-03-31', 'the last month, by any of its days')),
});

const nullableDecimal = (description: string, example: number) =>
  Type.Unsafe<DecimalNumber | null>({
    type: ['number', 'null'],
    format: 'decimal',
    description,
    examples: [example],
  });

const Product = words(products, {
  description: products.map((name) => `\`${name}\`: ${productWords[name]}`).join('; '),
});

const billed = {
  gross: Usd,
  net: Usd,
  average_gigabytes: nullableDecimal(
    'GB-hours divided by `hours`, in a month in progress those so far; null without storage',
    421.688888889,
  ),
};

export const BilledMonthsSchema = Type.Array(
  Type.Object({
    month: Type.String({ examples: ['2026-03'] }),
    hours: Type.Integer({ description: 'of the whole month', examples: [744] }),
    bill_net: usdOf('everything that is billed'),
    products: Type.Array(
      Type.Object({
        product: Product,
        ...billed,
        repositories: Type.Array(
          Type.Object({
            repository: sampleText('acme/api', 'empty if the bill names none'),
            ...billed,
          }),
          { description: 'the 20 most expensive ones' },
        ),
      }),
      { description: 'the most expensive first; only `compute` is compared' },
    ),
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
      kind: Product,
      sku: Type.String({ examples: ['storage'] }),
      unit: Type.String({ examples: ['gigabyte_hours'] }),
      quantity: Quantity,
      ...amounts,
      known_gross: nullableDecimal(
        '`quantity` at the list price that we know, to compare with `gross`; null if we know none',
        102.02,
      ),
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
  causes: Type.Array(
    Type.Object({
      cause: sampleText('included_minutes'),
      title: sampleText('Included minutes'),
      about: sampleText('Minutes or dollars that your GitHub plan includes.'),
      is_agreed: Type.Boolean({
        description: 'whether the provider agreed to deduct it; others are errors on one side',
      }),
    }),
    { description: 'every cause that a difference can have' },
  ),
  pagination: Pagination,
});

export const MonthCloseSchema = Type.Object({
  month: sampleText('2026-03'),
  period: Period,
  is_closed: Type.Boolean({ description: 'whether the month is over and the bill has all of its days' }),
  sentence: sampleText(
    'March 2026 closed: $3,065.00 billed, $4,210.00 at list prices. Each cent of the difference of −$1,145.00 has a reason.',
  ),
  days_without_report: Type.Integer(),
  listed: usdOf('everything that Runcost counted in the month, at list prices'),
  net: usdOf('the same after free runners, included minutes and discounts'),
  billed: usdOf('everything on the bill'),
  difference: usdOf('`billed` minus `listed`'),
  steps: Type.Array(
    Type.Object({
      key: sampleText('included_minutes'),
      title: sampleText('Included minutes'),
      about: sampleText('Minutes or dollars that your GitHub plan includes.'),
      amount: usdOf('negative if the bill is lower for this reason'),
    }),
    { description: 'reasons of the difference, which add up to it: agreed deductions first' },
  ),
  teams: Type.Array(
    Type.Object({
      name: sampleText('Platform'),
      is_team: Type.Boolean({ description: 'false: all other teams, or what no team owns' }),
      cost: usdOf('list cost'),
      net_cost: Usd,
    }),
    {
      description:
        'the five most expensive, then the others and what no team owns; they add up to `listed` and `net`',
    },
  ),
});
