import { Type } from 'typebox';
import { NullableString, words } from '../../platform/http/schemas.ts';

export const TestChatBody = Type.Object(
  {
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 2048, description: 'left out: the one that is saved' }),
    ),
    format: Type.Optional(
      words(['slack', 'teams', 'discord', 'json'], {
        description: 'left out: the one that is saved, or slack',
      }),
    ),
  },
  { additionalProperties: false },
);

export const TestOutcomeSchema = Type.Object({
  delivered: Type.Boolean({ description: 'whether the message has been taken' }),
  status_code: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'of the chat; null where it has not answered, and for mail',
  }),
  error: Type.Unsafe<string | null>({ ...NullableString, description: 'what went wrong, and what to do' }),
});
