import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { connectGitLab, findGitLabPlaces, type GitLabContext } from './connect.ts';
import {
  GitLabAccessBody,
  GitLabConnectionBody,
  GitLabConnectionSchema,
  GitLabPlacesSchema,
} from './schema.ts';

const admin = { tag: 'Sources', access: { scope: 'admin', role: 'admin' } } as const;
const gitLabCom = 'https://gitlab.com';

const verb = verbsWith<VerbContext & GitLabContext>();

export const gitLabVerbs = [
  verb({
    ...admin,
    name: 'gitlab place find',
    at: 'POST /gitlab-webhooks/find',
    title: 'Find groups and projects at GitLab',
    description:
      'The groups and projects to which a token may add webhooks. Runcost does not keep the token.',
    body: GitLabAccessBody,
    answer: GitLabPlacesSchema,
    run: async (ctx, { body: { address = gitLabCom, token } }) =>
      apiFields(await findGitLabPlaces(ctx, { address, token })),
  }),
  verb({
    ...admin,
    name: 'gitlab connect',
    at: 'POST /gitlab-webhooks',
    title: 'Connect GitLab',
    page: '/sources/gitlab',
    description:
      'Adds a webhook to the group or project, with the address and secret of a source, and lets GitLab send a ' +
      'test event. Another request changes the same webhook. Without group webhooks (Premium and Ultimate have ' +
      'them) it adds one to each project, ten at a time: repeat it with `next_page` and `source_id`. The token ' +
      'is not kept.',
    body: GitLabConnectionBody,
    answer: GitLabConnectionSchema,
    faults: [409],
    run: async (ctx, { body }) => {
      const { address = gitLabCom, token, path, page = 1, source_id: sourceId = null } = body;
      return apiFields(await connectGitLab(ctx, { address, token }, { path, page, sourceId }));
    },
  }),
];
