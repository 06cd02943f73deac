import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { dataOf, responses } from '../../platform/http/schemas.ts';
import { CommentsSchema, SettingsBody, SettingsSchema } from './schema.ts';
import { changeSettings, commentView, getSettings, listComments, settingsView } from './settings.ts';

const tags = ['Sources'];
const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export const pullRequestCommentRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/pull-request-settings',
    {
      config: reader,
      schema: {
        tags,
        summary: 'Get whether Runcost comments on pull requests',
        response: responses(200, dataOf(SettingsSchema)),
      },
    },
    async ({ ctx }) => ({ data: settingsView(await getSettings(ctx)) }),
  );

  server.put(
    '/pull-request-settings',
    {
      config: admin,
      schema: {
        tags,
        summary: 'Change whether Runcost comments on pull requests',
        description:
          'Applies to all repositories with a GitHub App of the organization that may write pull requests and ' +
          'checks. Absent fields stay as they are.',
        body: SettingsBody,
        response: responses(200, dataOf(SettingsSchema)),
      },
    },
    async ({ ctx, body }) => ({ data: settingsView(await changeSettings(ctx, body)) }),
  );

  server.get(
    '/pull-request-comments',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List the latest comments on pull requests',
        description: 'Lists the latest 20, with the reason if one could not be written.',
        response: responses(200, CommentsSchema),
      },
    },
    async ({ ctx }) => ({ data: (await listComments(ctx)).map(commentView) }),
  );
  done();
};
