import { gitHub } from './githubProvider.ts';
import { gitLab } from './gitlabProvider.ts';
import type { Provider } from './provider.ts';

export const sourceKinds = ['github', 'gitlab'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** The CI systems that send webhooks, by the kind of their sources. */
export const providers: Record<SourceKind, Provider> = { github: gitHub, gitlab: gitLab };
