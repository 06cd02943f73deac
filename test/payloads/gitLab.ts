/**
 * GitLab's webhooks with all documented fields ("Webhook events": job events, pipeline events) and all time formats of its
 * servers.
 */
import type { Payload } from './gitHub.ts';

export const hostedRunner = {
  id: 12270857,
  description: 'blue-3.saas-linux-small-amd64.runners-manager.gitlab.com/default',
  runner_type: 'instance_type',
  active: true,
  is_shared: true,
  tags: ['saas-linux-small-amd64', 'gitlab-org', 'docker', 'linux'],
};

export const ownRunner = {
  id: 77,
  description: 'build-box-7',
  runner_type: 'project_type',
  active: true,
  is_shared: false,
  tags: ['docker', 'big'],
};

const person = {
  id: 3,
  name: 'Mona Lisa',
  username: 'mona',
  avatar_url: 'https://gitlab.com/uploads/-/system/user/avatar/3/a.png',
  email: '[REDACTED]',
};

export function gitLabProject(path = 'acme/backend/api', host = 'gitlab.com'): Payload {
  return {
    id: 380,
    name: 'The API',
    description: '',
    web_url: `https://${host}/${path}`,
    avatar_url: null,
    git_ssh_url: `git@${host}:${path}.git`,
    git_http_url: `https://${host}/${path}.git`,
    namespace: 'Backend',
    visibility_level: 0,
    path_with_namespace: path,
    default_branch: 'main',
    ci_config_path: '',
  };
}

/** A "Job Hook", by default for 90 successful seconds on GitLab's small Linux runner. */
export function gitLabJob(fields: Payload = {}): Payload {
  return {
    object_kind: 'build',
    ref: 'main',
    tag: false,
    before_sha: '2293ada6b400935a1378653304eaf6221e0fdb8f',
    sha: '2293ada6b400935a1378653304eaf6221e0fdb8f',
    retries_count: 0,
    build_id: 9_001,
    build_name: 'test',
    build_stage: 'test',
    build_status: 'success',
    build_created_at: '2026-11-20 10:00:00 UTC',
    build_started_at: '2026-11-20 10:00:30 UTC',
    build_finished_at: '2026-11-20 10:02:00 UTC',
    build_created_at_iso: '2026-11-20T10:00:00Z',
    build_started_at_iso: '2026-11-20T10:00:30Z',
    build_finished_at_iso: '2026-11-20T10:02:00Z',
    build_duration: 90,
    build_queued_duration: 30.5,
    build_allow_failure: false,
    build_failure_reason: 'unknown_failure',
    pipeline_id: 5_001,
    runner: hostedRunner,
    project_id: 380,
    project_name: 'Acme / Backend / The API',
    user: person,
    commit: {
      id: 5_001,
      name: null,
      sha: '2293ada6b400935a1378653304eaf6221e0fdb8f',
      message: 'Change\n',
      author_name: 'Mona Lisa',
      author_email: '[REDACTED]',
      author_url: 'https://gitlab.com/mona',
      status: 'running',
      duration: null,
      started_at: '2026-11-20 10:00:01 UTC',
      finished_at: null,
      started_at_iso: '2026-11-20T10:00:01Z',
      finished_at_iso: null,
    },
    repository: {
      name: 'The API',
      url: 'git@gitlab.com:acme/backend/api.git',
      description: '',
      homepage: 'https://gitlab.com/acme/backend/api',
      git_http_url: 'https://gitlab.com/acme/backend/api.git',
      git_ssh_url: 'git@gitlab.com:acme/backend/api.git',
      visibility_level: 0,
    },
    project: gitLabProject(),
    environment: null,
    ...fields,
  };
}

/** One of a pipeline's `builds`, by default the job of `gitLabJob`, to the millisecond. */
export function gitLabBuild(fields: Payload = {}): Payload {
  return {
    id: 9_001,
    stage: 'test',
    name: 'test',
    status: 'success',
    created_at: '2026-11-20T10:00:00.417Z',
    started_at: '2026-11-20T10:00:30.219Z',
    finished_at: '2026-11-20T10:02:00.219Z',
    duration: 90,
    queued_duration: 30.5,
    failure_reason: null,
    when: 'on_success',
    manual: false,
    allow_failure: false,
    user: person,
    runner: hostedRunner,
    artifacts_file: { filename: null, size: null },
    environment: null,
    ...fields,
  };
}

/** A "Merge Request Hook", by default of number 7 when its author opens it. */
export function gitLabMergeRequest(attributes: Payload = {}, userId: unknown = 51): Payload {
  return {
    object_kind: 'merge_request',
    user: { id: userId, username: 'mona' },
    project: gitLabProject(),
    object_attributes: {
      iid: 7,
      author_id: 51,
      title: 'Fix',
      state: 'opened',
      action: 'open',
      created_at: '2026-11-20 10:00:00 UTC',
      updated_at: '2026-11-20 10:02:00 UTC',
      ...attributes,
    },
  };
}

/** A "Pipeline Hook", by default for a successful pipeline with one job. `attributes` change the pipeline's. */
export function gitLabPipeline(attributes: Payload = {}, around: Payload = {}): Payload {
  return {
    object_kind: 'pipeline',
    object_attributes: {
      id: 5_001,
      iid: 3,
      name: null,
      ref: 'main',
      tag: false,
      sha: '2293ada6b400935a1378653304eaf6221e0fdb8f',
      before_sha: '0000000000000000000000000000000000000000',
      source: 'push',
      status: 'success',
      detailed_status: 'passed',
      stages: ['test'],
      created_at: '2026-11-20 10:00:00 UTC',
      finished_at: '2026-11-20 10:02:01 UTC',
      duration: 90,
      queued_duration: 30,
      protected_ref: true,
      variables: [],
      url: 'https://gitlab.com/acme/backend/api/-/pipelines/5001',
      ...attributes,
    },
    merge_request: null,
    user: person,
    project: gitLabProject(),
    commit: {
      id: '2293ada6b400935a1378653304eaf6221e0fdb8f',
      message: 'Change\n',
      title: 'Change',
      timestamp: '2026-11-20T09:59:58+00:00',
      url: 'https://gitlab.com/acme/backend/api/-/commit/2293ada6',
      author: { name: 'Mona Lisa', email: '[REDACTED]' },
    },
    builds: [gitLabBuild()],
    ...around,
  };
}
