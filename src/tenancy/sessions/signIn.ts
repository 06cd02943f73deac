import { timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Verified } from '../../platform/http/authenticate.ts';
import { isCommandLine, type Actor, type Plan, type Role, type Scope } from '../../platform/lib/actor.ts';
import type { Day } from '../../platform/lib/days.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { newSecret, randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../audit/audit.ts';
import { noteSeen } from '../members/members.ts';
import { calendarView, getOrganization, type Organization } from '../organizations/organizations.ts';
import { createTokenVerifier, hashSecret, readSecret, writeSecret } from '../tokens/tokens.ts';
import { findEntered } from './organizations.queries.ts';
import {
  codeRows,
  deleteExpired,
  findMemberHolder,
  findSession,
  findSignInCode,
  findTokenHolder,
  type ListedSession,
  type Proof,
  sessionRows,
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
  /** The token that gives these rights; null for members without one, sign-in links and the operator. */
  token: { id: string; name: string } | null;
  role: Role;
  scopes: readonly Scope[];
  expiresAt: Date | null;
};

export type NewSession = { id: string; text: string; signedIn: SignedIn & { expiresAt: Date } };

export type Client = { from: string; userAgent?: string | null };

/** `audited` says how the person signs in. */
type SessionOptions = Client & {
  maxMilliseconds?: number;
  audited?: Record<string, unknown>;
  isByProvider?: boolean;
  /** The browser's own session, if this one is in another organization. */
  root?: { orgId: string; id: string };
} & Partial<Proof>;

export async function signInWithToken(
  program: Program & { log: Pick<Logger, 'warn'> },
  text: string,
  client: Client,
): Promise<NewSession> {
  await createTokenVerifier(program)(text);
  const { orgId, id } = readSecret('token', text)!;
  const holder = await findTokenHolder(program.db, orgId, id);
  if (!holder) throw refusedToken();
  return program.db.transaction().execute((tx) => beginSession(tx, program, holder, client));
}

/** Known to be this member. The session has the member's role and ends with the member. */
export async function signInMember(
  tx: Transaction,
  program: Program,
  { orgId, memberId, ...options }: { orgId: string; memberId: string } & SessionOptions,
): Promise<NewSession> {
  const holder = await findMemberHolder(tx, orgId, memberId);
  if (!holder) throw notFound('member');
  return beginSession(tx, program, holder, options);
}

/** If several browsers use the same code, one of them gets in. */
export async function signInWithCode(program: Program, text: string, client: Client): Promise<NewSession> {
  const parts = readSecret('code', text);
  if (!parts) throw refusedCode();
  const { orgId, id, secret } = parts;
  const code = await findSignInCode(program.db, orgId, id);
  if (!code || !isSecretOf(code, secret)) throw refusedCode();
  const now = program.clock.now();
  if (code.expiresAt <= now || !isTokenGood(code, now)) throw refusedCode();
  return program.db.transaction().execute(async (tx) => {
    if (!(await codeRows.remove(tx, { orgId, id }))) throw refusedCode();
    return beginSession(tx, program, code, client);
  });
}

async function beginSession(
  tx: Transaction,
  program: Program,
  holder: HolderRow,
  options: SessionOptions,
): Promise<NewSession> {
  const { from: address, userAgent = null, provenEmail = null, provenIssuer = null, root } = options;
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
  await sessionRows.insert(tx, {
    ...row,
    secretHash: hashOf(secret, memberId),
    lastSeenAt: now,
    checkAt: null,
    address,
    userAgent,
    provenEmail,
    provenIssuer,
    rootOrgId: root?.orgId ?? null,
    rootId: root?.id ?? null,
  });
  await noteSeen(tx, holder, now);
  const ctx = { ...program, actor: sessionActor(holder, id) };
  const whose = memberId === null ? { token_id: tokenId } : { member_id: memberId };
  await recordAudit(tx, ctx, 'session.create', id, { ...whose, address, ...audited });
  return {
    id,
    text: writeSecret('session', { orgId, id, secret }),
    signedIn: { ...signedInOf(holder, expiresAt), expiresAt },
  };
}

/** A link from the command line is the way back in if the provider fails. */
async function refuseIfProviderRequired(tx: Transaction, holder: HolderRow): Promise<void> {
  if (holder.tokenId === null && holder.memberId === null) return;
  if (!(await isProviderRequired(tx, holder.orgId))) return;
  throw new PublicError(
    'forbidden',
    'single_sign_on_required',
    'This organization requires single sign-on. Sign in by its identity provider.',
  );
}

/** So that a version without member sessions does not take one for the command line's. */
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
    'This link was already used or has expired. If you have access to the server, you can print a new one.',
  );
}

type NewSignInCode = {
  validSeconds: number;
  /** Its rights are the session's, which ends with it. Null: a member's, or the command line's. */
  tokenId: string | null;
  memberId?: string | null;
};

