import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { dataOf, deletedOf, idParams, responses } from '../../platform/http/schemas.ts';
import { annotationView, type Annotation } from './annotation.ts';
import { addNote, deleteNote, listAnnotations, noteWarnings, updateNote } from './annotations.ts';
import {
  AnnotationSchema,
  AnnotationsQuery,
  NewNoteBody,
  NoteChangesBody,
  WrittenNoteSchema,
} from './schema.ts';

const reader = { access: { scope: 'costs:read', role: 'viewer' } } as const;
const writer = { access: { scope: 'annotations:write', role: 'member' } } as const;
const params = idParams('ann_5c1f0a9e7b3d4826f1a0');
const tags = ['Annotations'];

export const annotationRoutes: FastifyPluginCallbackTypebox = (server, _options, done) => {
  server.get(
    '/annotations',
    {
      config: reader,
      schema: {
        tags,
        summary: 'List annotations',
        description:
          'Notes by people, price changes and reprices by day, the earliest first. A reprice is on the days whose ' +
          'jobs it priced again.',
        querystring: AnnotationsQuery,
        response: responses(200, dataOf(Type.Array(AnnotationSchema))),
      },
    },
    async ({ ctx, query }) => ({ data: (await listAnnotations(ctx, query)).map(annotationView) }),
  );
  server.post(
    '/annotations',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Add a note',
        description: 'On a day or several, about the whole organization or a part of it.',
        body: NewNoteBody,
        response: responses(201, dataOf(WrittenNoteSchema), [409]),
      },
    },
    async ({ ctx, body }, reply) =>
      reply.code(201).send({ data: await writtenView(ctx, await addNote(ctx, body)) }),
  );
  server.put(
    '/annotations/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Change a note',
        description: 'Changes the given fields. Only its author, admins and owners can.',
        params,
        body: NoteChangesBody,
        response: responses(200, dataOf(WrittenNoteSchema), [404]),
      },
    },
    async ({ ctx, params: { id }, body }) => ({
      data: await writtenView(ctx, await updateNote(ctx, id, body)),
    }),
  );
  server.delete(
    '/annotations/:id',
    {
      config: writer,
      schema: {
        tags,
        summary: 'Delete a note',
        description: 'Only its author, admins and owners can.',
        params,
        response: responses(200, dataOf(deletedOf('ann_5c1f0a9e7b3d4826f1a0')), [404]),
      },
    },
    async ({ ctx, params: { id } }) => {
      await deleteNote(ctx, id);
      return { data: { id, deleted: true as const } };
    },
  );
  done();
};

async function writtenView(ctx: Context, note: Annotation) {
  return { ...annotationView(note), warnings: await noteWarnings(ctx, note) };
}
