import { idParams } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { createGitHubApp, installGitHubApp, startGitHubApp, type GitHubAppContext } from './gitHubApps.ts';
import {
  CreatedGitHubAppSchema,
  GitHubCodeBody,
  GitHubInstallationBody,
  InstalledGitHubAppSchema,
  NewGitHubAppBody,
  StartedGitHubAppSchema,
} from './schema.ts';

const admin = { tag: 'Sources', access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & GitHubAppContext>();

/** Three steps, each after a page of GitHub: start, create, install. */
export const gitHubAppVerbs = [
  verb({
    ...admin,
    name: 'github-app start',
    at: 'POST /github-apps',
    title: 'Start creating a GitHub App',
    description:
      'The first of three steps that connect GitHub without copying a secret. The App may read the runs and ' +
      'names of repositories, and sends their events. Valid for an hour.',
    body: NewGitHubAppBody,
    status: 201,
    answer: StartedGitHubAppSchema,
    run: async (ctx, { body }) => {
      const { organization = null, is_reachable: isReachable } = body;
      const { may_comment: mayComment, may_open_fixes: mayOpenFixes } = body;
      const started = await startGitHubApp(ctx, { organization, isReachable, mayComment, mayOpenFixes });
      return {
        source_id: started.sourceId,
        form_url: started.formUrl,
        manifest: JSON.stringify(started.manifest),
        expires_at: started.expiresAt,
      };
    },
  }),
  verb({
    ...admin,
    name: 'github-app create',
    at: 'POST /github-apps/create',
    title: 'Create a source of a new GitHub App',
    description:
      'The second step: gets the key and the webhook secret of the App from GitHub and stores them encrypted.',
    body: GitHubCodeBody,
    status: 201,
    answer: CreatedGitHubAppSchema,
    faults: [409],
    run: async (ctx, { body }) => {
      const { sourceId, installUrl } = await createGitHubApp(ctx, body);
      return { source_id: sourceId, install_url: installUrl };
    },
  }),
  verb({
    ...admin,
    name: 'github-app install',
    at: 'POST /github-apps/:id/install',
    title: 'Use the installation of a GitHub App',
    description:
      'The third step: the source reads with the rights of this installation, and a backfill reads the last 30 ' +
      'days. `id` is the id of the source.',
    params: idParams('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'),
    body: GitHubInstallationBody,
    answer: InstalledGitHubAppSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id: sourceId }, body: { installation_id: installationId } }) => {
      const installed = await installGitHubApp(ctx, { sourceId, installationId });
      const { isReachable, repositories, backfillId } = installed;
      return { source_id: sourceId, is_reachable: isReachable, repositories, backfill_id: backfillId };
    },
  }),
];
