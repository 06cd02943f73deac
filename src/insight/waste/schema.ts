import { Type } from 'typebox';
import { comparisons } from '../../ledger/costs/costQuestion.ts';
import {
  CalendarDay,
  comparedText,
  dayOf,
  defaulted,
  nameOf,
  nullable,
  nullableText,
  PageQuery,
  Pagination,
  Period,
  sampleText,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { weekStarts } from '../../tenancy/organizations/organizations.ts';
import { statuses } from './fixes.ts';
import { categories } from './jobGroups.ts';
import { actions, fixKinds } from './suggest.ts';

const rangeFields = {
  days: defaulted(
    Type.Integer({
      minimum: 1,
      description: "today and the days before it; at most 90, cut to the plan's history",
    }),
    30,
  ),
  from: Type.Optional(dayOf('2026-03-01', 'first day, UTC, instead of `days`; at most 90 days up to `to`')),
  to: Type.Optional(dayOf('2026-03-31', 'last day, UTC')),
};

const scopeFields = {
  workflow_id: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'only this workflow',
      examples: ['wf_e18db5f418965475a75a'],
    }),
  ),
  repo: Type.Optional(
    Type.String({
      maxLength: 255,
      description: '`owner/name` or the bare name, in any case',
      examples: ['acme/api'],
    }),
  ),
};

export const WasteQuery = Type.Object({
  ...PageQuery.properties,
  ...rangeFields,
  ...scopeFields,
  category: Type.Optional(
    words(categories, { description: 'workflows with this category, largest amount first' }),
  ),
});

const CategoryName = words(categories, {
  description:
    '`rounding`: minutes billed but not used. `failed`: time of jobs that failed or were ' +
    'cancelled. `superseded`: time after a newer run of the same branch started. `rerun`: time of ' +
    'jobs that ran again. `skipped_after_queueing`: jobs that waited and never ran, which costs ' +
    'nothing.',
});

const FixCategory = words(fixKinds, {
  description:
    'a category of waste, or runs that nobody needs. `idle_schedule`: scheduled runs of the same commit as the run ' +
    'before, whose results nobody acted on. `always_canceled`: runs on an event of which none finished. ' +
    '`duplicate_workflow`: another workflow ran the same jobs on the same commits. ' +
    '`documentation_only`: runs of pull requests that change documentation only, which all passed.',
});

const Minutes = Type.Number({ description: 'billed minutes; not rounded' });

const amountFields = {
  cost: Usd,
  minutes: Minutes,
  jobs: Type.Integer({
    description: 'jobs with this category; a job can have several',
  }),
  share_percent: Type.Number({ description: 'of the total cost, one decimal' }),
  waited_minutes: Type.Number({
    description: 'time in the queue of jobs that never ran; not part of `minutes`',
  }),
};

const CategoryShare = Type.Object({ category: CategoryName, ...amountFields });
const CategoryCost = Type.Object({ category: CategoryName, cost: Usd });

const Suggestion = Type.Object({
  category: FixCategory,
  action: words(actions),
  text: sampleText('3 jobs took less than a minute each. Merge them into one job to save the rounding.'),
  jobs: Type.Array(sampleText('lint'), { description: 'names, most relevant first; at most ten' }),
  saving: usdOf('at most, in US dollars; no two suggestions count the same saving'),
  yaml: nullableText('timeout-minutes: 30'),
});

const WastePeriod = Type.Object(Period.properties, {
  description: "Shorter than asked for beyond the plan's history, and with very many jobs.",
});

const totals = {
  period: WastePeriod,
  total_cost: Usd,
  useful_cost: Usd,
  waste_cost: Usd,
  total_minutes: Minutes,
  useful_minutes: Minutes,
  categories: Type.Array(CategoryShare, { description: 'of all workflows' }),
};

const WorkflowWaste = Type.Object({
  workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
  name: sampleText('Build'),
  repository: Type.String({ description: 'owner/name', examples: ['acme/api'] }),
  cost: Usd,
  waste_cost: Usd,
  categories: Type.Array(CategoryShare),
  suggestions: Type.Array(Suggestion, { description: 'at most five, largest saving first' }),
});

