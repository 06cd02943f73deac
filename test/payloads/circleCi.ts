/**
 * CircleCI's documented events, read on 2026-11-22:
 * https://circleci.com/docs/reference/outbound-webhooks-reference/#sample-webhook-payloads. None is a recording.
 */
export const common = {
  webhook: { id: 'cf8c4fdd-0587-4da1-b4ca-4846e9640af9', name: 'Sample Webhook' },
  project: {
    id: '84996744-a854-4f5e-aea3-04e2851dc1d2',
    name: 'webhook-service',
    slug: 'github/circleci/webhook-service',
  },
  organization: { id: 'f22b6566-597d-46d5-ba74-99ef5bb3d85c', name: 'circleci' },
  pipeline: {
    id: '1285fe1d-d3a6-44fc-8886-8979558254c4',
    number: 130,
    created_at: '2021-09-01T22:49:03.544Z',
    trigger: { type: 'webhook' },
    vcs: {
      provider_name: 'github',
      target_repository_url: 'https://github.com/circleci/webhook-service',
      revision: '1dc6aa69429bff4806ad6afe58d3d8f57e25973e',
      branch: 'main',
    },
  },
};
export const workflow = {
  id: 'fda08377-fe7e-46b1-8992-3a7aaecac9c3',
  name: 'build-test-deploy',
  created_at: '2021-09-01T22:49:03.616Z',
  stopped_at: '2021-09-01T22:49:34.170Z',
  url: 'https://app.circleci.com/pipelines/github/circleci/webhook-service/130/workflows/fda08377-fe7e-46b1-8992-3a7aaecac9c3',
};
export const workflowCompleted = {
  id: '3888f21b-eaa7-38e3-8f3d-75a63bba8895',
  type: 'workflow-completed',
  ...common,
  happened_at: '2021-09-01T22:49:34.317Z',
  workflow: { ...workflow, status: 'success' },
};
export const jobCompleted = {
  id: '8bd71c28-4969-3677-8940-3e3a61c46660',
  type: 'job-completed',
  ...common,
  workflow,
  happened_at: '2021-09-01T22:49:34.279Z',
  job: {
    id: '8b91f9a8-7975-4e60-916c-f0152ccbc937',
    name: 'test',
    started_at: '2021-09-01T22:49:28.841Z',
    stopped_at: '2021-09-01T22:49:34.170Z',
    status: 'success',
    number: 136,
  },
};
/** Fields of projects at GitLab, at GitHub with the GitHub App, or at Bitbucket Data Center. */
export const gitLabParts = {
  pipeline: {
    id: '37c74cb7-d64d-4032-8731-1cb95bfef921',
    number: 1,
    trigger: { type: 'gitlab' },
    trigger_parameters: {
      gitlab: {
        web_url: 'https://gitlab.com/circleci/hello-world',
        user_name: 'User name',
        user_username: 'username',
        branch: 'main',
      },
      git: { tag: '', branch: 'main', checkout_url: 'git@gitlab.com:circleci/hello-world.git' },
      circleci: { event_type: 'push', trigger_type: 'gitlab' },
    },
  },
  project: {
    id: '2a68fe5f-2fe5-4d4f-91e1-15f111116743',
    name: 'hello-world',
    slug: 'circleci/DdaVtNusHqi24D4YT3X4eu/6EkDPZoN4ZdMKKZtBkRodt',
  },
};
