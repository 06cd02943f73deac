import { notFound } from '../lib/errors.ts';
import type { Context } from '../organizations/context.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { setTokenRevoked } from './queries.ts';

/** Revokes a token from this moment on; revoking it again changes nothing. */
export async function revokeToken(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await setTokenRevoked(tx, ctx.actor.orgId, id, ctx.clock.now()))) throw notFound('token');
    await recordAudit(tx, ctx, 'token.revoke', id);
  });
}
