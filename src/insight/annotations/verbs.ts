import { Type } from 'typebox';
import type { Context } from '../../context.ts';
import { idParams } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { annotationView, type Annotation } from './annotation.ts';
import { addNote, deleteNote, listAnnotations, noteWarnings, updateNote } from './annotations.ts';
import {
  AnnotationSchema,
  AnnotationsQuery,
  NewNoteBody,
  NoteChangesBody,
  WrittenNoteSchema,
} from './schema.ts';

const sampleId = 'ann_5c1f0a9e7b3d4826f1a0';
const params = idParams(sampleId);
const tag = 'Annotations';
const write = { tag, access: { scope: 'annotations:write', role: 'member' } } as const;

export const annotationVerbs = [
  verb({
    tag,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'annotation list',
    at: 'GET /annotations',
    title: 'List annotations',
    assistant: true,
    description:
      'Notes by people, price changes and reprices by day, the earliest first. A reprice is on the days whose ' +
      'jobs it priced again.',
    query: AnnotationsQuery,
    answer: Type.Array(AnnotationSchema),
    columns: [['id', 'annotation'], 'start', 'end', 'text', ['scope', 'about'], ['author', 'by']],
    run: async (ctx, { query }) => (await listAnnotations(ctx, query)).map(annotationView),
  }),
  verb({
    ...write,
    name: 'annotation add',
    at: 'POST /annotations',
    title: 'Add a note',
    description: 'On a day or several, about the whole organization or a part of it.',
    body: NewNoteBody,
    status: 201,
    answer: WrittenNoteSchema,
    faults: [409],
    run: async (ctx, { body }) => writtenView(ctx, await addNote(ctx, body)),
  }),
  verb({
    ...write,
    name: 'annotation update',
    at: 'PUT /annotations/:id',
    title: 'Change a note',
    description: 'Changes the given fields. Only its author, admins and owners can.',
    params,
    body: NoteChangesBody,
    answer: WrittenNoteSchema,
    faults: [404],
    run: async (ctx, { params: { id }, body }) => writtenView(ctx, await updateNote(ctx, id, body)),
  }),
  verb({
    ...write,
    name: 'annotation delete',
    at: 'DELETE /annotations/:id',
    title: 'Delete a note',
    description: 'Only its author, admins and owners can.',
    ...deletes(sampleId, deleteNote),
    faults: [404],
  }),
];

async function writtenView(ctx: Context, note: Annotation) {
  return { ...annotationView(note), warnings: await noteWarnings(ctx, note) };
}
