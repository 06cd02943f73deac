import { Type, type Static } from 'typebox';
import { Amounts, CostWithAmounts, ReportedAmounts } from '../../platform/http/amounts.ts';
import {
  CalendarDay,
  defaulted,
  nullable,
  nullableText,
  NullableTimestamp,
  pageOf,
  PageQuery,
  Pagination,
  Period,
  RunNumber,
  sampleText,
  Timestamp,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import { reportedText } from '../../platform/lib/text.ts';
import { actorKindText } from '../actors/actorPattern.ts';
import { maxReportsPerRun } from './amounts.ts';

const statuses = ['queued', 'in_progress', 'completed'] as const;
const conclusions = ['success', 'failure', 'cancelled', 'skipped'] as const;

const Status = words(statuses);
const Conclusion = Type.Unsafe<(typeof conclusions)[number] | null>({
  type: ['string', 'null'],
  enum: [...conclusions, null],
});
const flags = ['guessed_runner', 'missing_labels', 'negative_duration', 'over_time_limit'] as const;
const dayOf = (description: string) => Type.Optional(Type.Unsafe<string>({ ...CalendarDay, description }));
const whose = (maxLength: number, description: string, example: string) =>
  Type.Optional(Type.String({ maxLength, description, examples: [example] }));

const runFields = {
  id: Type.String({ examples: ['run_github_7000000001'] }),
  status: Status,
  conclusion: Conclusion,
  event: nullableText('push'),
  branch: nullableText('main'),
  actor: nullableText('mona', 'who triggered the latest attempt'),
  actor_kind: nullableText('person', actorKindText),
  started_by: nullableText('mona', 'who started the run'),
  pull_request: nullable(
    Type.Integer({
      description: 'its number; null without one, or if the provider does not send it',
      examples: [42],
    }),
  ),
  run_number: RunNumber,
  commit: nullableText('8f3b2c1d9e0a4b7c6d5e4f3a2b1c0d9e8f7a6b5c', 'the revision; null if unknown'),
  attempt: Type.Integer({ description: 'the latest attempt' }),
  created_at: Timestamp,
  started_at: NullableTimestamp,
  completed_at: NullableTimestamp,
  duration_seconds: Type.Integer({ description: 'of the latest attempt' }),
  cost: Usd,
};

export const RunsQuery = Type.Object({
  ...PageQuery.properties,
  days: defaulted(
    Type.Integer({ minimum: 1, description: 'the last days up to today; limited by your plan' }),
    30,
  ),
  workflow_id: whose(100, 'runs of this workflow', 'wf_e18db5f418965475a75a'),
  repo: whose(255, '`owner/name` or the bare name, in any case', 'acme/api'),
  branch: whose(1024, 'the exact name', 'main'),
  status: Type.Optional(words(statuses)),
  conclusion: Type.Optional(words(conclusions)),
  created_on: dayOf('runs created on this day (UTC); replaces `days`'),
  completed_on: dayOf(
    'runs with a paid job that completed on this day (UTC), the day its cost counts on; replaces `days`',
  ),
  flag: Type.Optional(
    words([...flags, 'incomplete'] as const, {
      description:
        'runs with a job that completed in the period and has this flag: its cost needs a second look; or ' +
        '`incomplete`: runs created before yesterday (UTC) and not reported as completed, unless they wait for an ' +
        'approval',
    }),
  ),
});

export const RunsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      ...runFields,
      workflow_id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
      workflow_name: Type.String({ examples: ['Build'] }),
      repo_name: Type.String({ description: 'owner/name', examples: ['acme/api'] }),
    }),
  ),
  pagination: Pagination,
  period: Type.Object(Period.properties, {
    description:
      'The days of creation that were searched; with `completed_on` or a flag the days of the jobs. A search by `status`, ' +
      '`conclusion`, `branch` or `flag` covers fewer days than requested if there are very many runs.',
  }),
});

const Receipt = Type.Object(
  {
    seconds: Type.Number({
      description: 'from start to completion, to the millisecond; 0 until known',
    }),
    billed_minutes: Type.Integer(),
    is_cut: Type.Boolean({
      description:
        "took longer than its provider lets jobs run: billed only up to the provider's time limit plus 10 minutes",
    }),
    runner_kind: nullableText('linux_2_core', 'null if no rule matched'),
    runner_title: nullableText('Linux 2-core', 'the name of the kind'),
    runner_rule: sampleText('ubuntu', 'the rule that decided the runner kind'),
    runner_rule_text: sampleText(
      "The label ubuntu-latest is GitHub's standard runner, Linux 2-core.",
      'the rule in a sentence',
    ),
    price_per_minute: Usd,
    rounding: words(['minute', 'second'], { description: 'unit to which time was rounded up' }),
    credits: nullable(
      Type.Integer({
        description:
          'if the provider bills in credits: seconds rounded up, then credits, for each parallel run',
      }),
    ),
    parallelism: Type.Integer({ description: 'how many equal runners the job had at once; all are billed' }),
    price_book: Type.Unsafe<{ name: string; row: string } | null>({
      type: ['object', 'null'],
      properties: { name: sampleText('GitHub, by the date of each job'), row: sampleText('linux_2_core') },
      required: ['name', 'row'],
      description: 'the price list with this price; null if there is none',
    }),
    cost: Usd,
    is_carried_over: Type.Boolean({ description: 'copied from an earlier attempt, which pays for it' }),
    is_unpriced: Type.Boolean({ description: 'has minutes but no price' }),
    sentence: sampleText(
      '272 s round up to 5 minutes of Linux 2-core at $0.008: $0.04',
      'the calculation from seconds to dollars',
    ),
  },
  { description: 'How the cost was calculated' },
);

