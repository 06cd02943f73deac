import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nullable,
  nullableText,
  nullableTimestampOf,
  Period,
  sampleText,
  Span,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { DayInput, RateInput, end, strict } from './books.schema.ts';
import type { IncludedInput, includedView } from './included.ts';
import {
  allowedProducts,
  draws,
  gitHubPlans,
  includedUnits,
  type AllowedProduct,
  type Draw,
  type GitHubPlan,
  type IncludedUnit,
} from './publishedTerms.ts';
import { maxTerms } from './terms.ts';

const planField = { type: ['string', 'null'], enum: [...gitHubPlans, null] };
const unitField = {
  type: 'string',
  enum: [...includedUnits],
  description: 'dollars at list price are for larger runners too, minutes are for standard runners only',
};
const drawField = {
  type: 'string',
  enum: [...draws],
  description:
    'how many included minutes a minute on another runner than Linux 2-core uses; of GitLab, what a minute of a public ' +
    'project uses',
};

const IncludedSetting = Type.Unsafe<NonNullable<ReturnType<typeof includedView>> | null>({
  type: ['object', 'null'],
  properties: {
    github_plan: planField,
    minutes: {
      type: 'integer',
      description: 'with unit usd: the whole minutes that the dollars buy on Linux 2-core',
    },
    unit: unitField,
    usd: { type: ['number', 'null'], description: 'null with unit minutes', examples: [18] },
    draw: drawField,
  },
  required: ['github_plan', 'minutes', 'unit', 'usd', 'draw'],
  description: 'what your GitHub plan includes per month; null if not set',
});

export const PricingSchema = Type.Object({
  book: Type.Object({
    id: sampleText('github_by_date'),
    name: sampleText('GitHub, by the date of each job'),
    ...end,
    chosen_at: nullableTimestampOf('null while nobody has chosen a list and the default applies'),
  }),
  included_minutes: IncludedSetting,
});

const IncludedInput = Type.Unsafe<IncludedInput | null>({
  type: ['object', 'null'],
  properties: {
    github_plan: planField,
    minutes: {
      type: 'integer',
      minimum: 0,
      maximum: 1e9,
      description: 'required without github_plan; ignored with unit usd',
    },
    unit: {
      ...unitField,
      default: 'minutes',
      description:
        '`usd` with a plan: dollars from the first day on which the plan may include them, minutes before',
    },
    usd: {
      type: ['number', 'null'],
      minimum: 0,
      maximum: 1e6,
      description: 'required with unit usd, without github_plan',
    },
    draw: { ...drawField, default: 'list_price_ratio' },
  },
  additionalProperties: false,
});

export const RunnerKindsSchema = Type.Object({
  runner_kinds: Type.Array(
    Type.Object({
      runner_kind: sampleText('linux_2_core'),
      title: sampleText('Linux 2-core'),
      provider: nullableText('github', 'the provider that rents it out; null for runners of no provider'),
      provider_title: nullableText('GitHub'),
      usd_per_minute: Type.Unsafe<DecimalNumber | null>({
        ...Usd,
        type: ['number', 'null'],
        description: "today's price in the chosen price list; null if it has none",
      }),
    }),
  ),
});

export const PricingBody = Type.Object(
  {
    book_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'id of a price list, such as `github_by_date`, which prices each job by the list of its day',
      }),
    ),
    included_minutes: Type.Optional(IncludedInput),
  },
  {
    ...strict,
    examples: [{ book_id: 'github_by_date', included_minutes: { github_plan: 'team' } }],
  },
);

const ShadowRate = Type.Object({
  runner_kind: Type.String({ examples: ['linux_2_core'] }),
  usd_per_minute: Usd,
  effective_from: CalendarDay,
});
export const ShadowRatesSchema = Type.Array(ShadowRate);
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
  {
    ...strict,
    examples: [
      { rates: [{ runner_kind: 'self_hosted', usd_per_minute: 0.004, effective_from: '2026-01-01' }] },
    ],
  },
);

