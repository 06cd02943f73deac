import type { Program } from '../../context.ts';
import { createSharedReads } from '../../platform/db/sharedReads.ts';
import type { Actor, Plan } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { readToken, secretMatches } from '../tokens/tokenText.ts';
import { isTokenGood, sessionActor, signedInOf, type SignedIn } from './holder.ts';
import { findSession, findTokenHolder, noteSeen } from './queries.ts';
import { readSecret } from './secretText.ts';

/** More often than this, nobody needs to know when a session was last used. */
const noteEveryMilliseconds = 5 * 60_000;

type VerifySession = (text: string) => Promise<{ actor: Actor; plan: Plan }>;
type Reader = Pick<Program, 'db' | 'clock'>;

/**
 * Answers whose session it is. It is read from the database for every request, together with its token and member, so
 * that it ends with either at once; requests that come together share the read.
 */
export function createSessionVerifier({ db, clock }: Reader): VerifySession {
  const share = createSharedReads<Awaited<ReturnType<typeof findSession>>>();
  return async (text) => {
    const parts = readSecret('session', text);
    if (!parts) throw sessionEnded();
    const { orgId, id, secret } = parts;
    const row = await share(`${orgId} ${id}`, () => findSession(db, orgId, id));
    if (!row || !secretMatches(secret, row.secretHash)) throw sessionEnded();
    const now = clock.now();
    if (row.expiresAt <= now || !isTokenGood(row, now)) throw sessionEnded();
    const isNews = now.getTime() - row.lastSeenAt.getTime() >= noteEveryMilliseconds;
    if (isNews) await noteSeen(db, orgId, id, now);
    return { actor: sessionActor(row, id), plan: row.plan };
  };
}

/** Who a request comes from that has been let in with this token or session. */
export async function getSignedIn({ db }: Pick<Reader, 'db'>, text: string): Promise<SignedIn> {
  const session = readSecret('session', text);
  if (session) {
    const row = await findSession(db, session.orgId, session.id);
    if (row) return signedInOf(row, row.expiresAt);
  }
  const token = readToken(text);
  const row = token && (await findTokenHolder(db, token.orgId, token.id));
  if (!row) throw sessionEnded();
  return signedInOf(row, row.tokenExpiresAt);
}

function sessionEnded(): PublicError {
  return new PublicError('unauthenticated', 'session_ended', 'You are signed out. Sign in again.');
}
