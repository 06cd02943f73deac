import { notFound } from '../lib/errors.ts';
import { refuseHigherRole } from '../organizations/refuseHigherRole.ts';
import type { Context } from '../organizations/context.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { findRole, setTokenRevoked } from './queries.ts';

/** Revokes a token from this moment on; revoking it again changes nothing. One of a higher role is refused. */
export async function revokeToken(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const role = await findRole(tx, 'tokens', ctx.actor.orgId, id);
    if (!role) throw notFound('token');
    refuseHigherRole(ctx.actor, role);
    await setTokenRevoked(tx, ctx.actor.orgId, id, ctx.clock.now());
    await recordAudit(tx, ctx, 'token.revoke', id);
  });
}
