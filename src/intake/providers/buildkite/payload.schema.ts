import { Type } from 'typebox';
import type { Static } from 'typebox';
import { maybe, MaybeLabels, MaybeText, payloadCheck, Text } from '../payload.schema.ts';

/** Ids are UUIDs; whatever else they become, they stay short and part of a path. */
const Id = Type.Refine(
  Text,
  (value) => typeof value !== 'string' || /^[\w-]{1,100}$/.test(value),
  () => 'must be an id of letters, digits and dashes',
);

const Build = Type.Object({
  id: Id,
  state: MaybeText,
  blocked: maybe(Type.Boolean()),
  branch: MaybeText,
  source: MaybeText,
  pull_request: maybe(Type.Object({ id: Type.Optional(Type.Unknown()) })),
  creator: maybe(Type.Object({ name: MaybeText })),
  created_at: MaybeText,
  started_at: MaybeText,
  finished_at: MaybeText,
});

const Pipeline = Type.Object({
  name: MaybeText,
  slug: MaybeText,
  web_url: MaybeText,
  repository: MaybeText,
});

const BuildPayload = Type.Object({ build: Build, pipeline: Pipeline });

const JobPayload = Type.Object({
  build: Build,
  pipeline: Pipeline,
  job: Type.Object({
    id: Id,
    type: MaybeText,
    name: MaybeText,
    step_key: MaybeText,
    state: MaybeText,
    exit_status: maybe(Type.Integer()),
    agent_query_rules: MaybeLabels,
    // An agent has as many and as long tags as its owner likes: those that cannot be labels are left out.
    agent: maybe(Type.Object({ name: MaybeText, meta_data: Type.Optional(Type.Unknown()) })),
    cluster_id: MaybeText,
    created_at: MaybeText,
    runnable_at: MaybeText,
    started_at: MaybeText,
    finished_at: MaybeText,
    parallel_group_index: maybe(Type.Integer()),
  }),
});

/** The fields we use of a `build.finished` payload; all others are ignored. */
export type BuildPayload = Static<typeof BuildPayload>;
/** The fields we use of a `job.finished` payload; all others are ignored. */
export type JobPayload = Static<typeof JobPayload>;

export const checkBuildPayload = payloadCheck(BuildPayload);
export const checkJobPayload = payloadCheck(JobPayload);
