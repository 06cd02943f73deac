import { Type } from 'typebox';
import {
  CalendarDay,
  dataOf,
  defaulted,
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
import type { PriceInput } from './changeBooks.ts';
import { highestRate } from './priceBook.ts';
import type { Rounding } from './provider.ts';
import type { RuleInput } from './rules.ts';
import { includedByPlan, type GitHubPlan, type IncludedInput } from './settings.ts';

const strict = { additionalProperties: false };

const DayInput = Type.String({
  format: 'date',
  pattern: meantYear,
  description: 'YYYY-MM-DD, UTC; from when the price holds. For all of history where it is left out.',
});
const RateInput = Type.Number({
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

const end = {
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

const gitHubPlans = Object.keys(includedByPlan) as GitHubPlan[];

const IncludedSetting = Type.Unsafe<{ github_plan: GitHubPlan | null; minutes: number } | null>({
  type: ['object', 'null'],
  properties: {
    github_plan: { type: ['string', 'null'], enum: [...gitHubPlans, null] },
    minutes: { type: 'integer' },
  },
  required: ['github_plan', 'minutes'],
  description: 'minutes a month that the plan at GitHub includes; null where nothing is set',
});

export const PricingSchema = dataOf(
  Type.Object({
    book: Type.Object({
      id: Type.String(),
      name: Type.String(),
      ...end,
      chosen_at: Type.Unsafe<Date | null>({
        ...NullableTimestamp,
        description: 'null while it is the default that nobody has chosen',
      }),
    }),
    included_minutes: IncludedSetting,
  }),
);

const IncludedInput = Type.Unsafe<IncludedInput | null>({
  type: ['object', 'null'],
  properties: {
    github_plan: { type: ['string', 'null'], enum: [...gitHubPlans, null] },
    minutes: {
      type: 'integer',
      minimum: 0,
      maximum: 1e9,
      description: 'needed where there is no plan; those of a plan are known',
    },
  },
  additionalProperties: false,
});

export const PricingBody = Type.Object(
  {
    book_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'id of a book, such as `github_by_date`, which prices each job by the list of its day',
      }),
    ),
    included_minutes: Type.Optional(IncludedInput),
  },
  strict,
);

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

const ShadowRate = Type.Object({
  runner_kind: Type.String(),
  usd_per_minute: Usd,
  effective_from: CalendarDay,
});
export const ShadowRatesSchema = dataOf(Type.Array(ShadowRate));
export const ShadowRatesBody = Type.Object(
  {
    rates: Type.Array(
      Type.Object(
        {
          runner_kind: Type.String({ maxLength: 110 }),
          usd_per_minute: RateInput,
          effective_from: Type.Optional(DayInput),
        },
        strict,
      ),
      { maxItems: 500 },
    ),
  },
  strict,
);

export const DaysQuery = Type.Object({
  days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
});

const shadowSums = {
  minutes: Type.Integer({
    description: 'on own runners, those of other companies, and kinds with a shadow rate',
  }),
  unrated_minutes: Type.Integer({ description: 'of these, without a shadow rate on their day' }),
  shadow_cost: Usd,
};
const Period = Type.Object({ start: CalendarDay, end: CalendarDay, days: Type.Integer() });

export const ShadowSchema = dataOf(
  Type.Object(
    {
      period: Period,
      total: Type.Object(shadowSums),
      runner_kinds: Type.Array(
        Type.Object({ runner_kind: Type.String(), title: Type.String(), ...shadowSums }),
      ),
      workflows: Type.Array(
        Type.Object({
          workflow_id: Type.String(),
          workflow_name: Type.String(),
          repo_name: Type.String(),
          ...shadowSums,
        }),
        { description: 'those that come to the most first' },
      ),
    },
    { description: 'What you reckon your own runners cost. It is billed by nobody, and part of no cost.' },
  ),
);

export const IncludedMinutesSchema = dataOf(
  Type.Object({
    included_minutes: IncludedSetting,
    month: Type.Object({ start: CalendarDay, end: CalendarDay }),
    used_minutes: Type.Number({ description: 'of the included ones, so far this UTC month' }),
    remaining_minutes: nullable(Type.Number({ description: 'null where none are set' })),
    is_exhausted: Type.Boolean(),
    exhausted_on: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date',
      description: "when they are used up, or will be at this month's daily pace; null if not this month",
    }),
    runner_kinds: Type.Array(
      Type.Object({
        runner_kind: Type.String(),
        title: Type.String(),
        minutes: Type.Integer(),
        ratio: Type.Number({ description: 'included minutes that one minute takes today' }),
        used_minutes: Type.Number(),
      }),
    ),
    is_estimate: Type.Boolean({ description: 'always true: GitHub does not state how minutes are drawn' }),
  }),
);
