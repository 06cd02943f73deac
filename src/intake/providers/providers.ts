import { gitHub } from './github/provider.ts';
import { gitLab } from './gitlab/provider.ts';
import type { Provider } from './provider.ts';

export const sourceKinds = ['github', 'gitlab'] as const;
export type SourceKind = (typeof sourceKinds)[number];

/** The CI systems that send webhooks, by the kind of their sources. */
export const providers: Record<SourceKind, Provider> = { github: gitHub, gitlab: gitLab };
