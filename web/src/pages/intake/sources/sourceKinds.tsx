import type { ReactNode } from 'react';
import type { Source } from '../../tenancy/queries.ts';
import { AtGitHub } from './AtGitHub.tsx';
import { AtGitLab } from './AtGitLab.tsx';

export type SourceKind = Source['kind'];

type Words = {
  title: string;
  /** The one on the internet, which cannot reach every server; one's own may. */
  hostedTitle: string;
  /** What the address and the secret are called there. */
  urlLabel: string;
  secretLabel: string;
  steps: () => ReactNode;
  /** When the first event comes, and the first run. */
  firstEvent: string;
  firstRun: string;
  /** Where its answers of this server can be seen. */
  deliveriesPlace: string;
};

/** How each CI speaks of its webhooks. */
export const sourceKinds: Record<SourceKind, Words> = {
  github: {
    title: 'GitHub',
    hostedTitle: 'GitHub',
    urlLabel: 'Payload URL',
    secretLabel: 'Secret',
    steps: AtGitHub,
    firstEvent: 'GitHub sends one as soon as the webhook is added.',
    firstRun: 'It comes with the next run of any workflow. Push a commit, or run a workflow by hand.',
    deliveriesPlace: 'open the webhook and its tab “Recent Deliveries”',
  },
  gitlab: {
    title: 'GitLab',
    hostedTitle: 'GitLab.com',
    urlLabel: 'URL',
    secretLabel: 'Secret token',
    steps: AtGitLab,
    firstEvent: 'It comes with the next job or pipeline, or with “Test → Pipeline events” at the webhook.',
    firstRun: 'It comes with the next pipeline. Push a commit, or run a pipeline by hand.',
    deliveriesPlace: 'edit the webhook and look at “Recent events”',
  },
};
