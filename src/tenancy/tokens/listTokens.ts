import type { Context } from '../../context.ts';
import { type Token, maxTokens } from './createToken.ts';
import { findTokens } from './queries.ts';

/** Revoked and expired tokens stay for good, so only the newest of them are listed. */
const maxListed = 2 * maxTokens;

/** All live tokens and the newest others, newest first; never their secrets. */
export async function listTokens({ db, actor, clock }: Context): Promise<Token[]> {
  const rows = await findTokens(db, actor.orgId, { now: clock.now(), limit: maxListed });
  return rows
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .map(({ orgId: _, secretHash: __, ...token }) => token);
}
