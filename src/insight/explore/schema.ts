import { Type } from 'typebox';
import { groupStatuses } from '../../ledger/costs/change.ts';
import { comparisons, granularities, metrics, ownerships, sorts } from '../../ledger/costs/costQuestion.ts';
import {
  CalendarDay,
  dayOf,
  defaulted,
  nullableText,
  Period,
  comparedText,
  PreviousPeriod,
  sampleText,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { weekStarts } from '../../tenancy/organizations/organizations.ts';
import { EventsSchema } from './changeEvents.schema.ts';
import { dimensionTexts } from './dimensionTexts.ts';
import { dimensionNames, dimensionsOfJobs, type DimensionName } from './readQuestion.ts';

function filterOf(name: DimensionName) {
  const [description, example] = dimensionTexts[name];
  return Type.Optional(
    Type.Array(Type.String({ maxLength: 2_000 }), {
      maxItems: 100,
      description: `only these: ${description}`,
      examples: [[example]],
    }),
  );
}

const allFilters = Object.fromEntries(dimensionNames.map((name) => [name, filterOf(name)])) as Record<
  DimensionName,
  ReturnType<typeof filterOf>
>;

/** Of jobs and runs. */
const { product: _product, ...filtersOfJobs } = allFilters;
export const filters = filtersOfJobs;

export const windowQuery = {
  from: Type.Optional(dayOf('2026-03-01', "first day, UTC; cut to the plan's history")),
  to: Type.Optional(dayOf('2026-03-31', 'last day, UTC; today if left out')),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "today and the days before it, in place of `from` and `to`; cut to the plan's history. 30 if left out",
      examples: [30],
    }),
  ),
};

