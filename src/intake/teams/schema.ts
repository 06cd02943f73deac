import { Type } from 'typebox';
import {
  defaulted,
  nameOf,
  NullableTimestamp,
  sampleText,
  taskFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { importSources } from './ownerImport.ts';

const property = (name: string, description: string) =>
  defaulted(nameOf({ maxLength: 75, description }), name);

export const NewImportBody = Type.Object(
  {
    from: words(importSources, {
      description:
        '`codeowners`: the owner of all files in CODEOWNERS; `custom_properties`: custom properties of the GitHub organization',
    }),
    source_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'the source whose credentials to use; optional if only one source has credentials',
      }),
    ),
    team_property: property('team', 'the custom property that names the team'),
    cost_center_property: property('cost_center', 'the custom property that names the cost center'),
  },
  { additionalProperties: false, examples: [{ from: 'codeowners' }] },
);

export const OwnerImportSchema = Type.Object({
  id: sampleText('oimp_7a1c3e5f9b2d8046c4e1'),
  from: words(importSources),
  source_id: sampleText('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'),
  found: Type.Integer({ description: 'owners found so far' }),
  waiting: Type.Unsafe<{ until: Date; reason: string } | null>({
    ...Type.Object({
      until: Timestamp,
      reason: words(['rate_limit', 'secondary_rate_limit', 'unreachable']),
    }),
    type: ['object', 'null'],
    description: 'why it waits',
  }),
  problems: Type.Array(
    Type.Object({
      name: sampleText('acme/api', 'the repository or organization that could not be read'),
      message: sampleText('The CODEOWNERS file of acme/api could not be read (403).'),
    }),
  ),
  ...taskFields,
  ended_at: NullableTimestamp,
});
