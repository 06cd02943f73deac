import { Type } from 'typebox';
import { deletedOf, idParams } from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { webhookProviders } from '../providers/providers.ts';
import { CreatedSourceSchema, NewSourceBody, SourceKindSchema, SourceSchema } from './schema.ts';
import { createSource, deleteSource, listSources, type ListedSource } from './sources.ts';

const tag = 'Sources';
const read = { tag, access: { scope: 'admin', role: 'viewer' } } as const;
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

type SourceProgram = { publicUrl: () => string };

const verb = verbsWith<VerbContext & SourceProgram>();

export const sourceVerbs = [
  verb({
    ...read,
    name: 'source list',
    at: 'GET /sources',
    title: 'List the sources',
    page: '/sources',
    answer: Type.Array(SourceSchema),
    run: async (ctx) => (await listSources(ctx)).map((source) => viewOf(source, ctx)),
  }),
  verb({
    ...write,
    name: 'source create',
    at: 'POST /sources',
    title: 'Create a source',
    description:
      'Enter `ingest_url` and `secret` in ' +
      `${webhookProviders.map(({ webhook }) => webhook.docs.setup).join('; or in ')}. The secret is ` +
      'shown only once.',
    body: NewSourceBody,
    status: 201,
    answer: CreatedSourceSchema,
    faults: [409],
    run: async (ctx, { body: { kind, name } }) => {
      const { source, secret } = await createSource(ctx, {
        kind,
        name: name ?? webhookProviders.find(({ id }) => id === kind)!.title,
      });
      const fresh = { ...source, app: null, hasCredentials: false, hasAppKey: false };
      return { ...viewOf(fresh, ctx), secret };
    },
  }),
  verb({
    ...write,
    name: 'source delete',
    at: 'DELETE /sources/:id',
    title: 'Delete a source',
    description: 'Its events are refused from now on. Recorded runs stay.',
    params: idParams('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'),
    answer: deletedOf('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'),
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await deleteSource(ctx, id);
      return { id, deleted: true as const };
    },
  }),
  verb({
    ...read,
    name: 'source kind list',
    at: 'GET /sources/kinds',
    title: 'List the source kinds',
    description: 'Lists the providers that can send events, and how to connect them.',
    answer: Type.Array(SourceKindSchema),
    columns: ['kind', 'title', 'has_backfills'],
    run: async (ctx) => {
      const { login } = await getOrganization(ctx);
      return webhookProviders.map(({ id, title, webhook }) => ({
        kind: id,
        title,
        has_backfills: webhook.hasBackfills,
        has_usage_data: webhook.hasUsageData,
        ...apiFields(webhook.shown),
        how_to_connect: apiFields(webhook.howToConnect(login)),
      }));
    },
  }),
];

function viewOf(source: ListedSource, { publicUrl }: SourceProgram) {
  const { id, app } = source;
  return {
    ...apiFields(source),
    ingest_url: `${publicUrl()}/api/v1/ingest/${id}`,
    github_app: app && { page_url: app.pageUrl, created_by: app.startedBy },
  };
}
