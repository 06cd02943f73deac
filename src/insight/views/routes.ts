import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { dataOf, deletedOf, idParams, responses } from '../../platform/http/schemas.ts';
import { NewViewBody, SavedViewSchema, ViewChangesBody } from './schema.ts';
import { addView, deleteView, listViews, updateView, type SavedView } from './views.ts';

const sampleId = 'view_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const tags = ['Saved views'];
const writer = { access: { scope: 'views:write', role: 'viewer' } } as const;

export const viewRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/views',
    {
      config: { access: { scope: 'costs:read', role: 'viewer' } },
      schema: {
        tags,
        summary: 'List saved views',
        description: 'Questions about costs that you saved, or that others share, by name.',
        response: responses(200, dataOf(Type.Array(SavedViewSchema))),
      },
    },
    async ({ ctx }) => ({ data: (await listViews(ctx)).map(viewOf) }),
  );
  server.post(
    '/views',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Save a view',
        description: 'For yourself, or shared with the organization.',
        body: NewViewBody,
        response: responses(201, dataOf(SavedViewSchema), [409]),
      },
    },
    async ({ ctx, body }, reply) => reply.code(201).send({ data: viewOf(await addView(ctx, body)) }),
  );
  server.put(
    '/views/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Change a saved view',
        description: 'Changes the given fields. Only its author, admins and owners can.',
        params,
        body: ViewChangesBody,
        response: responses(200, dataOf(SavedViewSchema), [404, 409]),
      },
    },
    async ({ ctx, params: { id }, body }) => ({ data: viewOf(await updateView(ctx, id, body)) }),
  );
  server.delete(
    '/views/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Delete a saved view',
        description: 'Only its author, admins and owners can.',
        params,
        response: responses(200, dataOf(deletedOf(sampleId)), [404]),
      },
    },
    async ({ ctx, params: { id } }) => {
      await deleteView(ctx, id);
      return { data: { id, deleted: true as const } };
    },
  );
  done();
};

function viewOf({ id, name, query, isShared, author, canChange, createdAt, updatedAt }: SavedView) {
  return {
    id,
    name,
    query,
    is_shared: isShared,
    author,
    can_change: canChange,
    created_at: createdAt,
    updated_at: updatedAt,
  };
}
