import { PublicError } from '../../../platform/lib/errors.ts';
import {
  aboutWebhooks,
  isSameSecret,
  isSignedWith,
  type Delivery,
  type HowToConnect,
  type IntakeProvider,
  type Webhook,
} from '../provider.ts';
import {
  buildkiteKinds,
  buildkitePriceList,
  classifyBuildkiteRunner,
  explainBuildkiteRule,
} from './runners.ts';

export const buildkite: IntakeProvider = {
  id: 'buildkite',
  title: 'Buildkite',
  service: 'Buildkite',
  kinds: buildkiteKinds,
  priceLists: [buildkitePriceList],
  classifyRunner: classifyBuildkiteRunner,
  explainRule: explainBuildkiteRule,
  listedRunners: null,
  rateHints: [],
  hostedName: null,
  hostedGroup: null,
  allowance: null,
  rounding: 'second',
  // Only the plan Personal has one: https://buildkite.com/docs/platform/limits, as of 2026-11-29.
  timeLimit: null,
  // A retry is another job of the build. Since jobs with the same name need not be retries, none counts as
  // one.
  hasAttempts: true,
  createsJobsEarly: false,
  // In Buildkite, a setting of the pipeline cancels superseded builds.
  yaml: {
    cancelSuperseded: null,
    limitTime: (minutes) => `timeout_in_minutes: ${minutes}`,
    runEvery: null,
    startOn: null,
    ignorePaths: null,
  },
  // The page of a build is below its pipeline's, whose address we do not store.
  workflowFiles: null,
  pagesOf: () => ({}),
  announcedSelfHostedFee: null,
  webhook: webhook(),
};

function webhook(): Webhook {
  return {
    authenticate,
    readEvent: async (_delivery, payload, receivedAt) =>
      (await import('./readEvent.ts')).readBuildkiteEvent(payload, receivedAt),
    docs: {
      setup:
        'a webhook notification service of your Buildkite organization, as its token, and select the ' +
        'events `build.finished` and `job.finished`',
      events:
        'For Buildkite webhooks: `build.finished`, `job.finished` and `ping`; the token in `X-Buildkite-Token`, or the ' +
        'signature in `X-Buildkite-Signature`, is required.',
    },
    howToConnect,
    hasBackfills: false,
    hasUsageData: false,
    mayComment: false,
    shown: {
      icon: 'pipeline',
      about: aboutWebhooks,
      guidedPage: null,
      runPattern: '^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$',
    },
  };
}

/** The limit that Buildkite recommends against replays. */
const maxSignatureAgeSeconds = 300;

/** https://buildkite.com/docs/apis/webhooks/pipelines */
function authenticate({ rawBody, header }: Delivery, secret: string, receivedAt: Date): void {
  const signature = header('x-buildkite-signature');
  if (signature) return checkSignature(signature, rawBody, secret, receivedAt);
  const token = header('x-buildkite-token');
  if (!token) {
    const detail =
      'The headers X-Buildkite-Token and X-Buildkite-Signature are missing: set the secret of this source as the token of the webhook.';
    throw new PublicError('unauthenticated', 'token_missing', detail);
  }
  if (!isSameSecret(token, secret)) {
    const detail = 'X-Buildkite-Token is not the secret of this source. Set it as the token of the webhook.';
    throw new PublicError('unauthenticated', 'token_invalid', detail);
  }
}

function checkSignature(signature: string, rawBody: Buffer, secret: string, receivedAt: Date): void {
  const [, timestamp = '', hex = ''] =
    /^timestamp=(\d{1,12}),\s*signature=([0-9a-f]{64})$/.exec(signature) ?? [];
  if (!isSignedWith(secret, hex, `${timestamp}.`, rawBody)) {
    const detail =
      'X-Buildkite-Signature does not match the body: the token of the webhook is not the secret of this source.';
    throw new PublicError('unauthenticated', 'signature_invalid', detail);
  }
  const ageSeconds = Math.abs(receivedAt.getTime() / 1_000 - Number(timestamp));
  if (ageSeconds > maxSignatureAgeSeconds) {
    const detail = `X-Buildkite-Signature is more than ${maxSignatureAgeSeconds / 60} minutes away from this server's time.`;
    throw new PublicError('unauthenticated', 'signature_expired', detail);
  }
}

function howToConnect(): HowToConnect {
  return {
    hostedTitle: 'Buildkite',
    urlLabel: 'Webhook URL',
    secretLabel: 'Token',
    intro:
      'Open the [notification services](https://buildkite.com/organizations/-/services) of your organization at ' +
      'Buildkite (**Settings › Notification Services**), and press **Add** on **Webhook**. Then:',
    steps: [
      '**Description:** any, such as `Runcost`.',
      '**Webhook URL:** paste the one above.',
      '**Token:** replace it with the one above. Choose to send it as a signature, ' +
        '`X-Buildkite-Signature`, which nobody can read on the way.',
      '**Verify TLS Certificates:** leave it ticked.',
      '**Events:** tick `build.finished` and `job.finished`. Both are needed: costs come from jobs.',
      '**Pipelines:** choose **All Pipelines**, and press **Add Webhook Notification**.',
      'Buildkite does not report the shape of a hosted agent. Under **Settings › Prices**, add a rule ' +
        'for the runner group of each queue with its price; until then its jobs are unpriced.',
    ],
    firstEvent: 'Buildkite sends a ping when the webhook is saved.',
    firstRun: 'When the next job finishes. Push a commit, or create a build by hand.',
    deliveriesPlace: 'open the webhook and its “Request Log”',
  };
}
