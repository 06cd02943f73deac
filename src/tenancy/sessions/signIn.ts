import { timingSafeEqual } from 'node:crypto';
import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { createKeptReads, type CountCommits } from '../../platform/db/sharedReads.ts';
import type { Verified } from '../../platform/http/authenticate.ts';
import type { Plan, Role, Scope } from '../../platform/lib/actor.ts';
import { commandPrefix } from '../../platform/lib/commandLine.ts';
import type { Day } from '../../platform/lib/days.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { calendarView } from '../organizations/organizations.ts';
import { createTokenVerifier, hashSecret, newSecret, readSecret, writeSecret } from '../tokens/tokens.ts';
import {
  deleteExpired,
  deleteSignIn,
  findMemberHolder,
  findSession,
  findSignInCode,
  findTokenHolder,
  insertSession,
  insertSignInCode,
  updateLastSeen,
} from './queries.ts';
import {
  isProviderRequired,
  isTokenGood,
  rightsOf,
  sessionActor,
  type CheckSession,
  type HolderRow,
} from './sessions.ts';

const maxSessionMilliseconds = 30 * 86_400_000;

export type SignedIn = {
  organization: {
    id: string;
    name: string;
    login: string | null;
    plan: Plan;
    details_from: Day | null;
  } & ReturnType<typeof calendarView>;
  member: { email: string; name: string | null } | null;
  role: Role;
  scopes: readonly Scope[];
  expiresAt: Date | null;
};

export type NewSession = { id: string; text: string; signedIn: SignedIn & { expiresAt: Date } };

/** The address and the browser that sign in. */
export type Client = { from: string; userAgent?: string | null };

/** `audited` says how somebody signs in. */
type SessionOptions = Client & {
  maxMilliseconds?: number;
  audited?: Record<string, unknown>;
  provenEmail?: string;
  isByProvider?: boolean;
};

export async function signInWithToken(program: Program, text: string, client: Client): Promise<NewSession> {
  await createTokenVerifier(program, null)(text);
  const { orgId, id } = readSecret('token', text)!;
  const holder = await findTokenHolder(program.db, orgId, id);
  if (!holder) throw refusedToken();
  return program.db.transaction().execute((tx) => beginSession(tx, program, holder, client));
}

/** For who is known to be this member: the session has the member's role and ends with the member. */
export async function signInMember(
  tx: Transaction,
  program: Program,
  { orgId, memberId, ...options }: { orgId: string; memberId: string } & SessionOptions,
): Promise<NewSession> {
  const holder = await findMemberHolder(tx, orgId, memberId);
  if (!holder) throw notFound('member');
  return beginSession(tx, program, holder, options);
}

/** If several browsers use the same code, one gets in. */
export async function signInWithCode(program: Program, text: string, client: Client): Promise<NewSession> {
  const parts = readSecret('code', text);
  if (!parts) throw refusedCode();
  const { orgId, id, secret } = parts;
  const code = await findSignInCode(program.db, orgId, id);
  if (!code || !isSecretOf(code, secret)) throw refusedCode();
  const now = program.clock.now();
  if (code.expiresAt <= now || !isTokenGood(code, now)) throw refusedCode();
  return program.db.transaction().execute(async (tx) => {
    if (!(await deleteSignIn(tx, 'signInCodes', orgId, id))) throw refusedCode();
    return beginSession(tx, program, code, client);
  });
}

async function beginSession(
  tx: Transaction,
  program: Program,
  holder: HolderRow,
  options: SessionOptions,
): Promise<NewSession> {
  const { from: address, userAgent = null, provenEmail = null } = options;
  const { maxMilliseconds = maxSessionMilliseconds, audited = {}, isByProvider } = options;
  const { orgId, tokenId, tokenExpiresAt } = holder;
  if (!isByProvider) await refuseIfProviderRequired(tx, holder);
  const memberId = tokenId === null ? holder.memberId : null;
  const now = program.clock.now();
  const latest = new Date(now.getTime() + maxMilliseconds);
  const expiresAt = tokenExpiresAt && tokenExpiresAt < latest ? tokenExpiresAt : latest;
  const id = randomId('ses');
  const secret = newSecret();
  await deleteExpired(tx, 'sessions', orgId, now);
  const row = { orgId, id, tokenId, memberId, createdAt: now, expiresAt };
  await insertSession(tx, {
    ...{ ...row, secretHash: hashOf(secret, memberId), lastSeenAt: now, checkAt: null },
    ...{ address, userAgent, provenEmail },
  });
  const ctx = { ...program, actor: sessionActor(holder, id) };
  const whose = memberId === null ? { token_id: tokenId } : { member_id: memberId };
  await recordAudit(tx, ctx, 'session.create', id, { ...whose, address, ...audited });
  return {
    id,
    text: writeSecret('session', { orgId, id, secret }),
    signedIn: { ...signedInOf(holder, expiresAt), expiresAt },
  };
}

