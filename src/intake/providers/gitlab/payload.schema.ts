import { Type } from 'typebox';
import type { Static } from 'typebox';
import {
  Id,
  maxStorableNumber,
  maybe,
  MaybeLabels,
  MaybeText,
  payloadCheck,
  Text,
} from '../payload.schema.ts';

const maxBuilds = 10_000;

const ProjectPath = Type.Refine(
  Text,
  (value) => typeof value !== 'string' || /^[^/\s]+(\/[^/\s]+)+$/.test(value),
  () => 'must be group/project, with any subgroups in between',
);

const ProjectId = Type.Optional(Type.Unknown());

const Project = Type.Object({
  id: ProjectId,
  path_with_namespace: ProjectPath,
  web_url: MaybeText,
  visibility_level: maybe(Type.Integer()),
});

const Runner = Type.Object({
  description: MaybeText,
  runner_type: MaybeText,
  is_shared: maybe(Type.Boolean()),
  tags: MaybeLabels,
});

const User = Type.Object({ id: Type.Optional(Type.Unknown()), username: MaybeText, name: MaybeText });

const JobPayload = Type.Object({
  ref: MaybeText,
  build_id: Id,
  build_name: MaybeText,
  build_status: MaybeText,
  build_created_at: MaybeText,
  build_created_at_iso: MaybeText,
  build_started_at: MaybeText,
  build_started_at_iso: MaybeText,
  build_finished_at: MaybeText,
  build_finished_at_iso: MaybeText,
  build_duration: maybe(Type.Number()),
  pipeline_id: Id,
  sha: Type.Optional(Type.Unknown()),
  project_name: MaybeText,
  commit: maybe(Type.Object({ name: MaybeText })),
  repository: maybe(Type.Object({ homepage: MaybeText, visibility_level: maybe(Type.Integer()) })),
  project: maybe(Project),
  runner: maybe(Runner),
  user: maybe(User),
});

const PipelineJob = Type.Object({
  id: Id,
  name: MaybeText,
  status: MaybeText,
  created_at: MaybeText,
  started_at: MaybeText,
  finished_at: MaybeText,
  duration: maybe(Type.Number()),
  runner: maybe(Runner),
  user: maybe(User),
});

const PipelinePayload = Type.Object({
  object_attributes: Type.Object({
    id: Id,
    iid: Type.Optional(Type.Unknown()),
    name: MaybeText,
    ref: MaybeText,
    sha: Type.Optional(Type.Unknown()),
    source: MaybeText,
    status: MaybeText,
    created_at: MaybeText,
    finished_at: MaybeText,
  }),
  user: maybe(User),
  merge_request: maybe(Type.Object({ iid: Type.Optional(Type.Unknown()), target_project_id: ProjectId })),
  project: Project,
  builds: maybe(Type.Array(PipelineJob, { maxItems: maxBuilds })),
});

const MergeRequestPayload = Type.Object({
  object_attributes: Type.Object({
    iid: Type.Integer({ minimum: 1, maximum: maxStorableNumber }),
    state: Text,
    // Older servers say `work_in_progress` only: gitlab-org/gitlab!126899, read on 2026-11-30.
    draft: maybe(Type.Boolean()),
    work_in_progress: maybe(Type.Boolean()),
    action: MaybeText,
    title: MaybeText,
    author_id: Type.Optional(Type.Unknown()),
    created_at: MaybeText,
    updated_at: MaybeText,
  }),
  user: maybe(User),
  project: Project,
});

export type JobPayload = Static<typeof JobPayload>;
export type MergeRequestPayload = Static<typeof MergeRequestPayload>;
export type PipelineJob = Static<typeof PipelineJob>;
export type PipelinePayload = Static<typeof PipelinePayload>;
export type Runner = Static<typeof Runner>;
export type User = Static<typeof User>;

export const checkJobPayload = payloadCheck(JobPayload);
export const checkMergeRequestPayload = payloadCheck(MergeRequestPayload);
export const checkPipelinePayload = payloadCheck(PipelinePayload);
