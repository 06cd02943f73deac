import type { Program } from '../../context.ts';
import { listAppCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer, GitHubClient } from '../backfills/gitHubClient.ts';
import { providerOfApi } from './manifest.ts';

export type AppProgram = Pick<Program, 'db' | 'vault' | 'egress' | 'clock'> & { gitHubApiUrl: string };

export type AppClient = GitHubClient & { sourceId: string; appId: string; installationId: string };

/** Starts with the App of this source. Does not throw: `fault` says why there is none. */
export async function openAppClients(
  program: AppProgram,
  orgId: string,
  { provider, sourceId }: { provider: string | null; sourceId: string | null },
): Promise<{ clients: AppClient[]; fault: string }> {
  if (provider !== null && provider !== providerOfApi(program.gitHubApiUrl))
    return { clients: [], fault: `The runs are from ${provider}, but GITHUB_API_URL names another server.` };
  const apps = await listAppCredentials(program, orgId);
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  const clients = apps
    .toSorted((a, b) => Number(b.sourceId === sourceId) - Number(a.sourceId === sourceId))
    .flatMap(({ sourceId: own, credentials }): AppClient[] => {
      if (credentials.kind !== 'app') return [];
      const { appId, installationId } = credentials;
      return [{ ...createGitHubClient(program, credentials), sourceId: own, appId, installationId }];
    });
  return { clients, fault: 'No source has the credentials of a GitHub App.' };
}

export type Unanswered =
  | { kind: 'wait'; until: Date; message: string }
  | { kind: 'unreachable'; message: string }
  /** Retrying helps only after somebody changed something. */
  | { kind: 'refused'; message: string };

/** `right` says what GitHub refuses, and which permission the App needs for it. */
export function unanswered(
  answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' } | { kind: 'unchanged' }>,
  right: string,
): Unanswered {
  switch (answer.kind) {
    case 'wait': {
      const message = `GitHub asks to wait until ${answer.until.toISOString()}.`;
      return { kind: 'wait', until: answer.until, message };
    }
    case 'unreachable':
      return { kind: 'unreachable', message: `GitHub cannot be reached: ${answer.message}.` };
    case 'unauthenticated': {
      const message =
        'GitHub gives the App no access: its installation was suspended or removed, or its key was replaced.';
      return { kind: 'refused', message };
    }
    case 'refused':
      return {
        kind: 'refused',
        message:
          answer.status === 404
            ? 'The App is not installed in this repository.'
            : `GitHub refuses ${right}, and a person must accept it at GitHub: ${answer.message}`,
      };
  }
}
