import { buildkite } from './buildkite/provider.ts';
import { circleCi } from './circleci/provider.ts';
import { anyCi, openTelemetry } from './generic/provider.ts';
import { gitHub } from './github/provider.ts';
import { gitLab } from './gitlab/provider.ts';
import type { IntakeProvider, Webhook } from './provider.ts';

/** Every CI system that the program knows, in the order in which pages offer them. */
export const providers: readonly IntakeProvider[] = [
  gitHub,
  gitLab,
  circleCi,
  buildkite,
  openTelemetry,
  anyCi,
];

/** Those that a source can be of. */
export const webhookProviders = providers.filter(
  (provider): provider is IntakeProvider & { webhook: Webhook } => provider.webhook !== null,
);
