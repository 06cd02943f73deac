import { verb } from '../../platform/http/verbs.ts';
import { CommentsSchema, SettingsBody, SettingsSchema } from './schema.ts';
import { changeSettings, commentView, getSettings, listComments, settingsView } from './settings.ts';

const read = { tag: 'Sources', access: { scope: 'costs:read', role: 'viewer' } } as const;
const admin = { tag: 'Sources', access: { scope: 'admin', role: 'admin' } } as const;

export const pullRequestCommentVerbs = [
  verb({
    ...read,
    name: 'pull-request settings get',
    at: 'GET /pull-request-settings',
    title: 'Get what Runcost does in pull requests',
    answer: SettingsSchema,
    run: async (ctx) => settingsView(await getSettings(ctx)),
  }),
  verb({
    ...admin,
    name: 'pull-request settings update',
    at: 'PUT /pull-request-settings',
    title: 'Change what Runcost does in pull requests',
    page: '/settings/pull-requests',
    description:
      'Applies to all repositories with a GitHub App of the organization that may write pull requests and ' +
      'checks. Absent fields stay as they are.',
    body: SettingsBody,
    answer: SettingsSchema,
    run: async (ctx, { body }) => settingsView(await changeSettings(ctx, body)),
  }),
  verb({
    ...read,
    name: 'pull-request comment list',
    at: 'GET /pull-request-comments',
    title: 'List the latest comments on pull requests',
    description: 'Lists the latest 20, with the reason if one could not be written.',
    columns: [
      'repository',
      ['pull_request', 'pull request'],
      'status',
      ['written_at', 'written'],
      ['is_comment_deleted', 'deleted'],
      ['error', 'reason'],
      'note',
    ],
    answer: CommentsSchema,
    isWhole: true,
    run: async (ctx) => ({ data: (await listComments(ctx)).map(commentView) }),
  }),
];
