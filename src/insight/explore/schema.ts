import { Type } from 'typebox';
import { comparisons, granularities, metrics, sorts } from '../../ledger/costs/costQuestion.ts';
import { CalendarDay, dataOf, defaulted, nullableText, Uuid, words } from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { dimensionNames, type DimensionName } from './readQuestion.ts';

const texts: Record<DimensionName, [description: string, example: string]> = {
  repository: ['`owner/name`, in any case', 'acme/api'],
  workflow: ["a workflow's id or name", 'wf_e18db5f418965475a75a'],
  job: ["the job's name", 'build'],
  runner: ['runner kind; empty: no price', 'linux'],
  runner_group: ['runner group', 'Default'],
  label: ['all labels of a job, in lower case and in order, separated by `, `', 'self-hosted, x64'],
  provider: ['CI provider', 'github'],
  branch: ['branch', 'main'],
  event: ['what started the run', 'push'],
  actor: ['who started the run', 'mona'],
  pull_request: ["the pull request's number", '42'],
  conclusion: ["the run's conclusion; empty: the run has not ended", 'failure'],
  day: ['day on which the job completed or the run was created, UTC', '2026-03-17'],
  weekday: ['`monday` to `sunday`, UTC', 'monday'],
  hour: ['`00` to `23`, UTC', '09'],
};

function filterOf(name: DimensionName) {
  const [description, example] = texts[name];
  return Type.Optional(
    Type.Array(Type.String({ maxLength: 2_000 }), {
      maxItems: 100,
      description: `only these: ${description}`,
      examples: [[example]],
    }),
  );
}

export const filters = Object.fromEntries(dimensionNames.map((name) => [name, filterOf(name)])) as Record<
  DimensionName,
  ReturnType<typeof filterOf>
>;

const Day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description, examples: ['2026-03-17'] }));

export const windowQuery = {
  org_id: Type.Optional(Uuid),
  from: Day("first day, UTC; cut to the plan's history"),
  to: Day('last day, UTC; today if left out'),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        "today and the days before it, in place of `from` and `to`; cut to the plan's history. 30 if left out",
      examples: [30],
    }),
  ),
};

export const GroupBy = defaulted(
  Type.String({
    maxLength: 100,
    description: `one or two of ${dimensionNames.map((name) => `\`${name}\``).join(', ')}, separated by a comma`,
    examples: ['repository,runner'],
  }),
  '',
);

export const CostsQuery = Type.Object(
  {
    ...windowQuery,
    group_by: GroupBy,
    metric: defaulted(
      words(metrics, {
        description: '`minutes` are billed minutes. `runs` has no job, runner, group or label',
      }),
      'cost' as const,
    ),
    granularity: defaulted(
      words(granularities, { description: 'Weeks begin on Monday. The first and the last can be cut.' }),
      'total' as const,
    ),
    compare: defaulted(
      words(comparisons, {
        description:
          '`previous_period`: as many days right before. `previous_year`: the same dates a year before',
      }),
      'none' as const,
    ),
    sort: defaulted(
      words(sorts, { description: '`-` sorts downwards. `change` is against the compared period' }),
      '-value' as const,
    ),
    limit: defaulted(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'groups; the rest is summed up in `other`' }),
      20,
    ),
    ...filters,
  },
  { additionalProperties: false },
);

const Amount = Type.Unsafe<DecimalNumber | number>({
  type: 'number',
  format: 'decimal',
  description: 'US dollars, exact to nine decimals, where `metric` is `cost`; else a whole number',
  examples: [12.48],
});
const NullableAmount = Type.Unsafe<DecimalNumber | number | null>({
  type: ['number', 'null'],
  format: 'decimal',
  description: 'null without a comparison',
});

const figure = {
  value: Amount,
  previous_value: NullableAmount,
  change: NullableAmount,
  change_percent: Type.Unsafe<number | null>({
    type: ['number', 'null'],
    description: 'one decimal; null without a comparison, and where the previous value is 0',
  }),
};

const figures = {
  ...figure,
  series: Type.Array(Type.Object({ start: CalendarDay, ...figure }), {
    description: 'a figure for each day, week or month; empty with the granularity `total`',
  }),
};

const share = Type.Number({ description: 'of the total, one decimal' });
export const Period = Type.Object({ start: CalendarDay, end: CalendarDay, days: Type.Integer() });

export const GroupValues = Type.Array(
  Type.Object({
    dimension: words(dimensionNames),
    value: nullableText('acme/api'),
    name: Type.String({ description: 'what people call the value', examples: ['CI (acme/api)'] }),
  }),
);

export const CostsSchema = dataOf(
  Type.Object({
    period: Period,
    previous_period: Type.Union([Period, Type.Null()]),
    metric: words(metrics),
    granularity: words(granularities),
    group_by: Type.Array(words(dimensionNames)),
    total: Type.Object(figures),
    groups: Type.Array(
      Type.Object({
        by: GroupValues,
        share_percent: share,
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
      Type.Object({ groups: Type.Integer(), share_percent: share, ...figures }),
      Type.Null(),
    ]),
  }),
);
