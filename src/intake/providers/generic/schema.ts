import { Type, type Static } from 'typebox';
import { conclusionWords } from '../../../ledger/runs/report.ts';
import { ReportedAmounts } from '../../../platform/http/amounts.ts';
import {
  FieldErrorSchema,
  nameOf,
  noControls,
  responses,
  sampleText,
  TimestampInput,
  words,
} from '../../../platform/http/schemas.ts';
import { reportedText, revisionName } from '../../../platform/lib/text.ts';
import { maxStorableNumber } from '../payload.schema.ts';

const statusWords = ['queued', 'in_progress', 'completed', 'requested', 'waiting', 'pending'] as const;

const text = (maxLength: number, description?: string) =>
  Type.String({ minLength: 1, maxLength, pattern: reportedText, ...(description ? { description } : {}) });
const strict = { additionalProperties: false };

const SubmittedJob = Type.Object(
  {
    job_id: nameOf({ maxLength: 200 }),
    name: Type.Optional(text(1024)),
    labels: Type.Optional(
      Type.Array(text(255), {
        maxItems: 100,
        description:
          'what the job asked for. Without labels and `runner`, a job that was not skipped is unpriced ' +
          'and has the flag `missing_labels`',
      }),
    ),
    runner: Type.Optional(text(255, 'instead of labels: one label, or a runner kind such as linux_4_core')),
    runner_group: Type.Optional(text(255)),
    status: Type.Optional(
      words(statusWords, { description: 'derived from conclusion and times by default' }),
    ),
    conclusion: Type.Optional(words(conclusionWords, { description: 'in upper or lower case' })),
    started_at: Type.Optional(TimestampInput),
    completed_at: Type.Optional(TimestampInput),
  },
  strict,
);

export const SubmittedRunSchema = Type.Object(
  {
    provider: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9-]{0,31}$',
        description: 'lower-case name of the provider; `api` by default',
      }),
    ),
    run_id: nameOf({
      maxLength: 200,
      description: 'unique at its provider across all repositories; the same for all attempts',
    }),
    run_attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    workflow_name: nameOf({ maxLength: 255 }),
    repo_name: Type.String({
      maxLength: 255,
      ...noControls,
      // Bounded, because unbounded repetitions overflow the stack on longer texts.
      pattern: '^[^/\\s]{1,255}(/[^/\\s]{1,255}){1,127}$',
      description: 'owner/name',
    }),
    status: words(statusWords),
    conclusion: Type.Optional(
      words(conclusionWords, {
        description: 'in upper or lower case; required if the status is completed',
      }),
    ),
    event: Type.Optional(text(255)),
    branch: Type.Optional(text(1024)),
    actor: Type.Optional(text(255, 'who triggered this attempt')),
    started_by: Type.Optional(
      text(255, 'who started the run; by default who triggered its first attempt, if that is submitted'),
    ),
    pull_request: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxStorableNumber,
        description: 'number of the pull request in this repository',
        examples: [42],
      }),
    ),
    run_number: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxStorableNumber,
        description: 'what your CI system calls the run, if it numbers them',
        examples: [482],
      }),
    ),
    commit: Type.Optional(
      Type.String({
        pattern: revisionName,
        description: 'hash or name of the revision, without spaces',
        examples: ['8f3b2c1d9e0a4b7c6d5e4f3a2b1c0d9e8f7a6b5c'],
      }),
    ),
    created_at: TimestampInput,
    started_at: Type.Optional(TimestampInput),
    completed_at: Type.Optional(TimestampInput),
    jobs: Type.Optional(Type.Array(SubmittedJob, { maxItems: 1_000 })),
    amounts: Type.Optional(ReportedAmounts),
  },
  strict,
);

export type SubmittedRun = Static<typeof SubmittedRunSchema>;

const exampleRun = {
  provider: 'jenkins',
  run_id: 'acme-api-482',
  workflow_name: 'Build',
  repo_name: 'acme/api',
  status: 'completed',
  conclusion: 'success',
  event: 'push',
  branch: 'main',
  actor: 'mona',
  created_at: '2026-03-17T10:00:00Z',
  started_at: '2026-03-17T10:00:05Z',
  completed_at: '2026-03-17T10:06:12Z',
  jobs: [
    {
      job_id: 'test',
      name: 'Test',
      runner: 'linux_4_core',
      conclusion: 'success',
      started_at: '2026-03-17T10:00:10Z',
      completed_at: '2026-03-17T10:06:10Z',
    },
  ],
};

export const SubmittedRunsBody = Type.Object(
  { runs: Type.Array(SubmittedRunSchema, { minItems: 1, maxItems: 1_000 }) },
  { ...strict, examples: [{ runs: [exampleRun] }] },
);

/** Each run is checked on its own, so that one invalid run does not reject the others. */
export const SubmittedRunsEnvelope = Type.Object(
  { runs: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }) },
  strict,
);

const RunError = Type.Object({
  code: sampleText('invalid_request'),
  detail: sampleText('runs[0].jobs[0].started_at must be an instant'),
  errors: Type.Array(FieldErrorSchema),
});
const Place = Type.Integer({ description: 'position in `runs`' });

const SubmissionResult = Type.Object({
  accepted: Type.Integer({ description: 'number of recorded runs' }),
  rejected: Type.Integer({ description: 'number of rejected runs' }),
  results: Type.Array(
    Type.Object({
      index: Place,
      id: Type.Optional(sampleText('run_jenkins_4711', 'the id of the run in Runcost')),
      error: Type.Optional(RunError),
    }),
    { description: 'all runs, in the order of the request' },
  ),
});

export const submissionResponses = {
  ...responses(
    200,
    Type.Object({ data: SubmissionResult }, { description: 'All runs are recorded' }),
    [413, 415],
  ),
  207: Type.Object(
    {
      data: SubmissionResult,
      rejected: Type.Array(Type.Object({ index: Place, error: RunError }), {
        minItems: 1,
        description: 'the rejected runs, and why',
      }),
    },
    { description: 'Some runs are recorded; `rejected` lists the others' },
  ),
};
