import { Type } from 'typebox';
import {
  CalendarDay,
  dayOf,
  nameOf,
  nullable,
  nullableText,
  NullableTimestamp,
  readOnlyFields,
  sampleText,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import { dimensionTexts } from '../explore/dimensionTexts.ts';
import { annotationKinds, scopeNames, type NoteScope, type ScopeName } from './annotation.ts';

const filters = Object.fromEntries(
  scopeNames.map((name) => [
    name,
    Type.Optional(
      Type.Array(Type.String({ maxLength: 2_000 }), {
        maxItems: 100,
        description: `leaves out notes on another ${name.replace('_', ' ')}, as a filter of \`GET /costs\``,
        examples: [[dimensionTexts[name][1]]],
      }),
    ),
  ]),
) as Record<ScopeName, ReturnType<typeof filterType>>;

function filterType() {
  return Type.Optional(Type.Array(Type.String()));
}

export const AnnotationsQuery = Type.Object({
  from: Type.Optional(dayOf('2026-03-01', 'first day, UTC; by default 30 days up to `to`')),
  to: Type.Optional(dayOf('2026-03-31', 'last day, UTC; today if left out')),
  kind: Type.Optional(
    Type.Array(words(annotationKinds), { maxItems: 10, description: 'only these', examples: [['note']] }),
  ),
  ...filters,
});

const scopeFields = Object.fromEntries(
  scopeNames.map((name) => [
    name,
    Type.Optional(Type.String({ minLength: 1, maxLength: 500, examples: [dimensionTexts[name][1]] })),
  ]),
);
const Scope = Type.Unsafe<NoteScope | null>(
  nullable(
    Type.Object(scopeFields, {
      additionalProperties: false,
      description:
        'one value of one or more dimensions; null for the whole organization. `workflow` is an id',
      examples: [{ repository: 'acme/api' }],
    }),
  ),
);

export const AnnotationSchema = Type.Object({
  id: sampleText('ann_5c1f0a9e7b3d4826f1a0'),
  kind: words(annotationKinds, {
    description: '`note`: by people. `price_change` and `reprice`: recorded by Runcost',
  }),
  start: CalendarDay,
  end: CalendarDay,
  text: sampleText('Moved the nightly tests to larger runners'),
  author: nullableText('Mona', 'null for a price that the price list had from the start'),
  scope: Scope,
  can_change: Type.Boolean({ description: 'whether you may change and delete it' }),
  reprice: nullable(
    Type.Object({ changed_jobs: Type.Integer(), difference: Usd, is_revert: Type.Boolean() }),
  ),
  created_at: NullableTimestamp,
  updated_at: NullableTimestamp,
});

export const WrittenNoteSchema = Type.Object({
  ...AnnotationSchema.properties,
  warnings: Type.Array(sampleText('No workflow of the repository acme/apo is recorded yet.'), {
    description: 'repositories, teams and cost centers of the scope to which nothing belongs',
  }),
});

const Text = nameOf({ maxLength: 500, examples: ['Moved the nightly tests to larger runners'] });
const Start = Type.String({ format: 'date', description: 'first day, UTC', examples: ['2026-03-17'] });
const optional = {
  end: Type.Optional(
    Type.String({ format: 'date', description: 'last day; the first if left out', examples: ['2026-03-18'] }),
  ),
  scope: Type.Optional(Scope),
  ...readOnlyFields('id', 'kind', 'author', 'can_change', 'reprice', 'created_at', 'updated_at', 'warnings'),
};
const example = {
  start: '2026-03-17',
  text: 'Moved the nightly tests to larger runners',
  scope: { repository: 'acme/api' },
};

export const NewNoteBody = Type.Object(
  { start: Start, text: Text, ...optional },
  { additionalProperties: false, examples: [example] },
);

export const NoteChangesBody = Type.Object(
  { start: Type.Optional(Start), text: Type.Optional(Text), ...optional },
  { additionalProperties: false, examples: [{ text: example.text }] },
);
