import { Type } from 'typebox';
import {
  nullable,
  NullableTimestamp,
  nullableText,
  sampleText,
  Usd,
  words,
} from '../../platform/http/schemas.ts';
import type { DecimalNumber } from '../../platform/lib/money.ts';

const limit = 'US dollars; the check fails if the list cost of a pull request is higher. Null means no limit';

const opensFixes =
  'whether admins may open pull requests with fixes; the App needs the rights to write contents, workflows and pull requests';

export const SettingsBody = Type.Object(
  {
    enabled: Type.Optional(
      Type.Boolean({ description: 'whether the GitHub App comments on pull requests and sets a check' }),
    ),
    fail_above: Type.Optional(
      nullable(Type.Number({ minimum: 0, maximum: 1_000_000_000, description: limit })),
    ),
    open_fixes: Type.Optional(Type.Boolean({ description: opensFixes })),
  },
  { additionalProperties: false, examples: [{ enabled: true, fail_above: 5 }] },
);

export const SettingsSchema = Type.Object({
  enabled: Type.Boolean(),
  fail_above: Type.Unsafe<DecimalNumber | null>({ ...Usd, type: ['number', 'null'], description: limit }),
  open_fixes: Type.Boolean({ description: opensFixes }),
});

export const CommentsSchema = Type.Object({
  data: Type.Array(
    Type.Object({
      repository: sampleText('acme/api'),
      pull_request: Type.Integer({ examples: [42] }),
      status: words(['due', 'written', 'failed'], {
        description: '`failed`: Runcost tries again when the next run of the pull request ends',
      }),
      is_comment_deleted: Type.Boolean({
        description: 'somebody deleted the comment at the provider, so only the check is written',
      }),
      error: nullableText('The App is not installed in this repository.', 'of the last attempt'),
      note: nullableText(
        'The App needs the repository permission "Contents: read".',
        'why the comment has no estimate of changed workflow files',
      ),
      due_at: NullableTimestamp,
      written_at: NullableTimestamp,
    }),
  ),
});