export const WasteSchema = Type.Object({
  data: Type.Object({
    ...totals,
    workflows: Type.Array(WorkflowWaste, {
      description: 'one page, most waste (of the requested category) first',
    }),
  }),
  pagination: Pagination,
});

const WeekStart = Type.Optional(
  words(weekStarts, { description: 'the first day of weeks; `monday` if left out' }),
);

export const fixSample = 'wf_e18db5f418965475a75a.superseded';

const compareField = (description: string) => defaulted(words(comparisons, { description }), 'none' as const);

export const FixesQuery = Type.Object({
  ...PageQuery.properties,
  ...rangeFields,
  ...scopeFields,
  compare: compareField(`for \`previous\`; ${comparedText}`),
  week_start: WeekStart,
  category: Type.Optional(words(fixKinds, { description: 'only fixes of this category' })),
  status: Type.Optional(words(statuses, { description: 'only these; by default all, open ones first' })),
});

const decided = ['done', 'dismissed'] as const;

export const DecisionSchema = Type.Object({
  status: words(decided),
  reason: nullableText('Each commit of main must be tested'),
  author: sampleText('Mona'),
  decided_at: Timestamp,
});

const Span = Type.Object({
  start: CalendarDay,
  end: CalendarDay,
  cost: usdOf('of the category'),
  workflow_cost: usdOf('of the whole workflow'),
});

const OutcomeSchema = Type.Object(
  {
    promised_per_month: Type.Unsafe<DecimalNumber | null>({
      ...usdOf('what it would have saved when it was marked as done; null if that was not recorded'),
      type: ['number', 'null'],
    }),
    state: words(['too_early', 'no_history', 'too_many_jobs', 'compared'] as const, {
      description:
        '`too_early`: known on `known_on`. `no_history`: nothing was recorded in the week before the change. ' +
        '`too_many_jobs`: more than can be read at once.',
    }),
    sentence: sampleText('$12.40 a week before, $0.80 since: saved $11.60 a week.'),
    known_on: nullable(CalendarDay),
    weeks: nullable(Type.Integer({ description: 'whole weeks compared, at most four' })),
    before: nullable(Span),
    since: nullable(Span),
    saved_per_week: Type.Unsafe<DecimalNumber | null>({
      ...usdOf('to the cent; negative if it costs more'),
      type: ['number', 'null'],
    }),
    saved_per_month: Type.Unsafe<DecimalNumber | null>({
      ...usdOf('in 30 days like the compared ones, to the cent'),
      type: ['number', 'null'],
    }),
  },
  {
    description:
      'compares the days after it was marked as done with as many days before; null for other fixes',
  },
);

const EvidenceSchema = Type.Object(
  {
    runs: Type.Integer({ description: 'runs that nobody needs' }),
    of_runs: Type.Integer({ description: 'all runs on these events' }),
    events: Type.Array(sampleText('schedule')),
    every: nullableText('week', 'how often a schedule is enough: `day` or `week`; null for other fixes'),
    duplicate_of: nullable(
      Type.Object({ workflow_id: sampleText('wf_9a4703406aac040643d3'), workflow: sampleText('CI') }),
    ),
    pull_requests: nullable(
      Type.Integer({ description: 'how many change documentation only; null for other fixes' }),
    ),
    newest: Type.Array(
      Type.Object({
        id: sampleText('run_4e8a2c6f0b1d9735e6c4'),
        number: nullable(Type.Integer({ examples: [1284] })),
        pull_request: nullable(Type.Integer({ examples: [482] })),
        branch: nullableText('main'),
        conclusion: nullableText('success'),
        created_at: Timestamp,
        cost: Usd,
      }),
      { description: 'at most five of the runs' },
    ),
  },
  { description: 'of runs that nobody needs; null for waste, whose runs `GET /waste/runs` lists' },
);

