import { Type } from 'typebox';
import type { Static } from 'typebox';
import { maybe, MaybeLabels, MaybeText, payloadCheck, Text } from '../payload.schema.ts';

/** Ids are UUIDs today. In any case they must be short and safe in a path. */
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
  number: Type.Optional(Type.Unknown()),
  commit: Type.Optional(Type.Unknown()),
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
    // Owners of agents choose their tags freely, so we skip tags that cannot be labels.
    agent: maybe(Type.Object({ name: MaybeText, meta_data: Type.Optional(Type.Unknown()) })),
    cluster_id: MaybeText,
    created_at: MaybeText,
    runnable_at: MaybeText,
    started_at: MaybeText,
    finished_at: MaybeText,
    parallel_group_index: maybe(Type.Integer()),
  }),
});

export type BuildPayload = Static<typeof BuildPayload>;
export type JobPayload = Static<typeof JobPayload>;

export const checkBuildPayload = payloadCheck(BuildPayload);
export const checkJobPayload = payloadCheck(JobPayload);
