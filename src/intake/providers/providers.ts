import { buildkite } from './buildkite/provider.ts';
import { circleCi } from './circleci/provider.ts';
import { anyCi, openTelemetry } from './generic/provider.ts';
import { gitHub } from './github/provider.ts';
import { gitLab } from './gitlab/provider.ts';
import type { IntakeProvider, Webhook } from './provider.ts';

/** In the order of the pages. */
export const providers: readonly IntakeProvider[] = [
  gitHub,
  gitLab,
  circleCi,
  buildkite,
  openTelemetry,
  anyCi,
];

export const webhookProviders = providers.filter(
  (provider): provider is IntakeProvider & { webhook: Webhook } => provider.webhook !== null,
);
