import { PublicError } from '../lib/errors.ts';
import type { Context } from '../organizations/context.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { deleteSignIn } from './queries.ts';
import { readSecret } from './secretText.ts';

/** Ends the session that the caller has been let in with; a caller with a token has none. */
export async function endSession(ctx: Context, text: string): Promise<void> {
  const parts = readSecret('session', text);
  if (!parts) {
    const message = 'A token is no session. To refuse it from now on, revoke it.';
    throw new PublicError('conflict', 'no_session', message);
  }
  const { orgId, id } = parts;
  await ctx.db.transaction().execute(async (tx) => {
    if (await deleteSignIn(tx, 'sessions', orgId, id)) await recordAudit(tx, ctx, 'session.end', id);
  });
}
