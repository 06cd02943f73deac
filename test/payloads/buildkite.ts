/**
 * Buildkite's documented events, read on 2026-11-22: https://buildkite.com/docs/apis/webhooks/pipelines/job-events and
 * /build-events have the outer fields, https://buildkite.com/docs/apis/rest-api/builds the objects. None is a recording.
 */
export const build = {
  id: 'f62a1b4d-10f9-4790-bc1c-e2c3a0c80983',
  url: 'https://api.buildkite.com/v2/organizations/my-great-org/pipelines/my-pipeline/builds/1',
  web_url: 'https://buildkite.com/my-great-org/my-pipeline/builds/1',
  number: 1,
  state: 'passed',
  blocked: false,
  message: 'Bumping to version 0.2-beta.6',
  commit: 'abcd0b72a1e580e90712cdd9eb26d3fb41cd09c8',
  branch: 'main',
  env: {},
  source: 'webhook',
  creator: { id: '3d3c3bf0-7d58-4afe-8fe7-b3017d5504de', name: 'Keith Pitt', email: 'keith@buildkite.com' },
  created_at: '2015-05-09T21:05:59.874Z',
  scheduled_at: '2015-05-09T21:05:59.874Z',
  started_at: '2015-05-09T21:05:59.874Z',
  finished_at: '2015-05-09T21:09:59.874Z',
  rebuilt_from: null,
};
export const pipeline = {
  id: '849411f9-9e6d-4739-a0d8-e247088e9b52',
  web_url: 'https://buildkite.com/my-great-org/my-pipeline',
  name: 'great-pipeline',
  slug: 'great-pipeline',
  repository: 'git@github.com:my-great-org/my-pipeline',
  default_branch: 'main',
  provider: { id: 'github', settings: { repository: 'my-great-org/my-pipeline' } },
};
export const job = {
  id: 'b63254c0-3271-4a98-8270-7cfbd6c2f14e',
  type: 'script',
  name: 'RSpec',
  step_key: 'rspec',
  agent_query_rules: ['*'],
  state: 'passed',
  command: 'bundle exec rspec',
  soft_failed: false,
  exit_status: 0,
  agent: { id: '0b461f65-e7be-4c80-888a-ef11d81fd971', name: 'my-agent-123' },
  created_at: '2015-05-09T21:05:59.874Z',
  scheduled_at: '2015-05-09T21:05:59.874Z',
  runnable_at: '2015-05-09T21:06:59.874Z',
  started_at: '2015-05-09T21:07:59.874Z',
  finished_at: '2015-05-09T21:08:59.874Z',
  retried: false,
  retries_count: null,
  retry_source: null,
  parallel_group_index: null,
  parallel_group_total: null,
  cluster_id: null,
  cluster_queue_id: null,
};
export const sender = { id: '8a7693f8-dbae-4783-9137-84090fce9045', name: 'Some Person' };

export const buildFinished = (fields: object = {}) => ({
  event: 'build.finished',
  pipeline,
  sender,
  build: {
    ...build,
    ...fields,
  },
});
export const jobFinished = (fields: object = {}) => ({
  event: 'job.finished',
  build,
  pipeline,
  sender,
  job: {
    ...job,
    ...fields,
  },
});
/** A job in a cluster, with hosted or self-hosted agents. */
export const clustered = {
  cluster_id: '78088c9a-6e72-4896-848d-e6f479f50c24',
  agent_query_rules: ['queue=linux'],
};
