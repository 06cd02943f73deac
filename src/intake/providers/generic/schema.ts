import { Type } from 'typebox';
import { conclusionWords } from '../../../ledger/runs/report.ts';
import { nameOf, noControls, responses, TimestampInput, words } from '../../../platform/http/schemas.ts';
import { reportedText } from '../../../platform/lib/text.ts';
import { statusWords } from './submitRuns.ts';

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
          'what the job asked of its runner. Without labels and `runner`, the minutes of a job that was not skipped ' +
          'have no price, and the job has the flag `missing_labels`',
      }),
    ),
    runner: Type.Optional(text(255, 'in place of labels: one label, or a runner kind such as linux_4_core')),
    runner_group: Type.Optional(text(255)),
    status: Type.Optional(words(statusWords, { description: 'told by conclusion and times where left out' })),
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
        description: 'lower-case name of the CI system; `api` by default',
      }),
    ),
    run_id: nameOf({
      maxLength: 200,
      description: 'unique at its provider over all repositories; the same for all attempts',
    }),
    run_attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    workflow_name: nameOf({ maxLength: 255 }),
    repo_name: Type.String({
      maxLength: 255,
      ...noControls,
      pattern: '^[^/\\s]+(/[^/\\s]+)+$',
      description: 'owner/name',
    }),
    status: words(statusWords),
    conclusion: Type.Optional(
      words(conclusionWords, {
        description: 'in upper or lower case; required once the status is completed',
      }),
    ),
    event: Type.Optional(text(255)),
    branch: Type.Optional(text(1024)),
    actor: Type.Optional(text(255)),
    created_at: TimestampInput,
    started_at: Type.Optional(TimestampInput),
    completed_at: Type.Optional(TimestampInput),
    jobs: Type.Optional(Type.Array(SubmittedJob, { maxItems: 1_000 })),
  },
  strict,
);

export const SubmittedRunsBody = Type.Object(
  { runs: Type.Array(SubmittedRunSchema, { minItems: 1, maxItems: 1_000 }) },
  strict,
);

/** What is checked of the body as a whole; each run is checked on its own, so that one cannot spoil the others. */
export const SubmittedRunsEnvelope = Type.Object(
  { runs: Type.Array(Type.Unknown(), { minItems: 1, maxItems: 1_000 }) },
  strict,
);

const FieldErrorSchema = Type.Object({ path: Type.String(), message: Type.String() });

const RunError = Type.Object({
  code: Type.String(),
  detail: Type.String(),
  errors: Type.Array(FieldErrorSchema),
});
const Place = Type.Integer({ description: 'position in `runs`' });

const SubmissionResult = Type.Object({
  accepted: Type.Integer({ description: 'how many runs were recorded' }),
  rejected: Type.Integer({ description: 'how many were not' }),
  results: Type.Array(
    Type.Object({
      index: Place,
      id: Type.Optional(Type.String({ description: "the run's id here" })),
      error: Type.Optional(RunError),
    }),
    { description: 'all runs, in their order' },
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
        description: 'the runs that were not recorded, and why',
      }),
    },
    { description: 'Some runs are recorded; `rejected` names the others' },
  ),
};
