import { Type } from 'typebox';
import { idParams } from '../../platform/http/schemas.ts';
import { deletes, verb } from '../../platform/http/verbs.ts';
import { knownActors, knownActorsCheckedOn } from './knownActors.ts';
import { createPattern, deletePattern, listPatterns, updatePattern, type Pattern } from './patterns.ts';
import { NewPatternBody, PatternChangesBody, PatternSchema, sampleId } from './schema.ts';

const params = idParams(sampleId);
const tag = 'Ownership';
const write = { tag, access: { scope: 'admin', role: 'admin' } } as const;

export const actorVerbs = [
  verb({
    tag,
    access: { scope: 'costs:read', role: 'viewer' },
    name: 'actor pattern list',
    at: 'GET /actors/patterns',
    title: 'List which actors are agents, bots and people',
    description:
      'Your patterns, then those that Runcost ships. Yours come first, the most exact one decides, and it does so for ' +
      'past days too. An actor whom no pattern names is a bot if its provider says so, and else a person.',
    page: '/settings/actors',
    answer: Type.Array(PatternSchema),
    columns: ['id', 'pattern', 'kind', 'checked_on'],
    run: async (ctx) => [
      ...(await listPatterns(ctx)).map(patternView),
      ...knownActors.map((known) => ({
        id: null,
        ...known,
        checked_on: knownActorsCheckedOn,
        updated_at: null,
      })),
    ],
  }),
  verb({
    ...write,
    name: 'actor pattern create',
    at: 'POST /actors/patterns',
    title: 'Say which actors are agents, bots or people',
    description:
      'Applies to all days at once. An account that its provider reports as an app is never a person. At most 1,000.',
    body: NewPatternBody,
    status: 201,
    answer: PatternSchema,
    faults: [409],
    run: async (ctx, { body: { pattern, kind } }) => patternView(await createPattern(ctx, { pattern, kind })),
  }),
  verb({
    ...write,
    name: 'actor pattern update',
    at: 'PUT /actors/patterns/:id',
    title: 'Change a pattern of actors',
    description: 'Changes the given fields.',
    params,
    body: PatternChangesBody,
    answer: PatternSchema,
    faults: [404, 409],
    run: async (ctx, { params: { id }, body: { pattern, kind } }) =>
      patternView(await updatePattern(ctx, id, { ...(pattern && { pattern }), ...(kind && { kind }) })),
  }),
  verb({
    ...write,
    name: 'actor pattern delete',
    at: 'DELETE /actors/patterns/:id',
    title: 'Delete a pattern of actors',
    ...deletes(sampleId, deletePattern),
    faults: [404],
  }),
];

function patternView({ id, pattern, kind, updatedAt }: Pattern) {
  return { id, pattern, kind, checked_on: null, updated_at: updatedAt };
}
