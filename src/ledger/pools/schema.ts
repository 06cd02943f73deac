import { Type } from 'typebox';
import {
  CalendarDay,
  nameOf,
  nullable,
  nullableObject,
  nullableText,
  readOnlyFields,
  sampleText,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { meantYear } from '../../platform/http/validate.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { maxMonthlyUsd, maxPeriods, maxUsdPerHour, type PoolInput } from './pools.ts';

const match = words(['label', 'regex', 'runner_group'] as const, {
  description: 'what the pattern is: a whole label, a part of a label, or a runner group; in any case',
});

const nullableUsd = (description: string) =>
  Type.Unsafe<DecimalNumber | null>({ ...Usd, type: ['number', 'null'], description });

export const PoolSchema = Type.Object({
  id: sampleText('pool_3b7f1d9c5a2e8046b3f9'),
  name: sampleText('Mac minis'),
  match,
  pattern: sampleText('mac-mini'),
  resource_ids: Type.Array(sampleText('i-0a1b2c3d4e5f60718'), {
    description: 'how files of costs name the pool, besides its name',
  }),
  periods: Type.Array(
    Type.Object({
      first_day: CalendarDay,
      last_day: nullableText('2026-12-31', 'null: until further notice'),
      machines: nullable(
        Type.Integer({ description: 'null if not given: then only days without jobs are idle' }),
      ),
      monthly_usd: nullableUsd('what the pool costs in a calendar month'),
      usd_per_hour: nullableUsd('what each machine costs per hour'),
    }),
    { description: 'earliest first' },
  ),
  imported: nullableObject(
    Type.Object({
      first_day: CalendarDay,
      last_day: CalendarDay,
      days: Type.Integer({ description: 'how many days have an amount' }),
      cost: usdOf('their sum'),
    }),
    'imported amounts, which hold on their days instead of the price of a period; null without any',
  ),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const day = (description: string) =>
  Type.String({ format: 'date', pattern: meantYear, description, examples: ['2026-01-01'] });

const fields = {
  name: nameOf({ maxLength: 100, examples: ['Mac minis'] }),
  match,
  pattern: Type.String({
    maxLength: 255,
    description: 'which jobs ran on the pool, written as in a pricing rule',
    examples: ['mac-mini'],
  }),
};
const optional = {
  resource_ids: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 500 }), {
      maxItems: 1_000,
      description: 'ids or names of cloud resources, for imports of files that name these',
    }),
  ),
  periods: Type.Optional(
    Type.Array(
      Type.Object(
        {
          first_day: day('YYYY-MM-DD, UTC'),
          last_day: Type.Optional(nullable(day('YYYY-MM-DD, UTC; null: until further notice'))),
          machines: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 1_000_000 }))),
          monthly_usd: Type.Optional(
            nullable(Type.Number({ minimum: 0, maximum: maxMonthlyUsd, description: 'of the whole pool' })),
          ),
          usd_per_hour: Type.Optional(
            nullable(Type.Number({ minimum: 0, maximum: maxUsdPerHour, description: 'of each machine' })),
          ),
        },
        { additionalProperties: false },
      ),
      {
        maxItems: maxPeriods,
        description:
          '`monthly_usd`, or `machines` and `usd_per_hour`, or only `machines` if the costs are imported. With ' +
          '`machines`, time in which no job ran is idle',
      },
    ),
  ),
  ...readOnlyFields('id', 'imported', 'created_at', 'updated_at'),
};

const example = {
  name: 'Mac minis',
  match: 'label',
  pattern: 'mac-mini',
  periods: [{ first_day: '2026-01-01', machines: 4, usd_per_hour: 0.12 }],
} as const;

export const NewPoolBody = Type.Unsafe<PoolInput>(
  Type.Object({ ...fields, ...optional }, { additionalProperties: false, examples: [example] }),
);

export const PoolChangesBody = Type.Unsafe<Partial<PoolInput>>(
  Type.Object(
    {
      name: Type.Optional(fields.name),
      match: Type.Optional(fields.match),
      pattern: Type.Optional(fields.pattern),
      ...optional,
    },
    {
      additionalProperties: false,
      examples: [{ periods: [{ first_day: '2026-01-01', monthly_usd: 320, machines: 4 }] }],
    },
  ),
);

const exampleFile = 'pool,month,cost_usd\nMac minis,2026-01,345.60\nMac minis,2026-02,312\n';

export const ImportBody = Type.Object(
  {
    csv: Type.String({
      minLength: 1,
      description:
        'the text of a file with the columns `pool`, `cost_usd`, and `month` or `first_day` with `last_day`; or of a FOCUS file. ' +
        '`pool` is a name, an id or one of its resources',
    }),
    dry_run: Type.Optional(Type.Boolean({ description: 'only say what would change; false by default' })),
  },
  { additionalProperties: false, examples: [{ csv: exampleFile }] },
);

export const ImportSchema = Type.Object({
  dry_run: Type.Boolean(),
  lines: Type.Integer({ description: 'lines about pools' }),
  other_lines: Type.Integer({ description: 'lines of a FOCUS file about other resources' }),
  pools: Type.Array(
    Type.Object({
      id: sampleText('pool_3b7f1d9c5a2e8046b3f9'),
      name: sampleText('Mac minis'),
      first_day: CalendarDay,
      last_day: CalendarDay,
      cost: usdOf('of these days, in the file'),
      changed_days: Type.Integer({
        description: 'days whose amount is new or differs; 0 if the file is repeated',
      }),
    }),
  ),
});
