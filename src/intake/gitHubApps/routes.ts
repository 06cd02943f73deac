import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import type { FastifyRequest } from 'fastify';
import { dataOf, idParams, responses } from '../../platform/http/schemas.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import { createGitHubApp, installGitHubApp, startGitHubApp, type GitHubAppContext } from './gitHubApps.ts';
import {
  CreatedGitHubAppSchema,
  GitHubCodeBody,
  GitHubInstallationBody,
  InstalledGitHubAppSchema,
  NewGitHubAppBody,
  StartedGitHubAppSchema,
} from './schema.ts';

const tags = ['Sources'];
const admin = { access: { scope: 'admin', role: 'admin' } } as const;
const params = idParams('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d');

type GitHubAppProgram = BackfillProgram & { publicUrl: () => string };

type ContextOf = (request: FastifyRequest) => GitHubAppContext;

/** Three steps, each after a page of GitHub: start, create, install. */
export function gitHubAppRoutes(program: GitHubAppProgram): FastifyPluginCallbackTypebox {
  const contextOf: ContextOf = (request) => ({ ...program, ...request.ctx });
  return (server, _options, done) => {
    server.register(creationRoutes(contextOf));
    server.register(installationRoute(contextOf));
    done();
  };
}

function creationRoutes(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/github-apps',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Start creating a GitHub App',
          description:
            'The first of three steps that connect GitHub without copying a secret. The App may read the runs and ' +
            'names of repositories, and sends their events. Valid for an hour.',
          body: NewGitHubAppBody,
          response: responses(201, dataOf(StartedGitHubAppSchema)),
        },
      },
      async (request, reply) => {
        const { organization = null, is_reachable: isReachable, may_comment: mayComment } = request.body;
        const started = await startGitHubApp(contextOf(request), { organization, isReachable, mayComment });
        return reply.status(201).send({
          data: {
            source_id: started.sourceId,
            form_url: started.formUrl,
            manifest: JSON.stringify(started.manifest),
            expires_at: started.expiresAt,
          },
        });
      },
    );

    server.post(
      '/github-apps/create',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Create a source of a new GitHub App',
          description:
            'The second step: gets the key and the webhook secret of the App from GitHub and stores them encrypted.',
          body: GitHubCodeBody,
          response: responses(201, dataOf(CreatedGitHubAppSchema), [409]),
        },
      },
      async (request, reply) => {
        const { sourceId, installUrl } = await createGitHubApp(contextOf(request), request.body);
        return reply.status(201).send({ data: { source_id: sourceId, install_url: installUrl } });
      },
    );

    done();
  };
}

function installationRoute(contextOf: ContextOf): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/github-apps/:id/install',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Use the installation of a GitHub App',
          description:
            'The third step: the source reads with the rights of this installation, and a backfill reads the last 30 ' +
            'days. `id` is the id of the source.',
          params,
          body: GitHubInstallationBody,
          response: responses(200, dataOf(InstalledGitHubAppSchema), [404, 409]),
        },
      },
      async (request) => {
        const { installation_id: installationId } = request.body;
        const sourceId = request.params.id;
        const installed = await installGitHubApp(contextOf(request), { sourceId, installationId });
        const { isReachable, repositories, backfillId } = installed;
        return {
          data: { source_id: sourceId, is_reachable: isReachable, repositories, backfill_id: backfillId },
        };
      },
    );
    done();
  };
}
