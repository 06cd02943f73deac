import { PublicError } from '../../../platform/lib/errors.ts';
import { addressPart, isSameSecret, type IntakeProvider, type Webhook } from '../provider.ts';
import {
  classifyGitLabRunner,
  explainGitLabRule,
  gitLabKinds,
  gitLabPriceList,
  gitLabTerms,
} from './runners.ts';

export const gitLab: IntakeProvider = {
  id: 'gitlab',
  title: 'GitLab',
  service: 'GitLab CI/CD',
  kinds: gitLabKinds,
  priceLists: [gitLabPriceList],
  classifyRunner: classifyGitLabRunner,
  explainRule: explainGitLabRule,
  listedRunners: null,
  rateHints: [],
  hostedName: null,
  hostedGroup: null,
  allowance: {
    runnerKinds: gitLabKinds.map(({ id }) => id),
    unitKind: 'gitlab_linux_small',
    ...gitLabTerms,
  },
  rounding: 'second',
  timeLimit: {
    minutes: 3 * 60,
    source: 'https://docs.gitlab.com/ci/runners/hosted_runners/',
    checkedOn: '2026-11-29',
  },
  // Each retry of a job is another job of the pipeline.
  hasAttempts: false,
  // Jobs exist from the start of their pipeline, and may wait for other jobs or a person.
  createsJobsEarly: true,
  yaml: {
    cancelSuperseded: [
      'workflow:',
      '  auto_cancel:',
      '    on_new_commit: interruptible',
      '',
      'default:',
      '  interruptible: true',
    ].join('\n'),
    limitTime: (minutes) => `timeout: ${minutes} minutes`,
    runEvery: null,
    startOn: null,
    ignorePaths: null,
  },
  workflowFiles: {
    isEntry: (path) => path === '.gitlab-ci.yml',
    includedBy: async (file, paths) => (await import('./plan.ts')).includedFiles(file, paths),
    read: async (files) => (await import('./plan.ts')).readGitLabPipeline(files),
  },
  pagesOf: ({ host, repository, runId, branch, commit, pullRequest }) => {
    const home = `https://${host ?? 'gitlab.com'}/${addressPart(repository)}`;
    return {
      run: `${home}/-/pipelines/${runId}`,
      repository: home,
      branch: branch && `${home}/-/tree/${addressPart(branch)}`,
      commit: commit && `${home}/-/commit/${commit}`,
      pullRequest: pullRequest === null ? null : `${home}/-/merge_requests/${pullRequest}`,
    };
  },
  announcedSelfHostedFee: null,
  webhook: webhook(),
};

function webhook(): Webhook {
  return {
    // https://docs.gitlab.com/user/project/integrations/webhooks/#validate-payloads-by-using-a-secret-token
    authenticate: ({ header }, secret) => {
      const token = header('x-gitlab-token');
      if (!token) {
        const detail =
          'The header X-Gitlab-Token is missing: set the secret of this source as the secret token of the webhook.';
        throw new PublicError('unauthenticated', 'token_missing', detail);
      }
      if (!isSameSecret(token, secret)) {
        const detail =
          'X-Gitlab-Token is not the secret of this source. Set it as the secret token of the webhook.';
        throw new PublicError('unauthenticated', 'token_invalid', detail);
      }
    },
    readEvent: async (delivery, payload, receivedAt) => {
      const { readGitLabEvent } = await import('./readEvent.ts');
      const header = delivery.header('x-gitlab-event');
      const { kind, event } = readGitLabEvent(header, payload, receivedAt);
      return { name: header ?? kind, ...event };
    },
    docs: {
      setup:
        'a webhook of your GitLab group or project, as the secret token, and select "Job events", ' +
        '"Pipeline events" and "Merge request events"',
      events:
        'For GitLab webhooks: job, pipeline and merge request events, by `object_kind` or the header ' +
        '`X-Gitlab-Event`; the secret token in `X-Gitlab-Token` is required.',
    },
    howToConnect: () => ({
      hostedTitle: 'GitLab.com',
      urlLabel: 'URL',
      secretLabel: 'Secret token',
      intro:
        'Open the project at GitLab as a maintainer, and go to **Settings › Webhooks › Add new webhook**. ' +
        'On the Premium and Ultimate plans, a group has the same page for all its projects. Then:',
      steps: [
        '**URL:** paste the one above.',
        '**Secret token:** paste the one above.',
        '**Trigger:** untick **Push events**, and tick **Job events**, **Pipeline events** and **Merge request events**. ' +
          'Job events report retried jobs, pipeline events how the pipeline ended, merge request events what was merged.',
        '**SSL verification:** leave it enabled.',
        'Press **Add webhook**. With **Test › Pipeline events**, GitLab sends the last pipeline at once.',
      ],
      firstEvent: 'With the next job or pipeline, or with “Test › Pipeline events” at the webhook.',
      firstRun: 'With the next pipeline. Push a commit, or run a pipeline by hand.',
      deliveriesPlace: 'edit the webhook and look at “Recent events”',
    }),
    hasBackfills: false,
    hasUsageData: false,
    mayComment: false,
    shown: {
      icon: 'gitlab',
      about: 'Paste a token once: Runcost adds the webhook to your group or project.',
      guidedPage: '/sources/gitlab',
      runPattern: '(?:^|/pipelines/)([0-9]{4,})(?=$|[/?#])',
    },
  };
}