const Terms = Type.Object({
  provider: Type.String({ examples: ['github'] }),
  effective_from: CalendarDay,
  included_minutes: IncludedSetting,
  discount_percent: Type.Number({
    minimum: 0,
    maximum: 100,
    description: 'discount on the list prices of what included minutes do not cover',
  }),
  usd_per_credit: Type.Unsafe<DecimalNumber | null>({
    ...Usd,
    type: ['number', 'null'],
    description: 'what a credit costs you; null for the price of the price list',
  }),
  included_ai_credits: nullable(
    Type.Integer({ description: 'AI credits that your Copilot licenses include per month together' }),
  ),
});
export const TermsSchema = Type.Array(Terms, {
  description: 'by provider, oldest first; each until the next of its provider',
});
export const PublishedTermsSchema = Type.Array(
  Type.Object({
    provider: Type.String({ examples: ['github'] }),
    about: words(['free_use', 'plan', 'draw', 'product'], {
      description:
        'runs on standard runners that are not billed, what a plan includes, how that is used, or what it includes ' +
        'beside compute',
    }),
    title: Type.String({ examples: ['Team'] }),
    github_plan: Type.Unsafe<GitHubPlan | null>(planField),
    unit: Type.Unsafe<IncludedUnit | null>({ type: ['string', 'null'], enum: [...includedUnits, null] }),
    per_month: Type.Unsafe<number | null>({
      type: ['number', 'null'],
      description: 'what the plan includes, in its unit; of a product, GB all month or AI credits',
    }),
    draw: Type.Unsafe<Draw | null>({ type: ['string', 'null'], enum: [...draws, null] }),
    product: Type.Unsafe<AllowedProduct | null>({
      type: ['string', 'null'],
      enum: [...(Object.keys(allowedProducts) as AllowedProduct[]), null],
    }),
    first_day: CalendarDay,
    last_day: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date',
      examples: ['2026-05-31'],
    }),
    source: sampleText('https://docs.github.com/en/billing/reference/product-usage-included'),
    checked_on: CalendarDay,
    status: words(['published', 'assumed', 'hint'], {
      description:
        '`assumed`: our default, although the provider does not document it; `hint`: applies only if you choose it',
    }),
  }),
);
const placeFields = {
  provider: Type.Optional(
    Type.String({ maxLength: 100, description: '`github` if left out', examples: ['github'] }),
  ),
  effective_from: Type.Optional(
    Type.String({
      ...DayInput,
      description: 'YYYY-MM-DD, UTC; the first day of the terms. Default: all of history',
      examples: ['2026-07-01'],
    }),
  ),
};
const [firstTerms, laterTerms] = [
  { included_minutes: { github_plan: 'team' } },
  {
    effective_from: '2026-07-01',
    included_minutes: { github_plan: 'enterprise' },
    discount_percent: 12.5,
  },
];
export const TermsPlaceQuery = Type.Object({
  provider: placeFields.provider,
  effective_from: Type.String({
    ...DayInput,
    description: 'YYYY-MM-DD, UTC; the first day of the terms, 1970-01-01 for all of history',
    examples: ['2026-07-01'],
  }),
});
export const OneTermsBody = Type.Object(
  {
    ...placeFields,
    included_minutes: Type.Optional(IncludedInput),
    discount_percent: Type.Optional(
      Type.Number({ minimum: 0, maximum: 100, description: 'at most two decimals' }),
    ),
    usd_per_credit: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['number', 'null'],
        minimum: 0,
        // Times the credits of the largest class, less than the highest rate per minute.
        maximum: 0.1,
        description:
          'what a credit costs by your contract, for providers that bill in credits (circleci); at most nine decimals. ' +
          'New jobs get it, and recorded ones with a reprice',
      }),
    ),
    included_ai_credits: Type.Optional(
      Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        minimum: 0,
        maximum: 1e9,
        description:
          'AI credits per month of all your Copilot licenses, of which included usage is a share (github)',
      }),
    ),
  },
  { ...strict, examples: [laterTerms] },
);
export const TermsBody = Type.Object(
  { terms: Type.Array(Type.Object(OneTermsBody.properties, strict), { maxItems: maxTerms }) },
  { ...strict, examples: [{ terms: [firstTerms, laterTerms] }] },
);

export const DaysQuery = Type.Object({
  days: defaulted(Type.Integer({ minimum: 1, description: 'more than 365 counts as 365' }), 30),
});

const shadowSums = {
  minutes: Type.Integer({
    description: 'on self-hosted and third-party runners, and on runner kinds with a shadow rate',
  }),
  unrated_minutes: Type.Integer({ description: 'those of these minutes without a shadow rate on their day' }),
  shadow_cost: Usd,
};

export const ShadowSchema = Type.Object(
  {
    period: Period,
    total: Type.Object(shadowSums),
    runner_kinds: Type.Array(
      Type.Object({
        runner_kind: Type.String({ examples: ['linux_2_core'] }),
        title: sampleText('Linux 2-core'),
        ...shadowSums,
      }),
    ),
    workflows: Type.Array(
      Type.Object({
        workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
        workflow_name: Type.String({ examples: ['Build'] }),
        repo_name: Type.String({ examples: ['acme/api'] }),
        ...shadowSums,
      }),
      { description: 'the most expensive first' },
    ),
  },
  {
    description:
      'What your own runners cost by your estimate. Nobody bills it, and no other cost includes it.',
  },
);

const NullableUsd = Type.Unsafe<DecimalNumber | null>({
  ...Usd,
  type: ['number', 'null'],
  description: 'at list prices; null unless the unit is usd',
});

export const IncludedMinutesQuery = Type.Object({
  provider: defaulted(words(['github', 'gitlab'] as const), 'github'),
});

export const IncludedMinutesSchema = Type.Object({
  provider: sampleText('github'),
  provider_title: sampleText('GitHub'),
  included_minutes: IncludedSetting,
  unit: Type.Unsafe<IncludedUnit>(unitField),
  month: Span,
  used_minutes: Type.Number({ description: 'included minutes used so far this UTC month' }),
  remaining_minutes: nullable(Type.Number({ description: 'null if none are set' })),
  used_usd: NullableUsd,
  remaining_usd: NullableUsd,
  is_exhausted: Type.Boolean(),
  exhausted_on: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    format: 'date',
    examples: ['2026-03-24'],
    description: "day they are used up, or will be at this month's daily rate; null if not this month",
  }),
  runner_kinds: Type.Array(
    Type.Object({
      runner_kind: Type.String({ examples: ['linux_2_core'] }),
      title: sampleText('Linux 2-core'),
      minutes: Type.Integer(),
      ratio: Type.Number({ description: 'included minutes that one minute uses today' }),
      used_minutes: Type.Number(),
    }),
  ),
  is_estimate: Type.Boolean({
    description: 'always true: GitHub does not document how included minutes are used up',
  }),
});
