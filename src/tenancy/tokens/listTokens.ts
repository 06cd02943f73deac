import type { Context } from '../../context.ts';
import type { Token } from './createToken.ts';
import { findTokens } from './queries.ts';

/** All tokens, revoked and expired ones too, newest first; never their secrets. */
export async function listTokens({ db, actor }: Context): Promise<Token[]> {
  return (await findTokens(db, actor.orgId)).map(({ orgId: _, secretHash: __, ...token }) => token);
}
