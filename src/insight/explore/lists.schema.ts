import { Type, type TSchema } from 'typebox';
import { actorKindText } from '../../ledger/actors/actorPattern.ts';
import { durationSorts } from '../../ledger/costs/durations.ts';
import { listSorts, runSorts } from '../../ledger/costs/listing.ts';
import {
  defaulted,
  nullable,
  nullableText,
  NullableTimestamp,
  Period,
  sampleText,
  Timestamp,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import { filters, GroupBy, GroupValues, Ownership, windowQuery } from './schema.ts';

const exampleCursor =
  'WyJydW5zIiwiLXN0YXJ0IiwiZmlsdGVyc19mZDc1MWIyOTljYjY0NTI0OWY3NyIsMTc3MzgyODAwMDAwMCwxNzczODI4MDAwMDAwLCJydW5fZ2l0aHViXzcwMDAwMDAwMDEiXQ';

const sortedBy = <Sort extends string>(sorts: readonly Sort[]) =>
  defaulted(
    words(sorts, { description: '`-` sorts downwards. Rows without a start or a duration are last' }),
    '-start' as Sort,
  );

const listQuery = {
  ...windowQuery,
  ownership: Ownership,
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 1_000, description: 'rows of a page' }), 50),
  cursor: Type.Optional(
    Type.String({
      maxLength: 4_000,
      description: '`next_cursor` of the page before, with the same `sort`, filters and `ownership`',
      examples: [exampleCursor],
    }),
  ),
};

export const ListedJobsQuery = Type.Object({ ...listQuery, sort: sortedBy(listSorts), ...filters });

/** A run can have several of these. */
const { job: _job, runner: _runner, runner_group: _group, label: _label, ...runFilters } = filters;

export const ListedRunsQuery = Type.Object({ ...listQuery, sort: sortedBy(runSorts), ...runFilters });

const seconds = (description: string) => nullable(Type.Number({ description, examples: [272.5] }));

const ofRun = {
  repo_name: sampleText('acme/api', 'owner/name'),
  workflow_id: sampleText('wf_e18db5f418965475a75a'),
  workflow_name: sampleText('Build'),
  provider: sampleText('github'),
  event: nullableText('push'),
  branch: nullableText('main'),
  actor: nullableText('mona', 'who triggered the attempt; of a run, its latest'),
  actor_kind: nullableText('person', actorKindText),
  started_by: nullableText('mona', 'who started the run'),
  pull_request: nullable(Type.Integer({ examples: [42] })),
  conclusion: nullableText('success', "the run's; null until it has ended"),
};

const figures = {
  billed_minutes: Type.Integer(),
  cost: Usd,
  url: nullableText(
    'https://github.com/acme/api/actions/runs/7000000001',
    'page of the run at the provider; null if unknown',
  ),
};

function listOf<T extends TSchema>(row: T) {
  return Type.Object({
    data: Type.Array(row),
    pagination: Type.Object({
      limit: Type.Integer(),
      next_cursor: nullableText(exampleCursor, 'null on the last page'),
    }),
    period: Period,
  });
}

export const ListedRuns = listOf(
  Type.Object({
    id: sampleText('run_github_7000000001'),
    run_number: nullable(
      Type.Integer({
        description: "the provider's number within the workflow; null if unknown",
        examples: [1204],
      }),
    ),
    commit: nullableText('8f3b2c1d9e0a4b7c6d5e4f3a2b1c0d9e8f7a6b5c', 'the revision; null if unknown'),
    ...ofRun,
    status: words(['queued', 'in_progress', 'completed']),
    attempt: Type.Integer({ description: 'the latest attempt' }),
    job_count: Type.Integer({ description: 'all jobs of all attempts' }),
    created_at: Timestamp,
    started_at: NullableTimestamp,
    completed_at: NullableTimestamp,
    duration_seconds: seconds('of the latest attempt; null until it has ended, and for a skipped run'),
    queue_seconds: seconds(
      'from the creation of the run until its first job that did not wait for an approval started; null if unknown',
    ),
    ...figures,
  }),
);

export const ListedJobs = listOf(
  Type.Object({
    run_id: sampleText('run_github_7000000001'),
    attempt: Type.Integer(),
    job_id: sampleText('9000000001'),
    name: nullableText('test'),
    ...ofRun,
    raw_conclusion: nullableText('success', "the provider's word for the job"),
    labels: Type.Array(sampleText('ubuntu-latest')),
    runner_name: nullableText('GitHub Actions 5'),
    runner_group: nullableText('GitHub Actions'),
    runner_kind: nullableText('linux_2_core', 'null: no rule matched'),
    created_at: NullableTimestamp,
    started_at: NullableTimestamp,
    completed_at: Timestamp,
    duration_seconds: seconds('null for a job that was skipped or that no runner took'),
    queue_seconds: seconds(
      'from the creation of the job until it started; null if unknown, or if it waited for an approval',
    ),
    ...figures,
  }),
);

export const DurationsQuery = Type.Object({
  ...windowQuery,
  of: defaulted(
    words(['jobs', 'runs'], { description: '`runs` has no job, runner, group or label' }),
    'jobs' as const,
  ),
  group_by: defaulted(GroupBy, ''),
  ownership: Ownership,
  sort: defaulted(words(durationSorts, { description: '`-` sorts downwards' }), '-total_minutes' as const),
  limit: defaulted(Type.Integer({ minimum: 1, maximum: 1_000, description: 'groups' }), 20),
  ...filters,
});

const times = {
  count: Type.Integer({ description: 'jobs or runs that started and ended' }),
  duration_p50_seconds: seconds('the median duration'),
  duration_p95_seconds: seconds('95% took this long or less'),
  queue_p50_seconds: seconds(
    'the median wait for a runner, without jobs that waited for an approval; null if no wait is known',
  ),
  queue_p95_seconds: seconds('95% waited this long or less'),
  total_minutes: Type.Number({
    description: 'their durations together, in minutes to two decimals',
    examples: [1_204.25],
  }),
};

export const DurationsSchema = Type.Object({
  period: Period,
  of: words(['jobs', 'runs']),
  group_by: Type.Array(GroupValues.items.properties.dimension),
  total: Type.Object(times),
  groups: Type.Array(Type.Object({ by: GroupValues, ...times })),
  group_count: Type.Integer({ description: 'includes the groups beyond `limit`' }),
});
