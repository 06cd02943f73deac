import { Type } from 'typebox';
import {
  CalendarDay,
  nullable,
  nullableText,
  NullableTimestamp,
  sampleText,
  taskFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { accountKinds as kinds } from './fetch.ts';

const sampleAccount = 'bac_3f9a1c7e5b2d8046e1c4';
const sampleSource = 'src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d';

export const FetchSchema = Type.Object({
  id: sampleText('bft_6d2b8f4a1c9e3075d8b2'),
  account_id: sampleText(sampleAccount),
  is_nightly: Type.Boolean({ description: 'whether it started by itself' }),
  months: Type.Array(sampleText('2026-03'), { description: 'newest first' }),
  waiting: Type.Unsafe<{ until: Date; reason: string; message: string | null } | null>({
    ...Type.Object({
      until: Timestamp,
      reason: words(['rate_limit', 'secondary_rate_limit', 'unreachable']),
      message: nullableText('api.github.com: connection refused'),
    }),
    type: ['object', 'null'],
    description: 'why it waits',
  }),
  ...taskFields,
});

export const AccountSchema = Type.Object({
  id: sampleText(sampleAccount),
  kind: words(kinds),
  login: sampleText('acme'),
  source_id: sampleText(sampleSource, 'whose credentials read the bill'),
  created_at: Timestamp,
  months_stored: Type.Integer(),
  fetched_at: NullableTimestamp,
  fetched_until: nullable(
    Type.String({ ...CalendarDay, description: 'the last day with a line; null before the first' }),
  ),
  fault: nullableText(
    'The credentials may not read the bill of acme (403).',
    'why the latest fetch failed, and what to do',
  ),
  fetch: Type.Unsafe<Type.Static<typeof FetchSchema> | null>({
    ...FetchSchema,
    type: ['object', 'null'],
    description: 'the latest fetch',
  }),
});

export const AccountsSchema = Type.Object({
  accounts: Type.Array(AccountSchema),
  suggested: Type.Unsafe<{ kind: string; login: string; source_id: string } | null>({
    ...Type.Object({ kind: words(kinds), login: sampleText('acme'), source_id: sampleText(sampleSource) }),
    type: ['object', 'null'],
    description:
      'an account that is not connected: the owner of the repositories with the latest runs, if a GitHub source has credentials',
  }),
});

export const NewAccountBody = Type.Object(
  {
    kind: Type.Optional(words(kinds, { description: 'by default organization' })),
    login: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,100}$',
        description:
          'its name in addresses of GitHub; by default, the owner of the repositories with the latest runs',
        examples: ['acme'],
      }),
    ),
    source_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'the source whose credentials to use; optional if only one source has credentials',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ login: 'acme' }] },
);

export const NewFetchBody = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'optional if there is only one account' }),
    ),
  },
  { additionalProperties: false, examples: [{ account_id: sampleAccount }] },
);
