import type { FastifyPluginCallbackTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import {
  dataOf,
  idParams,
  Name,
  nullableText,
  NullableTimestamp,
  readOnly,
  responses,
  sampleText,
  Timestamp,
  TimestampInput,
  words,
} from '../../platform/http/schemas.ts';
import { roles, scopes as allScopes, type Scope } from '../../platform/lib/actor.ts';
import { readInstant } from '../../platform/lib/time.ts';
import type { EndLinkSessions } from '../members/members.ts';
import { createToken, kindOf, listTokens, revokeToken, type Token } from './tokens.ts';

const params = idParams('tok_72f7ab46193cdf1e16cc');

const Scopes = Type.Array(words(allScopes), { minItems: 1, uniqueItems: true });

const TokenSchema = Type.Object({
  id: Type.String({ examples: ['tok_72f7ab46193cdf1e16cc'] }),
  name: sampleText('Grafana'),
  kind: words(['personal', 'service'], {
    description: '`personal` belongs to a member and ends with them; `service` is for programs',
  }),
  member_id: nullableText('mem_5c1f0a9e7b3d4826f1a0', 'null for a service account'),
  role: words(roles),
  scopes: Type.Array(words(allScopes)),
  created_at: Timestamp,
  expires_at: NullableTimestamp,
  revoked_at: NullableTimestamp,
  last_used_at: Type.Unsafe<Date | null>({
    ...NullableTimestamp,
    description: 'ISO 8601, UTC, accurate to five minutes; null if never used',
  }),
});

const CreatedTokenSchema = Type.Object({
  ...TokenSchema.properties,
  token: sampleText(
    'runcost_b7e9d0c24f1a4c3b8d5e6a7f8c9d0e1f_72f7ab46193cdf1e16cc_mW4xK8nB2vQ6tY0rE5uI9oP3aS7dF1gH',
    'the bearer token, shown only once',
  ),
});

const NewTokenBody = Type.Object(
  {
    name: Name,
    role: words(roles),
    scopes: Type.Optional(
      Type.Unsafe<(typeof allScopes)[number][]>({
        ...Scopes,
        description: 'default: the scopes of your own token',
      }),
    ),
    member_id: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength: 64 })),
    expires_at: Type.Optional(Type.Unsafe<string | null>({ ...TimestampInput, type: ['string', 'null'] })),
    id: readOnly,
    created_at: readOnly,
    revoked_at: readOnly,
    kind: readOnly,
    last_used_at: readOnly,
  },
  {
    additionalProperties: false,
    examples: [
      { name: 'Grafana', role: 'viewer', scopes: ['costs:read'], expires_at: '2030-12-31T00:00:00Z' },
    ],
  },
);

const admin = { access: { scope: 'admin', role: 'admin' } } as const;

export function tokenRoutes({
  endLinkSessions,
}: {
  endLinkSessions: EndLinkSessions;
}): FastifyPluginCallbackTypebox {
  return (server, _options, done) => {
    const tags = ['Tokens'];
    server.get(
      '/tokens',
      {
        config: admin,
        schema: {
          tags,
          summary: 'List the tokens',
          description:
            'Newest first: all active tokens and the newest revoked or expired ones, at most 2,000.',
          response: responses(200, dataOf(Type.Array(TokenSchema))),
        },
      },
      async (request) => ({ data: (await listTokens(request.ctx)).map(tokenView) }),
    );

    server.post(
      '/tokens',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Create a token',
          description:
            'The response shows the token once. You can only grant scopes and roles that you have.',
          body: NewTokenBody,
          response: responses(201, dataOf(CreatedTokenSchema), [409]),
        },
      },
      async (request, reply) => {
        const { name, role, scopes, member_id, expires_at } = request.body;
        const { token, text } = await createToken(request.ctx, {
          name,
          role,
          ...(scopes ? { scopes } : {}),
          member_id: member_id ?? null,
          expires_at: expires_at ? readInstant('body.expires_at', expires_at) : null,
        });
        return reply.status(201).send({ data: { ...tokenView(token), token: text } });
      },
    );

    server.delete(
      '/tokens/:id',
      {
        config: admin,
        schema: {
          tags,
          summary: 'Revoke a token',
          description:
            'The token stops working at once and its sessions end. When the last active token is revoked, sessions of sign-in links end too.',
          params,
          response: responses(
            200,
            dataOf(
              Type.Object({
                id: Type.String({ examples: ['tok_72f7ab46193cdf1e16cc'] }),
                revoked: Type.Literal(true),
              }),
            ),
            [404],
          ),
        },
      },
      async (request) => {
        const { id } = request.params;
        await revokeToken(request.ctx, id, endLinkSessions);
        return { data: { id, revoked: true as const } };
      },
    );
    done();
  };
}

function tokenView(token: Token) {
  const { id, name, memberId, role, scopes, createdAt, expiresAt, revokedAt, lastUsedAt } = token;
  return {
    id,
    name,
    kind: kindOf(token),
    member_id: memberId,
    role,
    scopes: scopes as Scope[],
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: lastUsedAt,
  };
}
