import { Type } from 'typebox';
import {
  idParams,
  Name,
  nullableText,
  NullableTimestamp,
  nullableTimestampOf,
  readOnlyFields,
  sampleText,
  Timestamp,
  TimestampInput,
  words,
} from '../../platform/http/schemas.ts';
import { verbsWith, type VerbContext } from '../../platform/http/verbs.ts';
import { roles, scopes as allScopes, type Scope } from '../../platform/lib/actor.ts';
import { apiFields } from '../../platform/lib/apiFields.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readInstant } from '../../platform/lib/time.ts';
import type { EndLinkSessions } from '../members/members.ts';
import {
  createToken,
  kindOf,
  listTokens,
  revokeAllTokens,
  revokeToken,
  type EndLogins,
  type Token,
} from './tokens.ts';

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
  last_used_at: nullableTimestampOf('ISO 8601, UTC, accurate to five minutes; null if never used'),
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
    ...readOnlyFields('id', 'created_at', 'revoked_at', 'kind', 'last_used_at'),
  },
  {
    additionalProperties: false,
    examples: [
      { name: 'Grafana', role: 'viewer', scopes: ['costs:read'], expires_at: '2030-12-31T00:00:00Z' },
    ],
  },
);

const common = { tag: 'Tokens', access: { scope: 'admin', role: 'admin' } } as const;

const verb = verbsWith<VerbContext & { endLinkSessions: EndLinkSessions; endLogins: EndLogins }>();

export const tokenVerbs = [
  verb({
    ...common,
    name: 'token list',
    at: 'GET /tokens',
    title: 'List the tokens',
    page: '/settings/tokens',
    description: 'Newest first: all active tokens and the newest revoked or expired ones, at most 2,000.',
    answer: Type.Array(TokenSchema),
    columns: [
      'id',
      'name',
      'role',
      ['member_id', 'member'],
      ['last_used_at', 'last used'],
      ['expires_at', 'expires'],
      ['revoked_at', 'revoked'],
    ],
    run: async (ctx) => (await listTokens(ctx)).map(tokenView),
  }),
  verb({
    ...common,
    name: 'token create',
    at: 'POST /tokens',
    title: 'Create a token',
    page: '/settings/tokens?new=token',
    description: 'The response shows the token once. You can only grant scopes and roles that you have.',
    body: NewTokenBody,
    status: 201,
    answer: CreatedTokenSchema,
    faults: [409],
    run: async (ctx, { body: { name, role, scopes, member_id, expires_at } }) => {
      const { token, text } = await createToken(ctx, {
        name,
        role,
        ...(scopes ? { scopes } : {}),
        member_id: member_id ?? null,
        expires_at: expires_at ? readInstant('expires_at', expires_at) : null,
      });
      return { ...tokenView(token), token: text };
    },
  }),
  verb({
    ...common,
    name: 'token revoke',
    at: 'DELETE /tokens/:id',
    title: 'Revoke a token',
    description:
      'The token stops working at once and its sessions end. When the last active token is revoked, sessions of sign-in links end too.',
    params,
    answer: Type.Object({ ...params.properties, revoked: Type.Literal(true) }),
    faults: [404],
    run: async (ctx, { params: { id } }) => {
      await revokeToken(ctx, id, ctx.endLinkSessions);
      return { id, revoked: true as const };
    },
  }),
  verb({
    ...common,
    access: { scope: null, role: 'viewer' },
    name: 'token revoke-current',
    at: 'DELETE /tokens/current',
    title: 'Revoke the token of this request',
    description: 'What `runcost logout` does. A session has no token to revoke: 409.',
    answer: Type.Object({ ...params.properties, revoked: Type.Literal(true) }),
    faults: [409],
    run: async (ctx) => {
      const { tokenId, sessionId } = ctx.actor.identity;
      if (tokenId === null || sessionId !== null)
        throw new PublicError('conflict', 'no_token', 'This request has no token to revoke.');
      await revokeToken(ctx, tokenId, ctx.endLinkSessions);
      return { id: tokenId, revoked: true as const };
    },
  }),
  verb({
    ...common,
    access: { scope: 'admin', role: 'owner' },
    name: 'token revoke-all',
    at: 'POST /tokens/revoke-all',
    title: 'Revoke all tokens',
    description:
      'For tokens that may have leaked. Every token of the organization stops working at once, also your own, and its sessions end. So do confirmed logins that have no token yet. Your session goes on if a sign-in link started it.',
    answer: Type.Object({ revoked: Type.Integer({ description: 'number of tokens' }) }),
    run: async (ctx) => ({ revoked: await revokeAllTokens(ctx, ctx) }),
  }),
];

function tokenView(token: Token) {
  return { ...apiFields(token), kind: kindOf(token), scopes: token.scopes as Scope[] };
}
