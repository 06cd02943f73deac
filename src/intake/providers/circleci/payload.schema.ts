import { Type } from 'typebox';
import type { Static } from 'typebox';
import { maybe, MaybeText, payloadCheck, Text } from '../payload.schema.ts';

/** Ids are UUIDs today. In any case they must be short and safe in a path. */
const Id = Type.Refine(
  Text,
  (value) => typeof value !== 'string' || /^[\w-]{1,100}$/.test(value),
  () => 'must be an id of letters, digits and dashes',
);

const common = {
  happened_at: MaybeText,
  project: Type.Object({ slug: Text, name: MaybeText }),
  organization: maybe(Type.Object({ name: MaybeText })),
  pipeline: maybe(
    Type.Object({
      number: Type.Optional(Type.Unknown()),
      trigger: maybe(Type.Object({ type: MaybeText })),
      // Only for projects at GitHub (OAuth) and Bitbucket Cloud.
      vcs: maybe(
        Type.Object({
          target_repository_url: MaybeText,
          branch: MaybeText,
          revision: Type.Optional(Type.Unknown()),
        }),
      ),
      // For all other projects.
      trigger_parameters: maybe(
        Type.Object({
          circleci: maybe(Type.Object({ event_type: MaybeText })),
          git: maybe(
            Type.Object({
              checkout_url: MaybeText,
              branch: MaybeText,
              checkout_sha: Type.Optional(Type.Unknown()),
            }),
          ),
          gitlab: maybe(Type.Object({ web_url: MaybeText, branch: MaybeText, user_username: MaybeText })),
        }),
      ),
    }),
  ),
};

const workflow = {
  id: Id,
  name: MaybeText,
  created_at: MaybeText,
  stopped_at: MaybeText,
  url: MaybeText,
};

const WorkflowPayload = Type.Object({
  ...common,
  workflow: Type.Object({ ...workflow, status: MaybeText }),
});

const JobPayload = Type.Object({
  ...common,
  workflow: Type.Object(workflow),
  job: Type.Object({ id: Id, name: Text, status: MaybeText, started_at: MaybeText, stopped_at: MaybeText }),
});

export type WorkflowPayload = Static<typeof WorkflowPayload>;
export type JobPayload = Static<typeof JobPayload>;

export const checkWorkflowPayload = payloadCheck(WorkflowPayload);
export const checkJobPayload = payloadCheck(JobPayload);
