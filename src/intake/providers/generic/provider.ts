import { gitHub } from '../github/provider.ts';
import type { IntakeProvider } from '../provider.ts';

/** For runs without a provider: their labels are read as GitHub's, because they use GitHub's price list. */
const unnamedCi = {
  service: null,
  kinds: [],
  priceLists: [],
  classifyRunner: gitHub.classifyRunner,
  explainRule: () => null,
  listedRunners: gitHub.listedRunners,
  rateHints: [],
  hostedName: gitHub.hostedName,
  hostedGroup: gitHub.hostedGroup,
  allowance: null,
  rounding: 'minute',
  timeLimit: gitHub.timeLimit,
  hasAttempts: true,
  createsJobsEarly: false,
  yaml: { cancelSuperseded: null, limitTime: null, runEvery: null, startOn: null, ignorePaths: null },
  workflowFiles: null,
  pagesOf: () => ({}),
  announcedSelfHostedFee: null,
  webhook: null,
} satisfies Omit<IntakeProvider, 'id' | 'title'>;

export const anyCi: IntakeProvider = { ...unnamedCi, id: 'api', title: 'Runs API' };

export const openTelemetry: IntakeProvider = { ...unnamedCi, id: 'otlp', title: 'OpenTelemetry' };
