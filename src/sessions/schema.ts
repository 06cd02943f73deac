import { Type } from 'typebox';
import { NullableString, NullableTimestamp, Uuid, words } from '../http/schemas.ts';
import { plans, roles, scopes } from '../lib/actor.ts';

const Secret = { minLength: 1, maxLength: 512 };

export const SignInBody = Type.Object(
  {
    token: Type.Optional(Type.String({ ...Secret, description: 'a bearer token; or:' })),
    code: Type.Optional(Type.String({ ...Secret, description: 'a one-time code, from a sign-in link' })),
  },
  { additionalProperties: false },
);

const Member = Type.Object({ email: Type.String(), name: NullableString });

export const SignedInSchema = Type.Object({
  organization: Type.Object({
    id: Uuid,
    name: Type.String(),
    login: Type.Unsafe<string | null>({ ...NullableString, description: 'its name at the CI provider' }),
    plan: words(plans),
  }),
  member: Type.Unsafe<Type.Static<typeof Member> | null>({
    anyOf: [Member, Type.Null()],
    description: 'null: signed in with a service token or by the command line',
  }),
  role: words(roles),
  scopes: Type.Array(words(scopes)),
  expires_at: NullableTimestamp,
});
