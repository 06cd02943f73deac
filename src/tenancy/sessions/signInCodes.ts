import type { Context } from '../../context.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { hashSecret, newSecret } from '../tokens/tokenText.ts';
import { deleteExpired, insertSignInCode } from './queries.ts';
import { writeSecret } from './secretText.ts';

export type NewSignInCode = {
  validSeconds: number;
  /** The sessions it begins have this token's rights and end with it; null: an owner's rights, for the command line. */
  tokenId: string | null;
};

/** Creates a code that signs one browser in, once. It is not kept and cannot be shown again. */
export async function createSignInCode(
  ctx: Context,
  { validSeconds, tokenId }: NewSignInCode,
): Promise<string> {
  const { orgId } = ctx.actor;
  const now = ctx.clock.now();
  const id = randomId('cod');
  const secret = newSecret();
  await ctx.db.transaction().execute(async (tx) => {
    await deleteExpired(tx, 'signInCodes', orgId, now);
    await insertSignInCode(tx, {
      orgId,
      id,
      tokenId,
      secretHash: hashSecret(secret),
      createdAt: now,
      expiresAt: new Date(now.getTime() + validSeconds * 1_000),
    });
    await recordAudit(tx, ctx, 'sign_in_code.create', id, { token_id: tokenId });
  });
  return writeSecret('code', { orgId, id, secret });
}

/** Where a browser signs in with the code. It stands behind the #, which browsers send to no server. */
export function signInLink(address: string, code: string): string {
  return `${address}/sign-in#code=${code}`;
}
