import { Type } from 'typebox';
import { idParams } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { NewViewBody, SavedViewSchema, ViewChangesBody } from './schema.ts';
import { addView, deleteView, listViews, updateView } from './views.ts';

const sampleId = 'view_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const tag = 'Saved views';
const write = { tag, access: { scope: 'views:write', role: 'viewer' } } as const;

export const viewVerbs = [
  verb({
    tag,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'view list',
    at: 'GET /views',
    title: 'List saved views',
    description: 'Questions about costs that you saved, or that others share, by name.',
    answer: Type.Array(SavedViewSchema),
    run: async (ctx) => (await listViews(ctx)).map(apiFields),
  }),
  verb({
    ...write,
    name: 'view create',
    at: 'POST /views',
    title: 'Save a view',
    description: 'For yourself, or shared with the organization.',
    body: NewViewBody,
    status: 201,
    answer: SavedViewSchema,
    faults: [409],
    run: async (ctx, { body }) => apiFields(await addView(ctx, body)),
  }),
  verb({
    ...write,
    name: 'view update',
    at: 'PUT /views/:id',
    title: 'Change a saved view',
    description: 'Changes the given fields. Only its author, admins and owners can.',
    params,
    body: ViewChangesBody,
    answer: SavedViewSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body }) => apiFields(await updateView(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'view delete',
    at: 'DELETE /views/:id',
    title: 'Delete a saved view',
    description: 'Only its author, admins and owners can.',
    ...deletes(sampleId, deleteView),
    faults: [404],
  }),
];
