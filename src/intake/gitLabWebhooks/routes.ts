import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { connectGitLab, findGitLabPlaces, gitLabConnectionView, type GitLabPlaces } from './connect.ts';
import {
  GitLabAccessBody,
  GitLabConnectionBody,
  GitLabConnectionSchema,
  GitLabPlacesSchema,
} from './schema.ts';

const tags = ['Sources'];
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function gitLabRoutes({ publicUrl }: { publicUrl: () => string }): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    server.post(
      '/gitlab-webhooks/find',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Find groups and projects at GitLab',
          description:
            'The groups and projects to which a token may add webhooks. Runcost does not keep the token.',
          body: GitLabAccessBody,
          response: responses(200, dataOf(GitLabPlacesSchema)),
        },
      },
      async (request) => {
        const { address = gitLabCom, token } = request.body;
        const ctx = { ...request.ctx, publicUrl };
        return { data: placesView(await findGitLabPlaces(ctx, { address, token })) };
      },
    );

    server.post(
      '/gitlab-webhooks',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Connect GitLab',
          description:
            'Adds a webhook to the group or project, with the address and secret of a source, and lets GitLab send a ' +
            'test event. Another request changes the same webhook. Without group webhooks (Premium and Ultimate have ' +
            'them) it adds one to each project, ten at a time: repeat it with `next_page` and `source_id`. The token ' +
            'is not kept.',
          body: GitLabConnectionBody,
          response: responses(200, dataOf(GitLabConnectionSchema), [409]),
        },
      },
      async (request) => {
        const { address = gitLabCom, token, path, page = 1, source_id: sourceId = null } = request.body;
        const asked = { path, page, sourceId };
        const ctx = { ...request.ctx, publicUrl };
        return { data: gitLabConnectionView(await connectGitLab(ctx, { address, token }, asked)) };
      },
    );
    done();
  };
}

const gitLabCom = 'https://gitlab.com';

function placesView({ tokenName, expiresOn, isCut, ...rest }: GitLabPlaces) {
  return { token_name: tokenName, expires_on: expiresOn, ...rest, is_cut: isCut };
}
