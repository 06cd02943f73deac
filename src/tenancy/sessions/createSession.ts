import type { Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { hashSecret, newSecret, readToken, secretMatches } from '../tokens/tokenText.ts';
import { createTokenVerifier } from '../tokens/verifyToken.ts';
import { isTokenGood, sessionActor, signedInOf, type HolderRow, type SignedIn } from './holder.ts';
import { deleteExpired, deleteSignIn, findSignInCode, findTokenHolder, insertSession } from './queries.ts';
import { readSecret, writeSecret } from './secretText.ts';

const longestMilliseconds = 30 * 86_400_000;

export type NewSession = { text: string; signedIn: SignedIn & { expiresAt: Date } };

/** Begins a session with the rights of a token, for a browser at the address `from`. Throws like the token's verification. */
export async function signInWithToken(program: Program, text: string, from: string): Promise<NewSession> {
  await createTokenVerifier(program)(text);
  const { orgId, id } = readToken(text)!;
  const holder = await findTokenHolder(program.db, orgId, id);
  if (!holder) throw refusedToken();
  return program.db.transaction().execute((tx) => beginSession(tx, program, holder, from));
}

/** Begins a session with a one-time code; of several who come with the same one, one is let in. */
export async function signInWithCode(program: Program, text: string, from: string): Promise<NewSession> {
  const parts = readSecret('code', text);
  if (!parts) throw refusedCode();
  const { orgId, id, secret } = parts;
  const code = await findSignInCode(program.db, orgId, id);
  if (!code || !secretMatches(secret, code.secretHash)) throw refusedCode();
  const now = program.clock.now();
  if (code.expiresAt <= now || !isTokenGood(code, now)) throw refusedCode();
  return program.db.transaction().execute(async (tx) => {
    if (!(await deleteSignIn(tx, 'signInCodes', orgId, id))) throw refusedCode();
    return beginSession(tx, program, code, from);
  });
}

async function beginSession(
  tx: Transaction,
  program: Program,
  holder: HolderRow,
  address: string,
): Promise<NewSession> {
  const { orgId, tokenId, tokenExpiresAt } = holder;
  const now = program.clock.now();
  const latest = new Date(now.getTime() + longestMilliseconds);
  const expiresAt = tokenExpiresAt && tokenExpiresAt < latest ? tokenExpiresAt : latest;
  const id = randomId('ses');
  const secret = newSecret();
  await deleteExpired(tx, 'sessions', orgId, now);
  const row = { orgId, id, tokenId, secretHash: hashSecret(secret), createdAt: now, expiresAt };
  await insertSession(tx, { ...row, address, lastSeenAt: now });
  const ctx = { ...program, actor: sessionActor(holder, id) };
  await recordAudit(tx, ctx, 'session.create', id, { token_id: tokenId, address });
  return {
    text: writeSecret('session', { orgId, id, secret }),
    signedIn: { ...signedInOf(holder, expiresAt), expiresAt },
  };
}

function refusedToken(): PublicError {
  return new PublicError('unauthenticated', 'invalid_token', 'This token is unknown, revoked or expired.');
}

function refusedCode(): PublicError {
  return new PublicError(
    'unauthenticated',
    'invalid_code',
    'This link has been used already or has expired. Where Runcost runs, "npm run -s runcost -- sign-in" prints another one.',
  );
}
