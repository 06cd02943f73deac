import { Type } from 'typebox';
import type { Static, TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { PublicError } from '../lib/errors.ts';
import type { FieldError } from '../lib/errors.ts';
import { isStorable } from '../lib/storable.ts';

const maximumTextLength = 1_024;
const maximumLabels = 100;
const maximumLabelLength = 255;
/** Attempts are stored in 32 bits. */
const maximumAttempt = 2_147_483_647;

/** Absent, null or `schema`; one error for a wrong type, where a union would give three. Drops `Type.Refine`. */
function maybe<T extends TSchema & { type: string }>(schema: T) {
  return Type.Optional(Type.Unsafe<Static<T> | null>({ ...schema, type: [schema.type, 'null'] }));
}

function storable<T extends TSchema>(schema: T) {
  return Type.Refine(
    schema,
    (value) => typeof value !== 'string' || isStorable(value),
    () => 'must contain neither U+0000 nor half of a surrogate pair',
  );
}

const Text = storable(Type.String({ maxLength: maximumTextLength }));
const MaybeText = Type.Optional(
  storable(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: maximumTextLength })),
);
const RepositoryName = Type.Refine(
  Text,
  (value) => typeof value !== 'string' || /^[^/\s]+\/[^/\s]+$/.test(value),
  () => 'must be owner/name',
);
/** Above 2^53 `JSON.parse` has already changed the digits, so two ids could have become one. */
const Id = Type.Refine(
  Type.Number(),
  (value) => Number.isSafeInteger(value) && value > 0,
  () => 'must be a positive integer below 2^53',
);
const Label = storable(Type.String({ maxLength: maximumLabelLength }));
const Attempt = Type.Integer({ minimum: 1, maximum: maximumAttempt });
const User = Type.Object({ login: MaybeText });

const Repository = Type.Object({
  full_name: RepositoryName,
  html_url: MaybeText,
  private: maybe(Type.Boolean()),
  visibility: MaybeText,
});

const WorkflowRun = Type.Object({
  id: Id,
  run_attempt: maybe(Attempt),
  name: MaybeText,
  path: MaybeText,
  event: MaybeText,
  head_branch: MaybeText,
  status: MaybeText,
  conclusion: MaybeText,
  created_at: Text,
  run_started_at: MaybeText,
  updated_at: MaybeText,
  actor: maybe(User),
  triggering_actor: maybe(User),
});

const WorkflowJob = Type.Object({
  id: Id,
  run_id: Id,
  run_attempt: maybe(Attempt),
  name: MaybeText,
  workflow_name: MaybeText,
  head_branch: MaybeText,
  status: MaybeText,
  conclusion: MaybeText,
  created_at: MaybeText,
  started_at: MaybeText,
  completed_at: MaybeText,
  labels: maybe(Type.Array(Label, { maxItems: maximumLabels })),
  runner_name: MaybeText,
  runner_group_name: MaybeText,
  steps: maybe(Type.Array(Type.Unknown())),
});

const RunPayload = Type.Object({
  action: MaybeText,
  repository: Repository,
  sender: maybe(User),
  workflow: maybe(Type.Object({ name: MaybeText, path: MaybeText })),
  workflow_run: WorkflowRun,
});

const JobPayload = Type.Object({
  action: MaybeText,
  repository: Repository,
  workflow_job: WorkflowJob,
});

/** The fields we use of a `workflow_run` payload; all others are ignored. */
export type RunPayload = Static<typeof RunPayload>;
/** The fields we use of a `workflow_job` payload; all others are ignored. */
export type JobPayload = Static<typeof JobPayload>;

const runPayload = Compile(RunPayload);
const jobPayload = Compile(JobPayload);

/** Throws the error of `invalidPayload`. */
export function checkRunPayload(payload: unknown): RunPayload {
  if (!runPayload.Check(payload)) throw invalidPayload(runPayload.Errors(payload).flatMap(fieldErrors));
  return payload;
}

/** Throws the error of `invalidPayload`. */
export function checkJobPayload(payload: unknown): JobPayload {
  if (!jobPayload.Check(payload)) throw invalidPayload(jobPayload.Errors(payload).flatMap(fieldErrors));
  return payload;
}

/** The provider sent what we cannot record. A path is the field's place in the body: `workflow_job.labels.0`. */
export function invalidPayload(errors: FieldError[]): PublicError {
  const detail = errors.map(({ path, message }) => `${path} ${message}`).join('; ');
  return new PublicError('invalid', 'invalid_payload', `The payload cannot be recorded: ${detail}.`, errors);
}

function fieldErrors(error: ReturnType<typeof runPayload.Errors>[number]): FieldError[] {
  const path = error.instancePath.slice(1).replaceAll('/', '.');
  if (error.keyword !== 'required') return [{ path: path === '' ? 'body' : path, message: error.message }];
  return error.params.requiredProperties.map((property) => ({
    path: path === '' ? property : `${path}.${property}`,
    message: 'is required',
  }));
}
