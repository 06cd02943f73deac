import { PublicError } from '../../../platform/lib/errors.ts';
import {
  aboutWebhooks,
  isSignedWith,
  type HowToConnect,
  type IntakeProvider,
  type Webhook,
} from '../provider.ts';
import {
  circleCiKinds,
  circleCiParallelism,
  circleCiPriceList,
  classifyCircleCiRunner,
  explainCircleCiRule,
} from './runners.ts';

export const circleCi: IntakeProvider = {
  id: 'circleci',
  title: 'CircleCI',
  service: 'CircleCI',
  kinds: circleCiKinds,
  priceLists: [circleCiPriceList],
  classifyRunner: classifyCircleCiRunner,
  explainRule: explainCircleCiRule,
  parallelismOf: circleCiParallelism,
  listedRunners: null,
  rateHints: [],
  hostedName: null,
  hostedGroup: null,
  allowance: null,
  // Then up to a whole credit, if the runner has credits.
  rounding: 'second',
  // Of the plan that allows most: on others, CircleCI stops jobs after 1 or 3 hours.
  timeLimit: {
    minutes: 5 * 60,
    source: 'https://support.circleci.com/hc/en-us/articles/4411086979867',
    checkedOn: '2026-11-29',
  },
  hasAttempts: true,
  createsJobsEarly: false,
  // In CircleCI, both are project settings.
  yaml: { cancelSuperseded: null, limitTime: null, runEvery: null, startOn: null, ignorePaths: null },
  workflowFiles: null,
  pagesOf: ({ host, runId }) => (host === null ? { run: `https://app.circleci.com/workflow/${runId}` } : {}),
  announcedSelfHostedFee: null,
  webhook: webhook(),
};

function webhook(): Webhook {
  return {
    authenticate: ({ rawBody, header }, secret) => {
      const signatures = header('circleci-signature');
      if (!signatures) {
        const detail =
          'The header circleci-signature is missing: set the secret of this source as the secret token of the webhook.';
        throw new PublicError('unauthenticated', 'signature_missing', detail);
      }
      // Only the version we know counts, because an older one could be forged.
      const [, hex = ''] = /(?:^|,)\s*v1=([0-9a-f]{64})(?:,|$)/.exec(signatures) ?? [];
      if (!isSignedWith(secret, hex, rawBody)) {
        const detail =
          'circleci-signature does not match the body: the webhook has another secret token than this ' +
          'source.';
        throw new PublicError('unauthenticated', 'signature_invalid', detail);
      }
    },
    readEvent: async (_delivery, payload, receivedAt) =>
      (await import('./readEvent.ts')).readCircleCiEvent(payload, receivedAt),
    docs: {
      setup: 'a webhook of your CircleCI project, as the secret token, and select both events',
      events:
        'For CircleCI webhooks: `workflow-completed`, `job-completed` and `ping`; the signature in ' +
        '`circleci-signature` is required.',
    },
    howToConnect,
    hasBackfills: false,
    hasUsageData: true,
    mayComment: false,
    shown: {
      icon: 'circle',
      about: aboutWebhooks,
      guidedPage: null,
      runPattern: '(?:^|/workflows?/)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?=$|[/?#])',
    },
  };
}

function howToConnect(): HowToConnect {
  return {
    hostedTitle: 'CircleCI',
    urlLabel: 'URL',
    secretLabel: 'Secret token',
    intro:
      'Webhooks belong to a project. Open [CircleCI](https://app.circleci.com/), select your organization and ' +
      '**Projects**, and go to **Project Settings › Webhooks › Add Webhook**, as an admin of the organization. Then:',
    steps: [
      '**Webhook name:** any name, such as `Runcost`.',
      '**URL:** paste the one above.',
      '**Certificate Validation:** leave it enabled.',
      '**Secret token:** paste the one above.',
      '**Select an event:** select **Workflow Completed** and **Job Completed**. Both are needed: costs come from jobs.',
      'Press **Test Ping Event**, then **Add Webhook**.',
      'CircleCI does not report the resource class of a job in its events. On the Sources page, give this source a ' +
        '**personal API token**: the usage data of each day then prices the jobs. Or, under **Settings › Prices**, ' +
        "add a rule for the label `job:` and the job's name with its class. Until then jobs are unpriced.",
    ],
    firstEvent: 'With “Test Ping Event”, or with the next job.',
    firstRun: 'When the next job ends. Push a commit, or run a pipeline by hand.',
    deliveriesPlace: 'check the URL and the secret token of the webhook in the project settings',
  };
}
