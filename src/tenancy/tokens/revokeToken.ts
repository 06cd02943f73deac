import type { Context } from '../../context.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { recordAudit } from '../audit/audit.ts';
import { refuseHigherRole, type EndLinkSessions } from '../members/members.ts';
import { lockOrganization } from '../organizations/locks.ts';
import { countLiveTokens, findRole, setAllTokensRevoked, setTokenRevoked } from './queries.ts';

/**
 * Revokes a token from this moment on; revoking it again changes nothing. One of a higher role is refused. With the last
 * live token, the sessions that the command line's links began end too.
 */
export async function revokeToken(ctx: Context, id: string, endLinks: EndLinkSessions): Promise<void> {
  const { actor, clock, db } = ctx;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const role = await findRole(tx, 'tokens', actor.orgId, id);
    if (!role) throw notFound('token');
    refuseHigherRole(actor, role);
    await setTokenRevoked(tx, actor.orgId, id, now);
    await recordAudit(tx, ctx, 'token.revoke', id);
    if ((await countLiveTokens(tx, actor.orgId, now)) === 0) await endLinks(tx, ctx);
  });
}

/** Revokes all tokens, with the sessions of links: from this moment on nobody is let in. Answers how many there were. */
export async function revokeAllTokens(ctx: Context, endLinks: EndLinkSessions): Promise<number> {
  const { actor, clock, db } = ctx;
  return db.transaction().execute(async (tx) => {
    const count = await setAllTokensRevoked(tx, actor.orgId, clock.now());
    await recordAudit(tx, ctx, 'token.revoke_all', actor.orgId, { tokens: count });
    await endLinks(tx, ctx);
    return count;
  });
}
