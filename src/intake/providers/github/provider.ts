import { invalidAt, PublicError } from '../../../platform/lib/errors.ts';
import {
  addressPart,
  isSignedWith,
  type HowToConnect,
  type IntakeProvider,
  type Webhook,
} from '../provider.ts';
import { groupBesidesDefaultBranch } from './edit/branchGroup.ts';
import { gitHubListedRunners } from './listedRunners.ts';
import { gitHubRateHints } from './rateHints.ts';
import {
  classifyGitHubRunner,
  explainGitHubRule,
  gitHubKinds,
  gitHubPriceLists,
  hostedGroup,
  hostedName,
} from './runners.ts';
import { gitHubTerms } from './terms.ts';
import { isWorkflowFile } from './workflowPath.ts';

export const gitHub: IntakeProvider = {
  id: 'github',
  title: 'GitHub',
  service: 'GitHub Actions',
  kinds: gitHubKinds,
  priceLists: gitHubPriceLists,
  classifyRunner: classifyGitHubRunner,
  explainRule: explainGitHubRule,
  listedRunners: gitHubListedRunners,
  rateHints: gitHubRateHints,
  hostedName,
  hostedGroup,
  allowance: {
    runnerKinds: [
      'linux_slim',
      'linux_2_core',
      'linux_2_core_arm',
      'windows_2_core',
      'windows_2_core_arm',
      'macos_3_core',
    ],
    unitKind: 'linux_2_core',
    ...gitHubTerms,
  },
  rounding: 'minute',
  timeLimit: {
    minutes: 6 * 60,
    minutesOf: { linux_slim: 15 },
    source: 'https://docs.github.com/en/actions/reference/limits',
    checkedOn: '2026-11-28',
  },
  hasAttempts: true,
  createsJobsEarly: false,
  yaml: {
    cancelSuperseded: [
      'concurrency:',
      `  group: ${groupBesidesDefaultBranch}`,
      '  cancel-in-progress: true',
    ].join('\n'),
    limitTime: (minutes) => `timeout-minutes: ${minutes}`,
    runEvery: (unit) =>
      ['on:', '  schedule:', `    - cron: '17 4 * * ${unit === 'day' ? '*' : '1'}'`].join('\n'),
    startOn: (events, without) =>
      [
        'on: # keep what else the file has',
        ...without.map((event) => `  # not: ${event}`),
        ...(events.length === 0
          ? ['  workflow_dispatch:']
          : events.map((event) => `  ${event}: # as before`)),
      ].join('\n'),
    ignorePaths: (events, paths) =>
      [
        'on: # keep what else the file has',
        ...events.flatMap((event) => [
          `  ${event}:`,
          '    paths-ignore:',
          ...paths.map((path) => `      - '${path}'`),
        ]),
      ].join('\n'),
  },
  workflowFiles: {
    isEntry: isWorkflowFile,
    includedBy: async () => [],
    read: async (files, of) => {
      const { readGitHubWorkflows } = await import('./plan/readWorkflows.ts');
      return readGitHubWorkflows(
        files.filter(({ path }) => isWorkflowFile(path)),
        of,
      );
    },
    edit: async (...asked) => {
      const { editGitHubWorkflows } = await import('./edit/editWorkflows.ts');
      return editGitHubWorkflows(...asked);
    },
  },
  pagesOf: ({ host, repository, runId, branch, commit, pullRequest }) => {
    const home = `https://${host ?? 'github.com'}/${addressPart(repository)}`;
    return {
      run: `${home}/actions/runs/${runId}`,
      repository: home,
      branch: branch && `${home}/tree/${addressPart(branch)}`,
      commit: commit && `${home}/commit/${commit}`,
      pullRequest: pullRequest === null ? null : `${home}/pull/${pullRequest}`,
    };
  },
  // Announced on 2025-12-16 for private repositories from 2026-03-01, and postponed the next day.
  announcedSelfHostedFee: 2_000_000n,
  webhook: webhook(),
};

function webhook(): Webhook {
  return {
    authenticate: ({ rawBody, header }, secret) => {
      const signature = header('x-hub-signature-256');
      if (!signature) {
        const detail =
          'The header X-Hub-Signature-256 is missing: set the secret of this source in the webhook.';
        throw new PublicError('unauthenticated', 'signature_missing', detail);
      }
      if (!verifyGitHubSignature(rawBody, signature, secret)) {
        const detail =
          'X-Hub-Signature-256 does not match the body: the webhook does not have the secret of this source.';
        throw new PublicError('unauthenticated', 'signature_invalid', detail);
      }
    },
    readEvent: async ({ header }, payload, receivedAt) => {
      const name = header('x-github-event');
      if (!name) throw invalidAt('headers.x-github-event', 'is required');
      const { readGitHubEvent } = await import('./readEvent.ts');
      return { name, ...readGitHubEvent(name, payload, receivedAt) };
    },
    docs: {
      setup:
        'a webhook of your GitHub organization or repository, and select the events "Workflow runs", ' +
        '"Workflow jobs" and "Pull requests"',
      events:
        'For GitHub webhooks: `workflow_run`, `workflow_job`, `pull_request` and `ping`; the signature in ' +
        '`X-Hub-Signature-256` is required.',
    },
    howToConnect,
    hasBackfills: true,
    hasUsageData: false,
    mayComment: true,
    shown: {
      icon: 'github',
      about: 'Your own GitHub App: two clicks, no secret to copy, and the last 30 days at once.',
      guidedPage: '/sources/github-app',
      runPattern: '(?:^|/actions/runs/)([0-9]{4,})(?=$|[/?#])',
    },
  };
}

/** https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries */
export function verifyGitHubSignature(rawBody: Buffer, header: string | undefined, secret: string): boolean {
  const [, hex] = /^sha256=([0-9a-f]{64})$/.exec(header ?? '') ?? [];
  return hex !== undefined && isSignedWith(secret, hex, rawBody);
}

function howToConnect(login: string | null): HowToConnect {
  const place = login
    ? `[the new webhook of ${login}](https://github.com/organizations/${encodeURIComponent(login)}/settings/hooks/new)`
    : '[your organizations](https://github.com/settings/organizations)';
  return {
    hostedTitle: 'GitHub',
    urlLabel: 'Payload URL',
    secretLabel: 'Secret',
    intro:
      `For all repositories, open ${place} at GitHub${login ? '' : ', choose yours'} (**Settings › ` +
      'Webhooks › Add webhook**). For one repository, open the same page in its own settings. Then:',
    steps: [
      '**Payload URL:** paste the one above.',
      '**Content type:** choose `application/json`.',
      '**Secret:** paste the one above.',
      '**SSL verification:** leave it enabled.',
      '**Which events would you like to trigger this webhook?** Choose “Let me select individual events”, untick ' +
        '**Pushes**, and tick **Workflow jobs**, **Workflow runs** and **Pull requests**.',
      'Leave **Active** ticked and press **Add webhook**. GitHub sends a first event at once.',
    ],
    firstEvent: 'As soon as you add the webhook.',
    firstRun: 'With the next run of any workflow. Push a commit, or run a workflow by hand.',
    deliveriesPlace: 'open the webhook and its tab “Recent Deliveries”',
  };
}
