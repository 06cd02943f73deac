import { idParams, pageOf, PageQuery } from '../../platform/http/schemas.ts';
import { deletes, type VerbContext, verbsWith } from '../../platform/http/verbs.ts';
import { answerPage, paginationView, readPagination } from '../../platform/http/views.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { invalid } from '../../platform/lib/errors.ts';
import type { BackfillProgram } from './backfill.ts';
import { completenessView, getCompleteness } from './completeness.ts';
import { deleteCredentials, getCredentials, setCredentials, type Credentials } from './credentials.ts';
import {
  BackfillSchema,
  CompletenessQuery,
  CompletenessSchema,
  CredentialsBody,
  CredentialsSchema,
  NewBackfillBody,
  NullableCredentialsSchema,
} from './schema.ts';
import { backfillView, cancelBackfill, getBackfill, listBackfills, startBackfill } from './startBackfill.ts';

const params = idParams('bkf_2c9e6a4f8b1d0357e2a6');
const sourceParams = idParams('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d');

const read = { tag: 'Backfills', access: { scope: 'admin', role: 'viewer' } } as const;
const write = { tag: 'Backfills', access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & BackfillProgram & { circleCiApiUrl: string }>();

const taskVerbs = [
  verb({
    ...read,
    name: 'backfill list',
    at: 'GET /backfills',
    title: 'List the backfills',
    page: '/history',
    description: 'Newest first, including nightly checks.',
    query: PageQuery,
    columns: [
      'id',
      ['created_at', 'began'],
      'repositories',
      'since',
      'status',
      ['progress.done', 'runs'],
      ['progress.total', 'of'],
    ],
    answer: pageOf(BackfillSchema),
    isWhole: true,
    run: (ctx, { query }) => {
      const now = ctx.clock.now();
      return answerPage(
        query,
        (page) => listBackfills(ctx, page),
        (each) => backfillView(each, now),
      );
    },
  }),
  verb({
    ...read,
    name: 'backfill get',
    at: 'GET /backfills/:id',
    title: 'Get a backfill',
    params,
    answer: BackfillSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => backfillView(await getBackfill(ctx, id), ctx.clock.now()),
  }),
  verb({
    ...read,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'backfill completeness get',
    at: 'GET /backfills/completeness',
    title: 'Get the completeness of deliveries',
    description:
      'How many of the runs that GitHub lists were recorded before a backfill or nightly check, by ' +
      'repository and day of creation. Repositories with the most gaps come first.',
    query: CompletenessQuery,
    answer: CompletenessSchema,
    columns: [
      'repository',
      ['runs_listed', 'listed'],
      ['runs_had', 'had'],
      ['runs_completed', 'completed'],
      ['runs_added', 'added'],
      ['runs_unread', 'unread'],
      'completeness',
    ],
    isWhole: true,
    run: async (ctx, { query }) => {
      const page = readPagination(query);
      const { window, repositories, total } = await getCompleteness(ctx, { days: query.days, ...page });
      const pagination = paginationView(page, total);
      return { data: repositories.map(completenessView), period: window, pagination };
    },
  }),
  verb({
    ...write,
    name: 'backfill start',
    at: 'POST /backfills',
    title: 'Start a backfill',
    description:
      'Reads runs of GitHub repositories with the jobs of all attempts. Completes runs that are already ' +
      'recorded; nothing is counted twice.',
    body: NewBackfillBody,
    status: 202,
    answer: BackfillSchema,
    run: async (ctx, { body: { source_id: sourceId, token, repositories, since, until } }) => {
      if (sourceId !== undefined && token !== undefined)
        throw invalid('token', (nameOf) => `must be left out with ${nameOf('source_id')}`);
      const backfill = await startBackfill(ctx, { sourceId, token, repositories, since, until });
      return backfillView(backfill, ctx.clock.now());
    },
  }),
  verb({
    ...write,
    name: 'backfill cancel',
    at: 'POST /backfills/:id/cancel',
    title: 'Cancel a backfill',
    description: 'The recorded runs stay.',
    params,
    answer: BackfillSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id } }) => backfillView(await cancelBackfill(ctx, id), ctx.clock.now()),
  }),
];

const credentialsVerbs = [
  verb({
    ...read,
    tag: 'Sources',
    name: 'source credentials get',
    at: 'GET /sources/:id/credentials',
    title: 'Get the credentials of a source',
    description: 'Null without credentials. The token or key itself is never shown.',
    params: sourceParams,
    answer: NullableCredentialsSchema,
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      const credentials = await getCredentials(ctx, id);
      return credentials && apiFields(credentials);
    },
  }),
  verb({
    ...write,
    tag: 'Sources',
    name: 'source credentials set',
    at: 'PUT /sources/:id/credentials',
    title: 'Set the credentials of a source',
    description:
      'A fine-grained token, or a GitHub App with one of its installations, with the repository ' +
      'permission "Actions: read". They are stored encrypted. From then on, a nightly check fills gaps. For a ' +
      'CircleCI source, a personal API token and the organization ID: usage data is then read every night.',
    params: sourceParams,
    body: CredentialsBody,
    answer: CredentialsSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) =>
      apiFields(await setCredentials(ctx, id, credentialsOf(body))),
  }),
  verb({
    ...write,
    tag: 'Sources',
    name: 'source credentials delete',
    at: 'DELETE /sources/:id/credentials',
    title: 'Delete the credentials of a source',
    ...deletes('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d', deleteCredentials),
    faults: [404],
  }),
];

export const backfillVerbs = [...taskVerbs, ...credentialsVerbs];

const fieldsOf = {
  token: ['token'],
  app: ['app_id', 'installation_id', 'private_key'],
  circleci: ['token', 'organization_id'],
} as const;

function credentialsOf({ kind, ...body }: CredentialsBody): Credentials {
  const wanted: readonly string[] = fieldsOf[kind];
  for (const field of new Set(Object.values(fieldsOf).flat())) {
    if (wanted.includes(field) && body[field] === undefined)
      throw invalid(field, `is required for kind ${kind}`);
    if (!wanted.includes(field) && body[field] !== undefined)
      throw invalid(field, `must be left out for kind ${kind}`);
  }
  const { token, app_id, installation_id, private_key, organization_id } = body;
  if (kind === 'token') return { kind, token: token! };
  if (kind === 'circleci') return { kind, token: token!, organizationId: organization_id! };
  return { kind, appId: app_id!, installationId: installation_id!, privateKey: private_key! };
}
