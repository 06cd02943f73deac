import { Type } from 'typebox';
import {
  nullableObject,
  NullableTimestamp,
  sampleText,
  taskFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { repositoryPattern } from '../backfills/backfill.ts';

export const NewReadingBody = Type.Object(
  {
    source_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'the source whose credentials to use; optional if only one source has credentials',
      }),
    ),
    repositories: Type.Optional(
      Type.Array(Type.String({ pattern: repositoryPattern, examples: ['acme/api'] }), {
        minItems: 1,
        maxItems: 200,
        uniqueItems: true,
        description:
          'owner/name; without it, all that the App may read, or those with runs in the last 30 days',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ repositories: ['acme/api'] }] },
);

export const ReadingSchema = Type.Object({
  id: sampleText('sto_3b8d0f6a2c4e9175d8a0'),
  source_id: sampleText('src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d'),
  is_nightly: Type.Boolean(),
  waiting: nullableObject(
    Type.Object({
      until: Timestamp,
      reason: words(['rate_limit', 'secondary_rate_limit', 'unreachable']),
    }),
    'why it waits',
  ),
  problems: Type.Array(
    Type.Object({
      repository: sampleText('acme/api'),
      message: sampleText('The caches of acme/api could not be read.', 'what could not be read, and why'),
    }),
  ),
  ...taskFields,
  ended_at: NullableTimestamp,
});
