import { Type } from 'typebox';
import {
  CalendarDay,
  dataOf,
  defaulted,
  nullable,
  NullableTimestamp,
  Usd,
} from '../../platform/http/schemas.ts';
import { DayInput, RateInput, end, strict } from './books.schema.ts';
import { includedByPlan, type GitHubPlan, type IncludedInput } from './settings.ts';

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
