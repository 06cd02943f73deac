import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nullable,
  nullableObject,
  nullableText,
  PageQuery,
  Pagination,
  Period,
  sampleText,
  Usd,
  usdOf,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';
import { states } from './decide.ts';
import { minRuns } from './speed.ts';
import { obstacles } from './trials.ts';

export const MovesQuery = Type.Object({
  ...PageQuery.properties,
  days: defaulted(
    Type.Integer({
      minimum: 1,
      description: "today and the days before it; at most 90, cut to the plan's history",
    }),
    30,
  ),
  workflow_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'only this workflow', examples: ['wf_e18db5f418965475a75a'] }),
  ),
  repo: Type.Optional(
    Type.String({
      maxLength: 255,
      description: '`owner/name` or the bare name, in any case',
      examples: ['acme/api'],
    }),
  ),
  state: Type.Optional(words(states, { description: 'only these moves' })),
});

const nullableUsd = (description: string) =>
  Type.Unsafe<DecimalNumber | null>({ ...usdOf(description), type: ['number', 'null'] });

const RunnerSchema = Type.Object({
  runner: sampleText('linux_4_core', 'a runner kind, or kind and labels where a kind has many machines'),
  title: sampleText('Linux 4-core'),
  usd_per_minute: nullableUsd('list price on the last day of the period; null if we know none'),
  price_source: words(['price_list', 'shadow_rate', 'hint'] as const, {
    description:
      '`price_list`: your price list with your rules. `shadow_rate`: your own rate for machines at $0. ' +
      "`hint`: a company's price as we read it, see `price_note`",
  }),
  price_note: nullableText('https://docs.blacksmith.sh/github-actions-runners/pricing, read on 2026-11-28'),
});

const Speed = nullableObject(
  Type.Object({
    factor: Type.Number({ description: 'times as long there', examples: [1.62] }),
    low: Type.Number({ examples: [1.51] }),
    high: Type.Number({ examples: [1.74] }),
    runs_before: Type.Integer({ description: 'successful jobs that were compared' }),
    runs_after: Type.Integer(),
  }),
  'with a 90% range; null for a trial',
);

const amounts = {
  minutes: Type.Number({ description: 'billed by started minutes now' }),
  cost_now: Usd,
  cost_then: nullableUsd('at the measured speed; null for a trial'),
};

const JobSchema = Type.Object({
  workflow_id: sampleText('wf_e18db5f418965475a75a'),
  workflow: sampleText('CI'),
  repository: sampleText('acme/api'),
  job: sampleText('test (22)'),
  ...amounts,
  speed: Speed,
});

const MoveSchema = Type.Object({
  state: words(states, {
    description:
      '`move`: saves at least 10%, even at the high end of the range. `uncertain`: saves if the measured speed holds. ' +
      '`trial`: nobody has measured it. `covered`: included minutes or discounts already pay it. `stay`: does not pay',
  }),
  from: RunnerSchema,
  to: RunnerSchema,
  text: sampleText('Move 3 jobs from Linux 4-core to Linux 2-core: saves $41.20 of $120.00 a month.'),
  ...amounts,
  cost_then_low: nullableUsd('at the low end of the range'),
  cost_then_high: nullableUsd('at the high end of the range'),
  saving_per_month: usdOf('0 unless `move`; never more than what you pay'),
  break_even: nullable(
    Type.Number({
      description: 'it saves if jobs take at most so many times as long; null if any time does',
      examples: [1.9],
    }),
  ),
  speed: Speed,
  job_count: Type.Integer(),
  jobs: Type.Array(JobSchema, { description: 'the most expensive first, at most 20' }),
});

export const MovesSchema = Type.Object({
  data: Type.Object({
    period: Type.Object(Period.properties, {
      description:
        "Shorter than asked for beyond the plan's history, before the first recorded day, and with very many jobs.",
    }),
    left_out_days: Type.Array(CalendarDay, {
      description: 'days marked unusual for some workflow, which its amounts leave out',
    }),
    saving_per_month: usdOf('of all moves that are advised; no dollar is in two of them'),
    assumptions: Type.Array(sampleText('Amounts are list prices (GitHub price list) for 30 days.')),
    moves: Type.Array(MoveSchema, {
      description: 'one page: advised ones by saving, then others by what they cost',
    }),
    must_stay: Type.Array(
      Type.Object({
        from: RunnerSchema,
        to: nullableObject(RunnerSchema, 'the runner that would be cheaper; null if there is none'),
        reason: words(obstacles),
        text: sampleText('2 jobs ($80.00 a month) must stay on macOS 12-core (larger runner).'),
        cost_now: Usd,
        job_count: Type.Integer(),
        jobs: Type.Array(JobSchema, { description: 'the most expensive first, at most 20' }),
      }),
    ),
  }),
  pagination: Pagination,
});

export const movesDescription =
  `Compares the durations of jobs that passed at least ${minRuns} times on each of two runners, and says what a month costs on ` +
  'both, rounded job by job. Runners that nobody measured are trials: they have no speed and count in no saving.';
