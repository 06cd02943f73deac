import { Type } from 'typebox';
import { nameOf, readOnlyFields, sampleText, Timestamp } from '../../platform/http/schemas.ts';
import { addressQuery } from '../../platform/lib/text.ts';

const question = 'group_by=repository,runner&days=90';

export const SavedViewSchema = Type.Object({
  id: sampleText('view_5c1f0a9e7b3d4826f1a0'),
  name: sampleText('Runners by repository'),
  query: sampleText(question, 'what stands after `?` in the address of Explore'),
  is_shared: Type.Boolean({ description: 'whether everybody in the organization sees it' }),
  author: sampleText('Mona'),
  can_change: Type.Boolean({ description: 'whether you may change and delete it' }),
  created_at: Timestamp,
  updated_at: Timestamp,
});

const fields = {
  name: nameOf({ maxLength: 100, examples: ['Runners by repository'] }),
  query: Type.String({
    maxLength: 4_000,
    pattern: addressQuery,
    description:
      'the part after `?` in the address of Explore: parameters of `GET /costs`, and the kind of chart',
    examples: [question],
  }),
};
const optional = {
  is_shared: Type.Optional(
    Type.Boolean({
      description: 'false, the default of a new view: only you see it. Sharing needs the role `member`',
    }),
  ),
  ...readOnlyFields('id', 'author', 'can_change', 'created_at', 'updated_at'),
};

export const NewViewBody = Type.Object(
  { ...fields, ...optional },
  { additionalProperties: false, examples: [{ name: 'Runners by repository', query: question }] },
);

export const ViewChangesBody = Type.Object(
  { name: Type.Optional(fields.name), query: Type.Optional(fields.query), ...optional },
  { additionalProperties: false, examples: [{ is_shared: true }] },
);
