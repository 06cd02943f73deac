import { Type, type TSchema } from 'typebox';
import {
  defaulted,
  NullableString,
  NullableTimestamp,
  Timestamp,
  Uuid,
  words,
} from '../../platform/http/schemas.ts';
import { plans, roles, scopes } from '../../platform/lib/actor.ts';

const Secret = { minLength: 1, maxLength: 512 };

export const SignInBody = Type.Object(
  {
    token: Type.Optional(Type.String({ ...Secret, description: 'a bearer token; send this or `code`' })),
    code: Type.Optional(Type.String({ ...Secret, description: 'a one-time code from a sign-in link' })),
  },
  { additionalProperties: false },
);

export const SessionsAsked = Type.Object({
  member_id: Type.Optional(Type.String({ maxLength: 64, description: "a member's sessions, for admins" })),
  all: defaulted(Type.Boolean({ description: "everybody's sessions, for admins" }), false),
});

const nullableObject = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Type.Static<T> | null>({ anyOf: [schema, Type.Null()], description });

export const SessionSchema = Type.Object({
  id: Type.String(),
  member: nullableObject(
    Type.Object({ id: Type.String(), email: Type.String(), name: NullableString }),
    'null for service accounts and sign-in links',
  ),
  token: nullableObject(
    Type.Object({ id: Type.String(), name: Type.String() }),
    'the token that gives the session its rights and ends it; null for sign-in links',
  ),
  role: words(roles),
  address: Type.Unsafe<string | null>({
    ...NullableString,
    description: 'the IP address that signed in; null if unknown',
  }),
  is_current: Type.Boolean({ description: 'whether this request uses this session' }),
  created_at: Timestamp,
  last_seen_at: Type.Unsafe<Date>({ ...Timestamp, description: 'ISO 8601, UTC, accurate to five minutes' }),
  expires_at: Timestamp,
});

const Member = Type.Object({ email: Type.String(), name: NullableString });

export const SignedInSchema = Type.Object({
  organization: Type.Object({
    id: Uuid,
    name: Type.String(),
    login: Type.Unsafe<string | null>({
      ...NullableString,
      description: "the organization's name at its provider",
    }),
    plan: words(plans),
  }),
  member: nullableObject(Member, 'null for service accounts and the command line'),
  role: words(roles),
  scopes: Type.Array(words(scopes)),
  expires_at: NullableTimestamp,
  command_line: Type.String({
    description:
      'how to start the command line on the server; for admins it includes `DATA_DIR` and `PORT` if they are not the defaults',
  }),
});
