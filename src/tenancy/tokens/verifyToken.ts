import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import { hasRole, type Actor, type Plan, type Scope } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { findTokenToVerify } from './queries.ts';
import { readToken, secretMatches } from './tokenText.ts';

type VerifyToken = (text: string) => Promise<{ actor: Actor; plan: Plan }>;

/**
 * Answers who holds a token. It is read from the database for every request, so a revoked token is refused at once;
 * requests that come together share the read.
 * A member's token has the lower of its own role and the member's. Anything else than a valid token is refused
 * with one and the same error.
 */
export function createTokenVerifier({ db, clock }: Pick<Program, 'db' | 'clock'>): VerifyToken {
  const share = createSharedReads<Awaited<ReturnType<typeof findTokenToVerify>>>();
  return async (text) => {
    const parts = readToken(text);
    if (!parts) throw unauthenticated();
    const { orgId, id, secret } = parts;
    const row = await share(`${orgId} ${id}`, () => findTokenToVerify(db, orgId, id));
    if (!row || !secretMatches(secret, row.secretHash)) throw unauthenticated();
    const now = clock.now();
    if (row.revokedAt || (row.expiresAt && row.expiresAt <= now)) throw unauthenticated();
    const role = row.memberRole && hasRole(row.role, row.memberRole) ? row.memberRole : row.role;
    const identity = { memberId: row.memberId, tokenId: id, sessionId: null };
    const actor = { orgId, role, scopes: row.scopes as Scope[], name: `token ${id}`, identity };
    return { actor, plan: row.plan };
  };
}

function unauthenticated(): PublicError {
  return new PublicError(
    'unauthenticated',
    'invalid_token',
    'This token is unknown, revoked or expired. An admin can create one in Settings, Tokens, or where Runcost runs: "npm run -s runcost -- token create".',
  );
}