const FixSchema = Type.Object({
  id: sampleText(fixSample, "the workflow's id, a dot and the category"),
  workflow_id: sampleText('wf_e18db5f418965475a75a'),
  workflow: sampleText('Build'),
  repository: sampleText('acme/api'),
  category: FixCategory,
  status: words(statuses),
  cost: usdOf('of the category in the period; not all of it can be saved'),
  saving: usdOf('at most, in the period'),
  saving_per_month: usdOf('at most, in 30 days like those of the period that are not marked unusual'),
  left_out_days: Type.Array(CalendarDay, {
    description: 'days marked unusual for the workflow, which `saving_per_month` leaves out, oldest first',
  }),
  suggestions: Type.Array(Suggestion, { description: 'largest saving first; none if nothing is left' }),
  evidence: nullable(EvidenceSchema),
  decision: nullable(DecisionSchema),
  outcome: nullable(OutcomeSchema),
});

export const FixesSchema = Type.Object({
  data: Type.Object({
    ...totals,
    previous: nullable(
      Type.Object(
        { period: WastePeriod, total_cost: Usd, waste_cost: Usd, categories: Type.Array(CategoryCost) },
        { description: 'of the days compared with; null without `compare`, and with very many jobs' },
      ),
    ),
    saving_per_month: usdOf('of all open fixes, at most; no dollar is in two of them'),
    left_out_days: Type.Array(CalendarDay, {
      description: 'days marked unusual for some workflow, which its fixes leave out, oldest first',
    }),
    past_savings: nullable(
      Type.Object(
        {
          fixes: Type.Integer(),
          promised_per_month: usdOf('when they were marked as done'),
          saved_per_month: usdOf('since then, no dollar twice; negative if they cost more'),
        },
        { description: 'of all done fixes whose promise was recorded and whose costs can be compared' },
      ),
    ),
    counts: Type.Object({ open: Type.Integer(), done: Type.Integer(), dismissed: Type.Integer() }),
    fixes: Type.Array(FixSchema, {
      description: 'one page: open ones by what they save, then the latest decisions',
    }),
  }),
  pagination: Pagination,
});

export const DecisionBody = Type.Object(
  {
    status: words(decided, { description: '`done`: somebody changed the workflow. `dismissed`: it stays' }),
    reason: Type.Optional(
      nullable(
        nameOf({
          maxLength: 500,
          description: 'required to dismiss',
          examples: ['Each commit of main must be tested'],
        }),
      ),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ status: 'dismissed', reason: 'Each commit of main must be tested' }],
  },
);

export const TrendQuery = Type.Object({
  weeks: defaulted(Type.Integer({ minimum: 1, maximum: 12, description: 'this week and those before' }), 12),
  week_start: WeekStart,
  compare: compareField(
    '`previous_period`: as many weeks right before. `previous_year`: 52 weeks before, so the same weekdays',
  ),
  ...scopeFields,
});

export const TrendSchema = Type.Object({
  period: WastePeriod,
  weeks: Type.Array(
    Type.Object({
      start: CalendarDay,
      end: CalendarDay,
      cost: Usd,
      waste_cost: Usd,
      previous_waste_cost: Type.Unsafe<DecimalNumber | null>({
        ...usdOf(
          'of as many days of the compared week; null without `compare`, where nothing ran, and with very many jobs',
        ),
        type: ['number', 'null'],
      }),
      categories: Type.Array(CategoryCost),
    }),
    { description: 'oldest first; shorter than a week at either end of the period' },
  ),
});

export const RunsQuery = Type.Object({
  workflow_id: Type.String({ maxLength: 100, examples: ['wf_e18db5f418965475a75a'] }),
  category: words(categories),
  ...rangeFields,
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 100 }), 5),
});

export const RunsSchema = Type.Object({
  period: WastePeriod,
  runs: Type.Array(
    Type.Object({
      id: sampleText('run_4e8a2c6f0b1d9735e6c4'),
      number: nullable(Type.Integer({ examples: [1284] })),
      branch: nullableText('main'),
      conclusion: nullableText('failure'),
      created_at: Timestamp,
      cost: usdOf('of the category'),
      minutes: Minutes,
      jobs: Type.Integer(),
      waited_minutes: amountFields.waited_minutes,
    }),
    { description: 'most waste of the category first' },
  ),
});