/** The command line's own link is the way back in if the provider fails. */
async function refuseIfProviderRequired(tx: Transaction, holder: HolderRow): Promise<void> {
  if (holder.tokenId === null && holder.memberId === null) return;
  if (!(await isProviderRequired(tx, holder.orgId))) return;
  throw new PublicError(
    'forbidden',
    'single_sign_on_required',
    'This organization requires single sign-on. Sign in by its identity provider.',
  );
}

/** A version that does not know sessions of members must not take one for the command line's, so the hash differs. */
function hashOf(secret: string, memberId: string | null): Buffer {
  return hashSecret(memberId === null ? secret : `${memberId} ${secret}`);
}

function isSecretOf(row: HolderRow & { secretHash: Buffer }, secret: string): boolean {
  const hash = hashOf(secret, row.tokenId === null ? row.memberId : null);
  return timingSafeEqual(hash, row.secretHash);
}

function refusedToken(): PublicError {
  return new PublicError('unauthenticated', 'invalid_token', 'This token is unknown, revoked or expired.');
}

function refusedCode(): PublicError {
  return new PublicError(
    'unauthenticated',
    'invalid_code',
    `This link was already used or has expired. To get a new one, run "${commandPrefix} sign-in" on the server.`,
  );
}

type NewSignInCode = {
  validSeconds: number;
  /** The session has the rights of this token and ends with it; null: a member's, or the command line's, an owner's. */
  tokenId: string | null;
  memberId?: string | null;
};

/** Only the code's hash is stored. */
export async function createSignInCode(
  ctx: Context,
  { validSeconds, tokenId, memberId = null }: NewSignInCode,
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
      memberId,
      secretHash: hashOf(secret, memberId),
      createdAt: now,
      expiresAt: new Date(now.getTime() + validSeconds * 1_000),
    });
    await recordAudit(tx, ctx, 'sign_in_code.create', id, {
      ...(memberId === null ? { token_id: tokenId } : { member_id: memberId }),
    });
  });
  return writeSecret('code', { orgId, id, secret });
}

/** The link that signs a browser in. Browsers never send the part after # to a server. */
export function signInLink(address: string, code: string): string {
  return `${address}/sign-in#code=${code}`;
}

const noteEveryMilliseconds = 5 * 60_000;

type VerifySession = (text: string) => Promise<Verified>;
type Reader = Pick<Program, 'db' | 'clock'>;

/**
 * Verifies sessions. Every request reads the session, token and member again, so a change applies at once; concurrent
 * requests share the read.
 */
export function createSessionVerifier(
  { db, clock }: Reader,
  countCommits: CountCommits,
  check: CheckSession,
): VerifySession {
  const share = createKeptReads<Awaited<ReturnType<typeof findSession>>>(countCommits);
  return async (text) => {
    const parts = readSecret('session', text);
    if (!parts) throw sessionEnded();
    const { orgId, id, secret } = parts;
    let row = await share(`${orgId} ${id}`, () => findSession(db, orgId, id));
    if (!row || !isSecretOf(row, secret)) throw sessionEnded();
    const now = clock.now();
    if (row.expiresAt <= now || !isTokenGood(row, now)) throw sessionEnded();
    if (row.checkAt && (await check({ orgId, id, checkAt: row.checkAt }))) {
      row = await findSession(db, orgId, id);
      if (!row) throw sessionEnded();
    }
    const isNews = now.getTime() - row.lastSeenAt.getTime() >= noteEveryMilliseconds;
    if (isNews) await updateLastSeen(db, orgId, id, now);
    return { actor: sessionActor(row, id), plan: row.plan, costsVersion: row.costsVersion };
  };
}

export async function getSignedIn({ db }: Pick<Reader, 'db'>, text: string): Promise<SignedIn> {
  const session = readSecret('session', text);
  if (session) {
    const row = await findSession(db, session.orgId, session.id);
    if (row) return signedInOf(row, row.expiresAt);
  }
  const token = readSecret('token', text);
  const row = token && (await findTokenHolder(db, token.orgId, token.id));
  if (!row) throw sessionEnded();
  return signedInOf(row, row.tokenExpiresAt);
}

function signedInOf(row: HolderRow, expiresAt: Date | null): SignedIn {
  const { orgId, organizationName, login, plan, memberEmail, memberName } = row;
  return {
    organization: {
      id: orgId,
      name: organizationName,
      login,
      plan,
      ...calendarView(row),
      details_from: row.detailsFrom,
    },
    member: memberEmail === null ? null : { email: memberEmail, name: memberName },
    ...rightsOf(row),
    expiresAt,
  };
}

function sessionEnded(): PublicError {
  return new PublicError('unauthenticated', 'session_ended', 'You are signed out. Sign in again.');
}
