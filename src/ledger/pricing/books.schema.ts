import { Type } from 'typebox';
import {
  CalendarDay,
  Name,
  nameOf,
  nullable,
  nullableText,
  NullableTimestamp,
  readOnly,
  readOnlyFields,
  sampleText,
  Timestamp,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import { meantYear } from '../../platform/http/validate.ts';
import type { PriceInput } from './books.ts';
import { maxLaterRates, maxRate } from './priceBook.ts';
import type { Rounding } from './provider.ts';
import type { RuleInput } from './rules.ts';

export const strict = { additionalProperties: false };

export const DayInput = Type.String({
  format: 'date',
  pattern: meantYear,
  description: 'YYYY-MM-DD, UTC; the first day of the price. Default: all of history',
});
export const RateInput = Type.Number({
  minimum: 0,
  maximum: maxRate,
  description: 'US dollars per minute; at most nine decimals',
});
const LaterRatesInput = Type.Array(
  Type.Object(
    {
      effective_from: Type.String({
        ...DayInput,
        description: 'YYYY-MM-DD, UTC; the first day of the rate',
        examples: ['2026-09-01'],
      }),
      usd_per_minute: RateInput,
    },
    strict,
  ),
  {
    maxItems: maxLaterRates,
    description:
      'rates that follow `usd_per_minute`, each from its first day; jobs of earlier days keep the earlier rate',
  },
);
const Rounding = words(['minute', 'second'] as const, { description: 'unit to which time is rounded up' });

const Price = Type.Object({
  runner_kind: Type.String({ examples: ['linux_2_core'] }),
  title: sampleText('Linux 2-core', 'name of the runner kind'),
  usd_per_minute: Usd,
  effective_from: CalendarDay,
});

export const end = {
  last_day: nullable(
    Type.String({
      format: 'date',
      examples: ['2025-12-31'],
      description: 'last day of a published list that has been replaced; null for any other list',
    }),
  ),
  next_book_id: nullableText('github_2026', 'the list that replaces it'),
};

export const BookSchema = Type.Object({
  id: Type.String({ examples: ['book_6f2d8b4a0c1e9573a8d2'] }),
  name: sampleText('Acme prices'),
  is_shipped: Type.Boolean({ description: 'shipped with Runcost; cannot be changed' }),
  is_chosen: Type.Boolean({ description: 'prices new jobs' }),
  based_on: nullableText('github_2026'),
  ...end,
  prices: Type.Array(Price, { description: 'by runner kind, then by day' }),
  created_at: NullableTimestamp,
  updated_at: NullableTimestamp,
});
export const BooksSchema = Type.Array(BookSchema);

const pricesInput = (kinds: readonly string[]) =>
  Type.Unsafe<PriceInput[]>(
    Type.Array(
      Type.Object(
        {
          runner_kind: words(kinds),
          usd_per_minute: RateInput,
          effective_from: Type.Optional(DayInput),
          title: readOnly,
        },
        strict,
      ),
      { maxItems: 1_000 },
    ),
  );

export const newBookBody = (kinds: readonly string[]) =>
  Type.Object(
    {
      name: Name,
      based_on: Type.Optional(
        nullable(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'id of a price list to copy prices from',
          }),
        ),
      ),
      prices: Type.Optional(pricesInput(kinds)),
    },
    {
      ...strict,
      examples: [
        {
          name: 'Our contract',
          based_on: 'github_by_date',
          prices: [{ runner_kind: 'linux_4_core', usd_per_minute: 0.011, effective_from: '2026-01-01' }],
        },
      ],
    },
  );

const ignored = readOnlyFields(
  'id',
  'is_shipped',
  'is_chosen',
  'based_on',
  'last_day',
  'next_book_id',
  'created_at',
  'updated_at',
);

export const bookChangesBody = (kinds: readonly string[]) =>
  Type.Object(
    { name: Type.Optional(Name), prices: Type.Optional(pricesInput(kinds)), ...ignored },
    { ...strict, examples: [{ name: 'Our contract of 2026' }] },
  );

const matches = words(['label', 'regex', 'runner_group'] as const, {
  description: 'what the pattern matches: a whole label, any part of one, or the runner group',
});

export const RuleSchema = Type.Object({
  id: Type.String({ examples: ['rule_3b7f1d9c5a2e8046b3f9'] }),
  position: Type.Integer({ description: 'from 1; the first match wins' }),
  match: matches,
  pattern: Type.String({ examples: ['big-linux'] }),
  runner_kind: nullableText('linux_16_core'),
  name: nullableText('Acme prices'),
  usd_per_minute: Type.Unsafe<ReturnType<typeof JSON.rawJSON> | null>({
    ...Usd,
    type: ['number', 'null'],
    description: 'until the first of the later rates; null with a runner kind',
  }),
  later_rates: Type.Array(Type.Object({ effective_from: CalendarDay, usd_per_minute: Usd }), {
    description: 'each from its first day (UTC) until the next; oldest first',
  }),
  rounding: Type.Unsafe<Rounding | null>({ type: ['string', 'null'], enum: ['minute', 'second', null] }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const RulesSchema = Type.Array(RuleSchema);

export const ruleBody = (kinds: readonly string[]) =>
  Type.Unsafe<RuleInput>(
    Type.Object(
      {
        match: Type.Optional(matches),
        pattern: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 255,
          }),
        ),
        runner_kind: Type.Optional(
          Type.Unsafe<string | null>({
            type: ['string', 'null'],
            enum: [...kinds, null],
          }),
        ),
        name: Type.Optional(
          nullable(
            nameOf({
              maxLength: 100,
              description: 'shown on receipts',
            }),
          ),
        ),
        usd_per_minute: Type.Optional(nullable(RateInput)),
        later_rates: Type.Optional(nullable(LaterRatesInput)),
        rounding: Type.Optional(
          Type.Unsafe<Rounding | null>({
            type: ['string', 'null'],
            enum: ['minute', 'second', null],
          }),
        ),
        position: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'from 1 to one more than there are other rules; by default a new rule is the last',
          }),
        ),
        ...readOnlyFields('id', 'created_at', 'updated_at'),
      },
      {
        ...strict,
        examples: [{ match: 'label', pattern: 'big-linux', runner_kind: 'linux_8_core' }],
      },
    ),
  );

export const Deleted = Type.Object({ message: sampleText('The price list has been deleted.') });