/** Stores only the hash of the code. */
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
    await codeRows.insert(tx, {
      orgId,
      id,
      tokenId,
      memberId,
      secretHash: hashOf(secret, memberId),
      createdAt: now,
      expiresAt: new Date(now.getTime() + validSeconds * 1_000),
    });
    const details = memberId === null ? { token_id: tokenId } : { member_id: memberId };
    await recordAudit(tx, ctx, 'sign_in_code.create', id, details);
  });
  return writeSecret('code', { orgId, id, secret });
}

/** Browsers never send the part after # to a server. */
export function signInLink(address: string, code: string): string {
  return `${address}/sign-in#code=${code}`;
}

const noteEveryMilliseconds = 5 * 60_000;

/** `organization` is the one that the request names, among those that the browser has entered. */
type VerifySession = (text: string, organization: string | null) => Promise<Verified>;
type ReadContext = Pick<Program, 'db' | 'clock'>;

/** Every request reads session, token and member again, so a change applies at once. */
export function createSessionVerifier({ db, clock }: ReadContext, check: CheckSession): VerifySession {
  const coalesce = createCoalescer<Awaited<ReturnType<typeof findSession>>>();
  const coalesceEntered = createCoalescer<Awaited<ReturnType<typeof findEntered>>>();

  return async (text, organization) => {
    const parts = readSecret('session', text);
    if (!parts) throw sessionEnded();
    const { orgId, id, secret } = parts;
    const read = () => findSession(db, orgId, id);
    const first = await coalesce(`${orgId} ${id}`, read);
    if (!first || !isSecretOf(first, secret)) throw sessionEnded();
    const row = await current(first, orgId, read);
    if (!row) throw sessionEnded();
    if (organization === null || organization === orgId) return verified(row);
    const root = { orgId, id, provenEmail: row.provenEmail, provenIssuer: row.provenIssuer };
    const readEntered = () => findEntered(db, organization, root);
    const key = JSON.stringify([organization, orgId, id, root.provenEmail, root.provenIssuer]);
    const entered = await current(await coalesceEntered(key, readEntered), organization, readEntered);
    return verified(entered ?? row);
  };

  /** If that is due, and records that the session is used. Undefined if it has ended. */
  async function current<Row extends CheckedRow>(
    row: Row | undefined,
    orgId: string,
    read: () => Promise<Row | undefined>,
  ): Promise<Row | undefined> {
    const now = clock.now();
    if (!row || row.expiresAt <= now || !isTokenGood(row, now)) return undefined;
    const { id, checkAt, lastSeenAt } = row;
    const isNews = now.getTime() - lastSeenAt.getTime() >= noteEveryMilliseconds;
    const latest = checkAt && (await check({ orgId, id, checkAt })) ? await read() : row;
    if (latest && isNews) {
      await sessionRows.change(db, { orgId, id }, { lastSeenAt: now });
      await noteSeen(db, latest, now);
    }
    return latest;
  }
}

type CheckedRow = HolderRow &
  Pick<ListedSession, 'id' | 'expiresAt' | 'lastSeenAt'> & { checkAt: Date | null };

function verified(row: CheckedRow & { costsVersion: bigint }): Verified {
  return { actor: sessionActor(row, row.id), plan: row.plan, costsVersion: row.costsVersion };
}

export async function getSignedIn({ db }: Pick<ReadContext, 'db'>, actor: Actor): Promise<SignedIn> {
  if (isCommandLine(actor)) return operatorOf(await getOrganization({ db, actor }), actor);
  const {
    orgId,
    identity: { sessionId, tokenId },
  } = actor;
  if (sessionId !== null) {
    const row = await findSession(db, orgId, sessionId);
    if (row) return signedInOf(row, row.expiresAt);
  }
  const row = sessionId === null && tokenId !== null && (await findTokenHolder(db, orgId, tokenId));
  if (!row) throw sessionEnded();
  return signedInOf(row, row.tokenExpiresAt);
}

function operatorOf(organization: Organization, { role, scopes }: Actor): SignedIn {
  const { orgId: id, name, login, plan, calendar, retention } = organization;
  const shown = { id, name, login, plan, ...calendarView(calendar), details_from: retention.detailsFrom };
  return { organization: shown, member: null, token: null, role, scopes, expiresAt: null };
}

function signedInOf(row: HolderRow, expiresAt: Date | null): SignedIn {
  const { orgId, organizationName, login, plan, memberEmail, memberName, tokenId, tokenName } = row;
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
    token: tokenId === null ? null : { id: tokenId, name: tokenName ?? '' },
    ...rightsOf(row),
    expiresAt,
  };
}

function sessionEnded(): PublicError {
  return new PublicError('unauthenticated', 'session_ended', 'You are signed out. Sign in again.');
}
