import { gitHub } from '../github/provider.ts';
import type { IntakeProvider } from '../provider.ts';

/**
 * Runs that are reported without saying which CI they are of. Their labels are read as GitHub's, as long as they name no
 * other provider: the price list is GitHub's.
 */
const unnamedCi = {
  service: null,
  kinds: [],
  priceLists: [],
  classifyRunner: gitHub.classifyRunner,
  explainRule: () => null,
  hostedName: gitHub.hostedName,
  rounding: 'minute',
  timeLimitHours: gitHub.timeLimitHours,
  hasAttempts: true,
  createsJobsEarly: false,
  yaml: { cancelSuperseded: null, limitTime: null },
  runUrl: () => null,
  announcedSelfHostedFee: null,
  webhook: null,
} satisfies Omit<IntakeProvider, 'id' | 'title'>;

/** `POST /api/v1/runs` without a provider. */
export const anyCi: IntakeProvider = { ...unnamedCi, id: 'api', title: 'Runs API' };

/** Traces that do not name the CI they are of. */
export const openTelemetry: IntakeProvider = { ...unnamedCi, id: 'otlp', title: 'OpenTelemetry' };
