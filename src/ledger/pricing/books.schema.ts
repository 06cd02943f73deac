import { Type } from 'typebox';
import {
  CalendarDay,
  dataOf,
  Name,
  nameOf,
  nullable,
  NullableString,
  NullableTimestamp,
  readOnly,
  Timestamp,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import { meantYear } from '../../platform/http/validate.ts';
import type { PriceInput } from './books.ts';
import { highestRate } from './priceBook.ts';
import type { Rounding } from './provider.ts';
import type { RuleInput } from './rules.ts';

export const strict = { additionalProperties: false };

export const DayInput = Type.String({
  format: 'date',
  pattern: meantYear,
  description: 'YYYY-MM-DD, UTC; from when the price holds. For all of history where it is left out.',
});
export const RateInput = Type.Number({
  minimum: 0,
  maximum: highestRate,
  description: 'US dollars a minute; at most nine decimals',
});
const Rounding = words(['minute', 'second'] as const, { description: 'what the time is rounded up to' });

const Price = Type.Object({
  runner_kind: Type.String(),
  title: Type.String({ description: 'the kind as people call it' }),
  usd_per_minute: Usd,
  effective_from: CalendarDay,
});

/** When a published list ends, and what follows it. */
export const end = {
  last_day: nullable(
    Type.String({
      format: 'date',
      description: 'the last day of a published list that has been replaced; null for every other book',
    }),
  ),
  next_book_id: nullable(Type.String({ description: 'the book to use from then on' })),
};

const Book = Type.Object({
  id: Type.String(),
  name: Type.String(),
  is_shipped: Type.Boolean({ description: 'comes with the program and cannot be changed' }),
  is_chosen: Type.Boolean({ description: 'prices the jobs that come now' }),
  based_on: NullableString,
  ...end,
  prices: Type.Array(Price, { description: 'by kind, then by day' }),
  created_at: NullableTimestamp,
  updated_at: NullableTimestamp,
});
export const BookSchema = dataOf(Book);
export const BooksSchema = dataOf(Type.Array(Book));

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

/** `kinds` are those that providers rent out, so that the document names them all. */
export const newBookBody = (kinds: readonly string[]) =>
  Type.Object(
    {
      name: Name,
      based_on: Type.Optional(
        nullable(
          Type.String({ minLength: 1, maxLength: 100, description: 'id of a book whose prices are copied' }),
        ),
      ),
      prices: Type.Optional(pricesInput(kinds)),
    },
    strict,
  );

const ignored = {
  id: readOnly,
  is_shipped: readOnly,
  is_chosen: readOnly,
  based_on: readOnly,
  last_day: readOnly,
  next_book_id: readOnly,
  created_at: readOnly,
  updated_at: readOnly,
};

export const bookChangesBody = (kinds: readonly string[]) =>
  Type.Object({ name: Type.Optional(Name), prices: Type.Optional(pricesInput(kinds)), ...ignored }, strict);

const matches = words(['label', 'regex', 'runner_group'] as const, {
  description: 'what the pattern is compared with: a whole label, any part of one, or the runner group',
});

const Rule = Type.Object({
  id: Type.String(),
  position: Type.Integer({ description: 'from 1; the first rule that matches decides' }),
  match: matches,
  pattern: Type.String(),
  runner_kind: NullableString,
  name: NullableString,
  usd_per_minute: Type.Unsafe<ReturnType<typeof JSON.rawJSON> | null>({
    ...Usd,
    type: ['number', 'null'],
  }),
  rounding: Type.Unsafe<Rounding | null>({ type: ['string', 'null'], enum: ['minute', 'second', null] }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export const RuleSchema = dataOf(Rule);
export const RulesSchema = dataOf(Type.Array(Rule));

/** All of a rule's fields: a new one lacks those that are not needed, a change those that stay. */
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
              description: 'as receipts show it',
            }),
          ),
        ),
        usd_per_minute: Type.Optional(nullable(RateInput)),
        rounding: Type.Optional(
          Type.Unsafe<Rounding | null>({
            type: ['string', 'null'],
            enum: ['minute', 'second', null],
          }),
        ),
        position: Type.Optional(
          Type.Integer({
            minimum: 1,
            description: 'from 1; last where it is left out',
          }),
        ),
        id: readOnly,
        created_at: readOnly,
        updated_at: readOnly,
      },
      strict,
    ),
  );

export const Deleted = Type.Object({ message: Type.String() });
