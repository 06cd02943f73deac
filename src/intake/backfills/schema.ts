import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  NullableTimestamp,
  PageQuery,
  Pagination,
  readOnly,
  Timestamp,
  words,
  taskFields,
} from '../../platform/http/schemas.ts';
import { headerWord } from '../../platform/http/validate.ts';
import { repositoryPattern } from './backfill.ts';

const RepositoryName = Type.String({
  pattern: repositoryPattern,
  maxLength: 201,
  description: 'owner/name',
});

export const NewBackfillBody = Type.Object(
  {
    source_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'whose credentials are used; may be left out while one source has some',
      }),
    ),
    repositories: Type.Array(RepositoryName, { minItems: 1, maxItems: 100 }),
    since: Type.String({
      maxLength: 40,
      description: 'of creation: a day, an instant, or so long ago, such as 90d or 36h',
    }),
    until: Type.Optional(Type.String({ maxLength: 40, description: 'a day (its end) or an instant; now' })),
    id: readOnly,
    status: readOnly,
    progress: readOnly,
    created_at: readOnly,
  },
  { additionalProperties: false },
);

export const BackfillSchema = Type.Object({
  id: Type.String(),
  source_id: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'null where a token was given for this once',
  }),
  is_nightly: Type.Boolean({ description: 'begun by the nightly check for missed deliveries' }),
  repositories: Type.Array(Type.String()),
  since: Timestamp,
  until: Timestamp,
  waiting: Type.Unsafe<{ until: Date; reason: string } | null>({
    ...Type.Object({
      until: Timestamp,
      reason: words(['rate_limit', 'secondary_rate_limit', 'unreachable']),
    }),
    type: ['object', 'null'],
    description: 'why it does nothing now',
  }),
  estimated_end_at: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'at the pace so far',
  }),
  unread_count: Type.Integer({ description: 'runs that GitHub lists and did not let read' }),
  unread_runs: Type.Array(
    Type.Object({
      repository: Type.String(),
      run_id: Type.String({ description: "GitHub's number of the run" }),
      reason: Type.String(),
    }),
    { description: 'the first 100 of them; the nightly check looks for them again' },
  ),
  problems: Type.Array(Type.Object({ repository: Type.String(), message: Type.String() }), {
    description: 'what else is amiss',
  }),
  ...taskFields,
});

export const CredentialsBody = Type.Object(
  {
    kind: words(['token', 'app']),
    token: Type.Optional(
      Type.String({
        minLength: 8,
        maxLength: 1_000,
        pattern: headerWord,
        description: 'of kind token: a fine-grained personal access token with "Actions: read"',
      }),
    ),
    app_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9.]{1,40}$', description: 'of kind app' })),
    installation_id: Type.Optional(Type.String({ pattern: '^[0-9]{1,20}$', description: 'of kind app' })),
    private_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'of kind app: the key in PEM' }),
    ),
    hint: readOnly,
    set_by: readOnly,
    set_at: readOnly,
    checked_at: readOnly,
  },
  { additionalProperties: false },
);
export type CredentialsBody = Type.Static<typeof CredentialsBody>;

const credentials = Type.Object({
  kind: words(['token', 'app']),
  hint: Type.String({ description: 'the last characters of a token, or the numbers of an App' }),
  set_by: Type.String(),
  set_at: Timestamp,
  checked_at: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'when the last nightly check was begun',
  }),
});
export const CredentialsSchema = credentials;
export const NullableCredentialsSchema = Type.Unsafe<Type.Static<typeof credentials> | null>({
  ...credentials,
  type: ['object', 'null'],
});

export const CompletenessQuery = Type.Object({
  days: defaulted(Type.Integer({ minimum: 1, maximum: 90 }), 30),
  ...PageQuery.properties,
});

const counts = {
  runs_listed: Type.Integer({ description: 'that GitHub lists and that ended an hour before the look' }),
  runs_had: Type.Integer({ description: 'known before' }),
  runs_completed: Type.Integer({ description: 'of those, the ones that lacked their end or a job' }),
  runs_added: Type.Integer({ description: 'not known before' }),
  runs_unread: Type.Integer({
    description: 'that could not be read yet, so that nothing can be told of them',
  }),
  completeness: Type.Number({ description: 'share of the runs that nothing was missing of, from 0 to 1' }),
};

export const CompletenessSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      repository: Type.String(),
      ...counts,
      days: Type.Array(Type.Object({ day: CalendarDay, ...counts })),
    }),
  ),
  period: Type.Object({ start: CalendarDay, end: CalendarDay, days: Type.Integer() }),
  pagination: Pagination,
});