export const RunDetail = Type.Object({
  ...runFields,
  workflow: Type.Object({
    id: Type.String({ examples: ['wf_e18db5f418965475a75a'] }),
    name: Type.String({ examples: ['Build'] }),
  }),
  repository: Type.String({ description: 'owner/name', examples: ['acme/api'] }),
  raw_conclusion: nullableText('success', "the provider's word"),
  url: nullableText(
    'https://github.com/acme/api/actions/runs/7000000001',
    'page at the provider; null if unknown',
  ),
  pages: Type.Object(
    {
      repository: nullableText('https://github.com/acme/api'),
      branch: nullableText('https://github.com/acme/api/tree/main'),
      commit: nullableText('https://github.com/acme/api/commit/8f3b2c1d9e0a4b7c6d5e4f3a2b1c0d9e8f7a6b5c'),
      pull_request: nullableText('https://github.com/acme/api/pull/42'),
    },
    { description: 'other pages at the provider; null if unknown' },
  ),
  amounts: Amounts,
  cost_with_amounts: CostWithAmounts,
  job_count: Type.Integer({ description: 'all jobs of all attempts; `jobs` holds the first 2,000' }),
  jobs: Type.Array(
    Type.Object({
      job_id: Type.String({ examples: ['9000000001'] }),
      name: nullableText('test'),
      attempt: Type.Integer(),
      actor: nullableText('mona', 'who triggered its attempt'),
      actor_kind: nullableText('person', actorKindText),
      status: Status,
      raw_conclusion: nullableText('success'),
      labels: Type.Array(sampleText('ubuntu-latest')),
      runner_name: nullableText('GitHub Actions 5'),
      runner_group: nullableText('GitHub Actions'),
      created_at: NullableTimestamp,
      started_at: NullableTimestamp,
      completed_at: NullableTimestamp,
      awaited_approval: Type.Boolean({
        description: 'a report said that it waits for an approval, so its age at the start is not queue time',
      }),
      flags: Type.Array(sampleText('guessed_runner'), { description: 'reasons to check the cost' }),
      receipt: Receipt,
    }),
    { description: 'by attempt, then by start' },
  ),
});

const Priceable = Type.Object({
  runners: Type.Integer(),
  jobs: Type.Integer(),
  minutes: Type.Integer(),
  estimated_cost: usdOf('what these minutes would cost'),
  from: CalendarDay,
  to: CalendarDay,
});

const UnpricedRunner = Type.Object({
  labels: Type.Array(sampleText('gpu-large'), { description: 'lower-case, sorted' }),
  runner_group: nullableText('GPU runners'),
  has_new_label: Type.Boolean({
    description:
      "the provider's own runners took its jobs, so the label is newer than this version of Runcost: update it, or set a price",
  }),
  jobs: Type.Integer(),
  minutes: Type.Integer({ description: 'rounded up per job, like billed minutes' }),
  last_seen: CalendarDay,
  runner_kind: nullableText('linux_16_core', "by today's rules and lists"),
  explanation: nullableText(
    'Runner gpu-large is a 16-core Linux x64 larger runner, as GitHub listed it on 2026-03-01.',
    'what a rule or a list says of it today; null for nothing',
  ),
  estimated_cost: Type.Unsafe<ReturnType<typeof JSON.rawJSON> | null>({
    ...Usd,
    type: ['number', 'null'],
    description: 'of its minutes, at the price it has today; null without a price',
  }),
});

export const UnpricedRunners = Type.Object({
  ...pageOf(UnpricedRunner).properties,
  priceable: Type.Unsafe<Static<typeof Priceable> | null>({
    ...Priceable,
    type: ['object', 'null'],
    description:
      'runners of all pages that now have a price: `POST /reprices` with `unpriced_only` applies it',
  }),
});

const choiceText = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }));
const day = (description: string) => Type.Optional(Type.Unsafe<string>({ ...CalendarDay, description }));

export const RunChoiceBody = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 300 }), { minItems: 1, maxItems: 500 }),
    ),
    provider: choiceText(64, 'such as `github`, or any other reported provider'),
    repo: choiceText(255, '`owner/name` or the bare name, in any case'),
    workflow_id: choiceText(100, 'runs of this workflow'),
    from: day('runs created on this UTC day or later'),
    to: day('runs created on this UTC day or before'),
    dry_run: Type.Optional(Type.Boolean({ description: 'only counts the runs' })),
  },
  {
    additionalProperties: false,
    examples: [{ repo: 'acme/api', from: '2026-03-01', to: '2026-03-17', dry_run: true }],
  },
);

export const DeletedRunsSchema = Type.Object({
  runs: Type.Integer(),
  jobs: Type.Integer(),
  cost: usdOf('their cost in US dollars'),
  has_more: Type.Boolean({ description: 'whether the same request would delete more' }),
  unknown_ids: Type.Array(sampleText('run_5c1f0a9e7b3d4826f1a0'), {
    description: 'those of `ids` that were not recorded, or were deleted before',
  }),
});

export const AmountsBody = Type.Object(
  {
    amounts: ReportedAmounts,
    run_attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, description: '1 by default' })),
    key: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: reportedText,
        description:
          'what reports, such as the name of a job: a report replaces the one of the same attempt and key, and others add to ' +
          `it, up to ${maxReportsPerRun} of a run`,
        examples: ['review'],
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [{ amounts: [{ product: 'ai_credits', cost: 1.2, unit: 'credits', quantity: 120 }] }],
  },
);
