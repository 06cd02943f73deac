import type { Context } from '../../context.ts';
import { type Actor, type Role, type Scope } from '../../platform/lib/actor.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { refuseHigherRole } from '../members/members.ts';
import { requireRoom } from '../organizations/lockOrganization.ts';
import { countLiveTokens, findRole, insertToken, type TokenRow } from './queries.ts';
import { hashSecret, newSecret, writeToken } from './tokenText.ts';

/** Revoked and expired ones do not count. */
export const maxTokens = 1_000;

export type Token = Omit<TokenRow, 'orgId' | 'secretHash'>;

export type NewToken = {
  name: string;
  role: Role;
  scopes?: readonly Scope[];
  /** Null or absent: a service token. */
  member_id?: string | null;
  expires_at?: Date | null;
};

/** Creates a token and answers it with its text, which is not kept and cannot be shown again. */
export async function createToken(ctx: Context, input: NewToken): Promise<{ token: Token; text: string }> {
  const { db, actor, clock } = ctx;
  const scopes = [...(input.scopes ?? actor.scopes)];
  refuseMoreRights(actor, input.role, scopes);
  const now = clock.now();
  if (input.expires_at && input.expires_at <= now) throw invalid('body.expires_at', 'must lie in the future');
  const secret = newSecret();
  const token: Token = {
    id: randomId('tok'),
    memberId: input.member_id ?? null,
    name: input.name,
    role: input.role,
    scopes,
    createdAt: now,
    expiresAt: input.expires_at ?? null,
    revokedAt: null,
  };
  await db.transaction().execute(async (tx) => {
    await requireRoom(tx, actor.orgId, {
      things: 'tokens',
      max: maxTokens,
      count: () => countLiveTokens(tx, actor.orgId, now),
      advice: 'Revoke one first.',
    });
    if (token.memberId) {
      const memberRole = await findRole(tx, 'members', actor.orgId, token.memberId);
      if (!memberRole) throw invalid('body.member_id', 'names no member of this organization');
      refuseHigherRole(actor, memberRole);
    }
    await insertToken(tx, { ...token, orgId: actor.orgId, secretHash: hashSecret(secret) });
    const { name, role, memberId } = token;
    await recordAudit(tx, ctx, 'token.create', token.id, { name, role, scopes, member_id: memberId });
  });
  return { token, text: writeToken({ orgId: actor.orgId, id: token.id, secret }) };
}

function refuseMoreRights(actor: Actor, role: Role, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !actor.scopes.includes(scope));
  if (missing) {
    throw new PublicError('forbidden', 'scope_missing', `Your token has no scope ${missing} to pass on.`);
  }
  refuseHigherRole(actor, role);
}
