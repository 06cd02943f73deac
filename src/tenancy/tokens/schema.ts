import { Type } from 'typebox';
import {
  Name,
  NullableString,
  NullableTimestamp,
  readOnly,
  Timestamp,
  TimestampInput,
  words,
} from '../../platform/http/schemas.ts';
import { roles, scopes } from '../../platform/lib/actor.ts';

const Scopes = Type.Array(words(scopes), { minItems: 1, uniqueItems: true });

export const TokenSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  member_id: Type.Unsafe<string | null>({ ...NullableString, description: 'null: a service token' }),
  role: words(roles),
  scopes: Type.Array(words(scopes)),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  revoked_at: NullableTimestamp,
});

export const CreatedTokenSchema = Type.Object({
  ...TokenSchema.properties,
  token: Type.String({ description: 'the bearer token; shown this once' }),
});

export const NewTokenBody = Type.Object(
  {
    name: Name,
    role: words(roles),
    scopes: Type.Optional(
      Type.Unsafe<(typeof scopes)[number][]>({ ...Scopes, description: "your own token's by default" }),
    ),
    member_id: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 64 })),
    expires_at: Type.Optional(Type.Unsafe<string | null>({ ...TimestampInput, type: ['string', 'null'] })),
    id: readOnly,
    created_at: readOnly,
    revoked_at: readOnly,
  },
  { additionalProperties: false },
);