function groupByOf(names: readonly DimensionName[]) {
  return Type.String({
    maxLength: 100,
    description: `one or two of ${names.map((name) => `\`${name}\``).join(', ')}, separated by a comma`,
    examples: ['repository,runner'],
  });
}

export const GroupBy = groupByOf(dimensionsOfJobs);

export const Ownership = defaulted(
  words(ownerships, {
    description:
      'for `team` and `cost_center`: the rules that held on the day of each job or run, or those of today for all',
  }),
  'of_day' as const,
);

export const WeekStart = Type.Optional(
  words(weekStarts, { description: 'the first day of weeks; `monday` if left out' }),
);

export const CostsQuery = Type.Object(
  {
    ...windowQuery,
    group_by: defaulted(groupByOf(dimensionNames), ''),
    metric: defaulted(
      words(metrics, {
        description:
          '`cost` is list cost; `net_cost` is list cost without free runners, included minutes and discounts. ' +
          '`full_cost` is list cost with what runner pools cost; idle time is a value of its own, such as `idle of Mac minis`. ' +
          '`minutes` are billed minutes. `runs` has no job, runner, group or label, and no owner by label',
      }),
      'cost' as const,
    ),
    granularity: defaulted(
      words(granularities, { description: 'The first and the last day, week or month can be cut.' }),
      'total' as const,
    ),
    week_start: WeekStart,
    compare: defaulted(
      words(comparisons, {
        description: comparedText,
      }),
      'none' as const,
    ),
    sort: defaulted(
      words(sorts, { description: '`-` sorts downwards. `change` is against the compared period' }),
      '-value' as const,
    ),
    ownership: Ownership,
    limit: defaulted(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'groups; the rest is summed up in `other`' }),
      20,
    ),
    ...allFilters,
  },
  { additionalProperties: false },
);

const Amount = Type.Unsafe<DecimalNumber | number>({
  type: 'number',
  format: 'decimal',
  description:
    'US dollars, exact to nine decimals, if `metric` is `cost`, `net_cost` or `full_cost`; otherwise a whole number',
  examples: [12.48],
});
const NullableAmount = Type.Unsafe<DecimalNumber | number | null>({
  type: ['number', 'null'],
  format: 'decimal',
  description: 'null without a comparison, and for a day that is compared with none',
});

const figure = {
  value: Amount,
  previous_value: NullableAmount,
  change: NullableAmount,
  change_percent: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'one decimal; null without a comparison, or if the previous value is 0',
  }),
};

const figures = {
  ...figure,
  series: Type.Array(
    Type.Object({
      start: CalendarDay,
      ...figure,
      is_anomalous: Type.Unsafe<boolean | null>({
        type: ['boolean', 'null'],
        description:
          'whether the cost of the day rose by more than `anomaly_threshold_percent`, and by a dollar or more, as the ' +
          'daily anomaly alert judges it; null for other metrics and granularities, and without enough history',
      }),
    }),
    { description: 'a figure for each day, week or month; empty with the granularity `total`' },
  ),
};

const percentOfTotal = Type.Number({ description: 'of the total, one decimal' });
export const GroupValues = Type.Array(
  Type.Object({
    dimension: words(dimensionNames),
    value: nullableText('acme/api'),
    name: Type.String({ description: 'what people call the value', examples: ['CI (acme/api)'] }),
  }),
);

export const CostsSchema = Type.Object({
  period: Period,
  previous_period: Type.Union([PreviousPeriod, Type.Null()]),
  metric: words(metrics),
  granularity: words(granularities),
  group_by: Type.Array(words(dimensionNames)),
  anomaly_threshold_percent: Type.Unsafe<DecimalNumber | null>({
    type: ['number', 'null'],
    format: 'decimal',
    description: 'the lowest threshold of the enabled daily anomaly alerts, or 50; null if no day is judged',
    examples: [50],
  }),
  total: Type.Object(figures),
  groups: Type.Array(
    Type.Object({
      by: GroupValues,
      share_percent: percentOfTotal,
      ...figures,
      narrow: Type.String({
        description: 'the question about this group only, by the next dimension',
        examples: [
          '/api/v1/costs?from=2026-03-01&to=2026-03-30&metric=cost&repository=acme%2Fapi&group_by=workflow',
        ],
      }),
    }),
  ),
  other: Type.Union([
    Type.Object({ groups: Type.Integer(), share_percent: percentOfTotal, ...figures }),
    Type.Null(),
  ]),
});

export const ChangeQuery = Type.Object({
  ...windowQuery,
  compare: Type.Optional(
    words(['previous_period', 'previous_year'], {
      description: `${comparedText}. By default the previous period`,
    }),
  ),
  compared_from: Type.Optional(
    dayOf('2026-02-01', 'first day of the period to compare with, in place of `compare`'),
  ),
  compared_to: Type.Optional(dayOf('2026-02-28', 'last day of that period')),
  week_start: WeekStart,
  group_by: defaulted(GroupBy, 'workflow'),
  ownership: Ownership,
  limit: defaulted(
    Type.Integer({ minimum: 1, maximum: 1_000, description: 'groups; the rest is summed up in `other`' }),
    20,
  ),
  ...filters,
});

const changeFigures = {
  value: Usd,
  previous_value: Usd,
  change: usdOf('`volume`, `duration`, `price` and `mix` add up to it'),
  change_percent: figure.change_percent,
  volume: usdOf('more or fewer jobs, at the previous cost per job; all of what is new or vanished'),
  duration: usdOf('longer or shorter jobs, at the previous cost per minute'),
  price: usdOf('other prices of the same runner kinds'),
  mix: usdOf('other runner kinds'),
  jobs: Type.Integer(),
  previous_jobs: Type.Integer(),
  minutes: Type.Integer({ description: 'billed minutes' }),
  previous_minutes: Type.Integer(),
};

const groupSum = (description: string) =>
  Type.Object({ groups: Type.Integer(), change: Usd }, { description });

export const ChangeSchema = Type.Object({
  period: Period,
  previous_period: PreviousPeriod,
  group_by: Type.Array(words(dimensionNames)),
  sentence: sampleText(
    'Nov 10–12 cost $1,190.00 more: 9 new macOS 3-core jobs of CI in acme/mobile, from pull request 482. Back to normal since Nov 13. CI cost $1,365.49 more (+59.0%) than in the 30 days before.',
    'what happened and why, in plain English: the largest event first, if there is one',
  ),
  events: EventsSchema,
  cause: sampleText(
    'mostly from longer jobs in CI (acme/api) and the new workflow Nightly (acme/api)',
    'why, without amounts: the end of a sentence; empty if nothing explains it',
  ),
  cause_parts: Type.Array(
    Type.Object({
      text: sampleText('acme/api'),
      dimension: Type.Union([words(dimensionNames), Type.Null()], {
        description: 'set if the text is the name of a group',
      }),
    }),
    { description: '`cause` in parts, so that you can write the names in your own way' },
  ),
  total: Type.Object(changeFigures),
  new: groupSum('all groups that had no jobs in the previous period'),
  vanished: groupSum('all groups that have no jobs in the period'),
  groups: Type.Array(
    Type.Object({
      by: GroupValues,
      status: words(groupStatuses, {
        description:
          '`new`: no jobs in the previous period. `returned`: a workflow like this that ran earlier; the largest are looked up. ' +
          '`vanished`: none in the period',
      }),
      ...changeFigures,
      narrow: Type.String({
        description: 'the question about this group only, by the next dimension',
        examples: [
          '/api/v1/costs/change?from=2026-03-01&to=2026-03-30&compared_from=2026-01-30&compared_to=2026-02-28&workflow=wf_e18db5f418965475a75a&group_by=repository',
        ],
      }),
    }),
    { description: 'the largest changes first, up or down' },
  ),
  other: Type.Union([Type.Object({ groups: Type.Integer(), ...changeFigures }), Type.Null()]),
});
