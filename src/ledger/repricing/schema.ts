import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nameOf,
  nullable,
  nullableText,
  pageOf,
  Period,
  sampleText,
  taskFields,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { meantYear } from '../../platform/http/validate.ts';
import { maxLaterRates, maxRate } from '../pricing/priceBook.ts';
import type { WhatIfInput } from './whatIf.ts';

const strict = { additionalProperties: false };
const optionalWord = (list: readonly string[]) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], enum: [...list, null] }));

const RateInput = Type.Number({ minimum: 0, maximum: maxRate });

const proposedRule = (kinds: readonly string[]) =>
  Type.Object(
    {
      match: words(['label', 'regex', 'runner_group'] as const),
      pattern: Type.String({ minLength: 1, maxLength: 255 }),
      runner_kind: optionalWord(kinds),
      name: Type.Optional(nullable(nameOf({ maxLength: 100 }))),
      usd_per_minute: Type.Optional(nullable(RateInput)),
      later_rates: Type.Optional(
        nullable(
          Type.Array(Type.Object({ effective_from: DayInput, usd_per_minute: RateInput }, strict), {
            maxItems: maxLaterRates,
          }),
        ),
      ),
      rounding: optionalWord(['minute', 'second']),
    },
    strict,
  );

export const whatIfBody = (kinds: readonly string[]) =>
  Type.Unsafe<WhatIfInput>(
    Type.Object(
      {
        days: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 90, description: 'default: 90; limited by your plan' }),
        ),
        book_id: Type.Optional(Type.String({ maxLength: 100, description: 'default: the chosen list' })),
        rules: Type.Optional(
          Type.Array(proposedRule(kinds), {
            maxItems: 200,
            description: 'all rules to try; default: the current rules',
          }),
        ),
        scenario: Type.Optional(
          Type.Unsafe<string | null>({
            type: ['string', 'null'],
            enum: ['self_hosted_fee', null],
            description:
              '`self_hosted_fee`: the 0.002 USD per minute that GitHub announced, and then postponed, for self-hosted ' +
              'runners of private repositories',
          }),
        ),
      },
      {
        ...strict,
        examples: [
          { days: 30, rules: [{ match: 'label', pattern: 'big-linux', runner_kind: 'linux_4_core' }] },
        ],
      },
    ),
  );

const sums = {
  jobs: Type.Integer(),
  minutes: Type.Integer(),
  cost_now: usdOf('as recorded'),
  cost_current: usdOf('with the chosen price list and the current rules'),
  cost_then: usdOf('with the requested change'),
  difference: usdOf('`cost_then` minus `cost_now`'),
  change: usdOf('`cost_then` minus `cost_current`: the effect of the change itself'),
  unpriced_minutes_now: Type.Integer(),
  unpriced_minutes_then: Type.Integer(),
};

export const WhatIfSchema = Type.Object({
  period: Period,
  book: Type.Object({
    id: Type.String({ examples: ['github_by_date'] }),
    name: sampleText('GitHub, by the date of each job'),
  }),
  scenario: nullableText('self_hosted_fee'),
  total: Type.Object(sums),
  workflow_count: Type.Integer({ description: '`workflows` holds the first 500' }),
  workflows: Type.Array(
    Type.Object({
      workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
      workflow_name: Type.String({ examples: ['Build'] }),
      repo_name: Type.String({ examples: ['acme/api'] }),
      ...sums,
    }),
    { description: 'the most affected first' },
  ),
});

const DayInput = Type.String({
  format: 'date',
  pattern: meantYear,
  description: 'YYYY-MM-DD, UTC; included',
});

export const RepriceBody = Type.Object(
  {
    from: DayInput,
    to: DayInput,
    dry_run: defaulted(Type.Boolean({ description: 'only computes what would change' }), false),
    unpriced_only: defaulted(
      Type.Boolean({ description: 'only jobs without a price; all others keep theirs' }),
      false,
    ),
  },
  { ...strict, examples: [{ from: '2026-03-01', to: '2026-03-17', dry_run: true }] },
);

export const RepriceSchema = Type.Object({
  id: Type.String({ description: 'reprice_…', examples: ['reprice_1a7c5e9b3d0f8264c1e7'] }),
  reverts: nullableText('reprice_1a7c5e9b3d0f8264c1e7', 'the reprice that it undoes; null for a reprice'),
  from: CalendarDay,
  to: CalendarDay,
  dry_run: Type.Boolean(),
  unpriced_only: Type.Boolean(),
  book_id: nullableText('github_by_date'),
  changed_jobs: Type.Integer({ description: 'so far; in a dry run, jobs that would change' }),
  skipped_jobs: Type.Integer({ description: 'skipped by a revert because they have changed since' }),
  cost_before: Usd,
  cost_after: Usd,
  difference: Usd,
  ...taskFields,
});
export const RepricesSchema = pageOf(RepriceSchema);

const JobPrice = Type.Object({
  runner_kind: nullableText('linux_2_core'),
  runner_rule: sampleText('ubuntu'),
  price_book_id: Type.String({ examples: ['github_by_date'] }),
  price_per_minute: Usd,
  rounding: words(['minute', 'second'] as const),
  billed_minutes: Type.Integer(),
  is_unpriced: Type.Boolean(),
  cost: Usd,
});

export const ChangesSchema = pageOf(
  Type.Object({
    run_id: Type.String({ examples: ['run_github_7000000001'] }),
    attempt: Type.Integer(),
    job_id: Type.String({ examples: ['9000000001'] }),
    before: JobPrice,
    after: JobPrice,
  }),
);
