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

const maxAttempt = 2_147_483_647;

const RepositoryName = Type.Refine(
  Text,
  (value) => typeof value !== 'string' || /^[^/\s]+\/[^/\s]+$/.test(value),
  () => 'must be owner/name',
);
const Attempt = Type.Integer({ minimum: 1, maximum: maxAttempt });
const User = Type.Object({ login: MaybeText, type: MaybeText });

const RepositoryId = Type.Optional(Type.Unknown());

const Repository = Type.Object({
  id: RepositoryId,
  full_name: RepositoryName,
  html_url: MaybeText,
  private: maybe(Type.Boolean()),
  visibility: MaybeText,
});

const PullRequest = Type.Object({
  number: Type.Optional(Type.Unknown()),
  head: maybe(Type.Object({ ref: MaybeText })),
  base: maybe(Type.Object({ repo: maybe(Type.Object({ id: RepositoryId })) })),
});

const WorkflowRun = Type.Object({
  id: Id,
  run_attempt: maybe(Attempt),
  run_number: Type.Optional(Type.Unknown()),
  name: MaybeText,
  path: MaybeText,
  event: MaybeText,
  head_branch: MaybeText,
  head_sha: Type.Optional(Type.Unknown()),
  status: MaybeText,
  conclusion: MaybeText,
  created_at: Text,
  run_started_at: MaybeText,
  updated_at: MaybeText,
  actor: maybe(User),
  triggering_actor: maybe(User),
  head_repository: maybe(Type.Object({ full_name: MaybeText })),
  pull_requests: maybe(Type.Array(PullRequest)),
});

const WorkflowJob = Type.Object({
  id: Id,
  run_id: Id,
  run_attempt: maybe(Attempt),
  name: MaybeText,
  workflow_name: MaybeText,
  head_branch: MaybeText,
  head_sha: Type.Optional(Type.Unknown()),
  status: MaybeText,
  conclusion: MaybeText,
  created_at: MaybeText,
  started_at: MaybeText,
  completed_at: MaybeText,
  labels: MaybeLabels,
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
  installation: maybe(Type.Object({ id: Type.Optional(Type.Unknown()) })),
});

const JobPayload = Type.Object({
  action: MaybeText,
  repository: Repository,
  workflow_job: WorkflowJob,
});

const WholePullRequest = Type.Object({
  number: Type.Integer({ minimum: 1, maximum: maxStorableNumber }),
  state: Text,
  draft: maybe(Type.Boolean()),
  merged: maybe(Type.Boolean()),
  title: MaybeText,
  user: maybe(User),
  created_at: MaybeText,
  updated_at: MaybeText,
  closed_at: MaybeText,
  merged_at: MaybeText,
});

const PullRequestPayload = Type.Object({ repository: Repository, pull_request: WholePullRequest });

export type RunPayload = Static<typeof RunPayload>;
export type JobPayload = Static<typeof JobPayload>;
export type PullRequestPayload = Static<typeof PullRequestPayload>;

export const checkListedPullRequest = payloadCheck(WholePullRequest);
export const checkPullRequestPayload = payloadCheck(PullRequestPayload);
export const checkRunPayload = payloadCheck(RunPayload);
export const checkJobPayload = payloadCheck(JobPayload);
