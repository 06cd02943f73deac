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
    token: Type.Optional(Type.String({ ...Secret, description: 'a bearer token; or:' })),
    code: Type.Optional(Type.String({ ...Secret, description: 'a one-time code, from a sign-in link' })),
  },
  { additionalProperties: false },
);

export const SessionsAsked = Type.Object({
  member_id: Type.Optional(Type.String({ maxLength: 64, description: "a member's, for admins" })),
  all: defaulted(Type.Boolean({ description: 'those of everybody, for admins' }), false),
});

const nullableObject = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Type.Static<T> | null>({ anyOf: [schema, Type.Null()], description });

export const SessionSchema = Type.Object({
  id: Type.String(),
  member: nullableObject(
    Type.Object({ id: Type.String(), email: Type.String(), name: NullableString }),
    'null: of a service token or of a link that the command line printed',
  ),
  token: nullableObject(
    Type.Object({ id: Type.String(), name: Type.String() }),
    'whose rights it has and with which it ends; null: a link that the command line printed',
  ),
  role: words(roles),
  address: Type.Unsafe<string | null>({
    ...NullableString,
    description: 'the IP address that it signed in from; null where it is not known',
  }),
  is_current: Type.Boolean({ description: 'whether this very request is made with it' }),
  created_at: Timestamp,
  last_seen_at: Type.Unsafe<Date>({ ...Timestamp, description: 'ISO 8601, UTC, to five minutes' }),
  expires_at: Timestamp,
});

const Member = Type.Object({ email: Type.String(), name: NullableString });

export const SignedInSchema = Type.Object({
  organization: Type.Object({
    id: Uuid,
    name: Type.String(),
    login: Type.Unsafe<string | null>({ ...NullableString, description: 'its name at the CI provider' }),
    plan: words(plans),
  }),
  member: nullableObject(Member, 'null: signed in with a service token or by the command line'),
  role: words(roles),
  scopes: Type.Array(words(scopes)),
  expires_at: NullableTimestamp,
  command_line: Type.String({
    description:
      "how a shell on the server starts Runcost's command line, for admins with `DATA_DIR` and `PORT` where they are not the defaults",
  }),
});
