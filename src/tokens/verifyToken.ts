import type { Database } from '../db/database.ts';
import { PublicError } from '../lib/errors.ts';
import { hasRole, type Actor, type Scope } from '../lib/actor.ts';
import { findTokenToVerify } from './queries.ts';
import { readToken, secretMatches } from './tokenText.ts';

export type Verified = { actor: Actor; plan: 'free' | 'pro' | 'team' };

/**
 * Who holds this token. The answer is read from the database every time, so a revoked token is refused at once.
 * A member's token has the lower of its own role and the member's. Anything else than a valid token is refused
 * with one and the same error.
 */
export async function verifyToken(db: Database, text: string, now: Date): Promise<Verified> {
  const parts = readToken(text);
  const row = parts && (await findTokenToVerify(db, parts.orgId, parts.id));
  if (!parts || !row || !secretMatches(parts.secret, row.secretHash)) throw unauthenticated();
  if (row.revokedAt || (row.expiresAt && row.expiresAt <= now)) throw unauthenticated();
  const role = row.memberRole && hasRole(row.role, row.memberRole) ? row.memberRole : row.role;
  const actor = { orgId: parts.orgId, role, scopes: row.scopes as Scope[], name: `token ${parts.id}` };
  return { actor, plan: row.plan };
}

function unauthenticated(): PublicError {
  return new PublicError(
    'unauthenticated',
    'invalid_token',
    'This token is unknown, revoked or expired. Create one with `runcost token create` or in the settings.',
  );
}
