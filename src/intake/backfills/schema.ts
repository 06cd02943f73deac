import { Type } from 'typebox';
import {
  CalendarDay,
  defaulted,
  nullableText,
  nullableTimestampOf,
  PageQuery,
  Pagination,
  Period,
  readOnlyFields,
  sampleText,
  taskFields,
  Timestamp,
  words,
} from '../../platform/http/schemas.ts';
import { headerWord } from '../../platform/http/validate.ts';
import { repositoryPattern } from './backfill.ts';

const RepositoryName = Type.String({
  pattern: repositoryPattern,
  maxLength: 201,
  description: 'owner/name',
});

const Token = Type.String({ minLength: 8, maxLength: 1_000, pattern: headerWord });

export const NewBackfillBody = Type.Object(
  {
    source_id: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'the source whose credentials to use; optional if only one source has credentials',
      }),
    ),
    token: Type.Optional(
      Type.Unsafe<string>({
        ...Token,
        description:
          'a token for this backfill only, in place of the credentials of a source; stored encrypted until it ends',
      }),
    ),
    repositories: Type.Array(RepositoryName, { minItems: 1, maxItems: 100 }),
    since: Type.String({
      maxLength: 40,
      description: 'creation time: a day, an instant, or an age such as 90d or 36h',
    }),
    until: Type.Optional(
      Type.String({ maxLength: 40, description: 'a day (included) or an instant; now by default' }),
    ),
    ...readOnlyFields('id', 'status', 'progress', 'created_at'),
  },
  { additionalProperties: false, examples: [{ repositories: ['acme/api', 'acme/web'], since: '30d' }] },
);

export const BackfillSchema = Type.Object({
  id: Type.String({ examples: ['bkf_2c9e6a4f8b1d0357e2a6'] }),
  source_id: nullableText(
    'src_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_a266412d4c61df5d',
    'null if the backfill has its own token',
  ),
  is_nightly: Type.Boolean({ description: 'whether the nightly check started it' }),
  repositories: Type.Array(sampleText('acme/api')),
  since: Timestamp,
  until: Timestamp,
  waiting: Type.Unsafe<object | null>({
    ...Type.Object({
      until: Timestamp,
      reason: words(['rate_limit', 'secondary_rate_limit', 'unreachable']),
      message: nullableText(
        'api.github.com: connection refused',
        'while GitHub is unreachable: its host and what failed',
      ),
      attempt: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'failed attempts in a row, while GitHub is unreachable',
      }),
      max_attempts: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'the backfill fails after this attempt',
      }),
    }),
    type: ['object', 'null'],
    description: 'why it waits',
  }),
  estimated_end_at: nullableTimestampOf('at the pace so far'),
  unread_count: Type.Integer({ description: 'runs that GitHub lists but that could not be read' }),
  unread_runs: Type.Array(
    Type.Object({
      repository: Type.String({ examples: ['acme/api'] }),
      run_id: Type.String({ description: "GitHub's number of the run", examples: ['7000000001'] }),
      reason: sampleText('GitHub answered 502'),
    }),
    { description: 'the first 100; the nightly check tries them again' },
  ),
  problems: Type.Array(
    Type.Object({
      repository: Type.String({ examples: ['acme/api'] }),
      message: sampleText('acme/api does not exist, or the token cannot see it'),
      is_refused: Type.Boolean({ description: 'whether nothing more of the repository could be read' }),
    }),
    {
      description: 'other problems',
    },
  ),
  ...taskFields,
});

export const CredentialsBody = Type.Object(
  {
    kind: words(['token', 'app', 'circleci']),
    token: Type.Optional(
      Type.Unsafe<string>({
        ...Token,
        description:
          'for kind token: a fine-grained personal access token with "Actions: read"; for kind circleci: a personal ' +
          'API token of CircleCI',
      }),
    ),
    organization_id: Type.Optional(
      Type.String({
        pattern: '^[0-9A-Za-z-]{1,64}$',
        description: 'for kind circleci: the organization ID in Organization Settings, Overview',
      }),
    ),
    app_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9.]{1,40}$', description: 'for kind app' })),
    installation_id: Type.Optional(Type.String({ pattern: '^[0-9]{1,20}$', description: 'for kind app' })),
    private_key: Type.Optional(
      Type.String({ minLength: 1, maxLength: 10_000, description: 'for kind app: the key in PEM' }),
    ),
    ...readOnlyFields('hint', 'set_by', 'set_at', 'checked_at', 'is_polled'),
  },
  { additionalProperties: false, examples: [{ kind: 'token', token: 'github_pat_11ABCDEFG0example' }] },
);
export type CredentialsBody = Type.Static<typeof CredentialsBody>;

const credentials = Type.Object({
  kind: words(['token', 'app', 'circleci']),
  hint: sampleText('…x7Qp', 'the last characters of a token, or the ids of an App'),
  set_by: sampleText('mona@acme.example'),
  set_at: Timestamp,
  checked_at: nullableTimestampOf('when the last nightly check started'),
  is_polled: Type.Boolean({
    description:
      'whether GitHub is asked for new runs every 10 minutes, because its events cannot reach this server',
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
  runs_listed: Type.Integer({ description: 'runs that GitHub lists and that ended at least an hour before' }),
  runs_had: Type.Integer({ description: 'known before' }),
  runs_completed: Type.Integer({ description: 'of those, runs that lacked their end or a job' }),
  runs_added: Type.Integer({ description: 'runs that were missing' }),
  runs_unread: Type.Integer({
    description: 'runs that could not be read yet, so their state is unknown',
  }),
  completeness: Type.Number({ description: 'share of complete runs, from 0 to 1' }),
};

export const CompletenessSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      repository: Type.String({ examples: ['acme/api'] }),
      ...counts,
      days: Type.Array(Type.Object({ day: CalendarDay, ...counts })),
    }),
  ),
  period: Period,
  pagination: Pagination,
});
