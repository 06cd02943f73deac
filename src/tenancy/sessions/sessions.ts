import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { hasRole, scopes, type Actor, type Plan, type Role, type Scope } from '../../platform/lib/actor.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { rowsOf, type Page, type Paged } from '../../platform/lib/lists.ts';
import { recordAudit } from '../audit/audit.ts';
import { getMember, refuseHigherRole } from '../members/members.ts';
import type { Calendar, Retention } from '../organizations/organizations.ts';
import { browserName } from './browserName.ts';
import { findSessionsOfRoot } from './organizations.queries.ts';
import {
  countSessions,
  deleteSignIns,
  findRoots,
  findSession,
  findSessions,
  type ListedSession,
  type Proof,
  type SessionOrder,
  sessionRows,
  type Whose,
} from './queries.ts';

export type Session = {
  id: string;
  createdAt: Date;
  /** Accurate to five minutes. */
  lastSeenAt: Date;
  expiresAt: Date;
  /** The address of the browser; null for sessions from before we stored it. */
  address: string | null;
  /** Such as `Firefox on Linux`; null if unknown. */
  browser: string | null;
  token: { id: string; name: string } | null;
  member: { id: string; email: string; name: string | null } | null;
  role: Role;
  isCurrent: boolean;
};

/** Lists the caller's own sessions by default. Admins can ask for a member's or for all. */
export type SessionsAsked = { memberId?: string | undefined; all?: boolean | undefined };

export async function listSessions(
  ctx: Context,
  asked: SessionsAsked,
  page: Page,
  order: SessionOrder,
): Promise<Paged<Session>> {
  const { actor, clock, db } = ctx;
  const { orgId } = actor;
  const now = clock.now();
  const live = { orgId, whose: await whoseAre(ctx, asked), now, roots: await findRoots(db, orgId, now) };
  const rows = await findSessions(db, { ...live, ...order, ...rowsOf(page) });
  return {
    rows: rows.map((row) => sessionOf(row, actor)),
    total: await countSessions(db, live),
  };
}

export async function endSessions(ctx: Context, asked: SessionsAsked): Promise<number> {
  const { actor, clock, db } = ctx;
  const whose = await whoseAre(ctx, asked);
  if (whose === 'everybody') refuseHigherRole(actor, 'owner');
  else if (asked.memberId !== undefined && asked.memberId !== actor.identity.memberId) {
    refuseHigherRole(actor, (await getMember(ctx, asked.memberId)).role);
  }
  return db.transaction().execute(async (tx) => {
    const { orgId } = actor;
    const now = clock.now();
    const count = await countSessions(tx, { orgId, whose, now, roots: await findRoots(tx, orgId, now) });
    await endAll(tx, ctx, { whose, except: null });
    return count;
  });
}

export async function endSession(ctx: Context, id: string): Promise<void> {
  const { actor, clock, db } = ctx;
  await db.transaction().execute(async (tx) => {
    const session = await findSession(tx, actor.orgId, id);
    const now = clock.now();
    if (!session || session.expiresAt <= now || !isTokenGood(session, now)) throw notFound('session');
    if (!isOwn(session, actor)) {
      if (!isAdmin(actor)) throw notFound('session');
      refuseHigherRole(actor, rightsOf(session).role);
    }
    if (await sessionRows.remove(tx, { orgId: actor.orgId, id }))
      await recordAudit(tx, ctx, 'session.end', id);
  });
}

type SessionKey = { orgId: string; id: string };

/** Whether the session of the browser's cookie has ended. */
export async function hasEnded({ db }: Pick<Context, 'db'>, cookie: SessionKey): Promise<boolean> {
  return !(await findSession(db, cookie.orgId, cookie.id));
}

export function noSession(): PublicError {
  const message = 'A token has no session. To stop accepting the token, revoke it.';
  return new PublicError('conflict', 'no_session', message);
}

/** Signs the browser out of every organization that it has entered. */
export async function signOut(ctx: Context, cookie: SessionKey | null): Promise<void> {
  if (cookie === null) throw noSession();
  await ctx.db.transaction().execute(async (tx) => {
    for (const { orgId, id } of [cookie, ...(await findSessionsOfRoot(tx, cookie))]) {
      if (!(await sessionRows.remove(tx, { orgId, id }))) continue;
      await recordAudit(tx, { ...ctx, actor: { ...ctx.actor, orgId } }, 'session.end', id);
    }
  });
}

/** Writes no audit entry: the caller records why. */
export async function endThese(
  tx: Transaction,
  { actor }: Pick<Context, 'actor'>,
  ids: readonly string[],
): Promise<void> {
  for (const id of ids) await sessionRows.remove(tx, { orgId: actor.orgId, id });
}

export type DueSession = { orgId: string; id: string; checkAt: Date };

/** Returns true if the session may have ended or changed. Does not throw if nobody answers. */
export type CheckSession = (due: DueSession) => Promise<boolean>;

/** Returns true to one of the callers that find the session due. */
export async function claimCheck(db: Database, due: DueSession, next: Date): Promise<boolean> {
  const { checkAt } = due;
  return (await sessionRows.change(db, due, { checkAt: next }, { checkAt })) !== undefined;
}

export async function noteCheck(tx: Transaction, session: SessionKey, at: Date): Promise<void> {
  await sessionRows.change(tx, session, { checkAt: at });
}

export type { Proof } from './queries.ts';

/** Organizations for which the provider no longer proves the address are left at once. */
export async function noteProof(tx: Transaction, session: SessionKey, proof: Proof): Promise<void> {
  await sessionRows.change(tx, session, proof);
}

/** Whether members can sign in only by an identity provider. Links from the command line still work. */
export { findSignInPolicy as isProviderRequired } from './queries.ts';

export { setSignInPolicy as saveSignInPolicy } from './queries.ts';

export async function endMemberSessions(tx: Transaction, ctx: Context, memberId: string): Promise<void> {
  await endAll(tx, ctx, { whose: { memberId }, except: null });
}

export async function endLinkSessions(tx: Transaction, ctx: Context): Promise<void> {
  await endAll(tx, ctx, { whose: 'links', except: ctx.actor.identity.sessionId });
}

/** The owner of a session, code or token: a token or a member; without both, the command line. */
export type HolderRow = Calendar &
  Pick<Retention, 'detailsFrom'> & {
    orgId: string;
    organizationName: string;
    login: string | null;
    plan: Plan;
    tokenId: string | null;
    tokenName: string | null;
    tokenRole: Role | null;
    tokenScopes: string[] | null;
    tokenExpiresAt: Date | null;
    tokenRevokedAt: Date | null;
    memberId: string | null;
    memberEmail: string | null;
    memberName: string | null;
    memberRole: Role | null;
  };

export function isTokenGood({ tokenExpiresAt, tokenRevokedAt }: HolderRow, now: Date): boolean {
  return !tokenRevokedAt && !(tokenExpiresAt && tokenExpiresAt <= now);
}

/** Limited by the member's own role. Without a token, that role; the command line has an owner's. */
export function rightsOf({ tokenRole, tokenScopes, memberRole }: HolderRow): Pick<Actor, 'role' | 'scopes'> {
  if (!tokenRole || !tokenScopes) return { role: memberRole ?? 'owner', scopes };
  const role = memberRole && hasRole(tokenRole, memberRole) ? memberRole : tokenRole;
  return { role, scopes: tokenScopes as Scope[] };
}

/** Only members are named by just an email, so that no token name can look like one. */
export function sessionActor(row: HolderRow, sessionId: string): Actor {
  const { orgId, memberId, tokenId, memberEmail, tokenName } = row;
  const holder = memberEmail ?? (tokenId === null ? 'cli' : `token ${tokenName}`);
  const identity = { memberId, tokenId, sessionId };
  return { orgId, ...rightsOf(row), name: `session of ${holder}`, identity };
}

/** Ends codes first, so that the second statement also ends a session that a code has just started. */
async function endAll(
  tx: Transaction,
  ctx: Context,
  { whose, except }: { whose: Whose; except: string | null },
): Promise<void> {
  const { orgId } = ctx.actor;
  const links = await deleteSignIns(tx, 'signInCodes', { orgId, whose, except });
  const sessions = await deleteSignIns(tx, 'sessions', { orgId, whose, except });
  if (links + sessions === 0) return;
  const target = typeof whose === 'string' ? orgId : 'memberId' in whose ? whose.memberId : whose.tokenId;
  const of = typeof whose === 'string' ? whose : 'memberId' in whose ? 'member' : 'token';
  await recordAudit(tx, ctx, 'session.end_all', target, { of, sessions, unused_links: links });
}

async function whoseAre(ctx: Context, { memberId, all = false }: SessionsAsked): Promise<Whose> {
  const { identity } = ctx.actor;
  if (memberId !== undefined && all) throw invalid('member_id', 'must be left out if `all` is set');
  if (memberId !== undefined && memberId !== identity.memberId) {
    requireAdmin(ctx.actor);
    return { memberId: (await getMember(ctx, memberId)).id };
  }
  if (all) {
    requireAdmin(ctx.actor);
    return 'everybody';
  }
  if (identity.memberId !== null) return { memberId: identity.memberId };
  return identity.tokenId === null ? 'links' : { tokenId: identity.tokenId };
}

function isOwn({ memberId, tokenId }: ListedSession, { identity }: Actor): boolean {
  return memberId === identity.memberId && (memberId !== null || tokenId === identity.tokenId);
}

function isAdmin(actor: Actor): boolean {
  return hasRole(actor.role, 'admin') && actor.scopes.includes('admin');
}

function requireAdmin(actor: Actor): void {
  if (isAdmin(actor)) return;
  const message = "You need the role admin and the scope admin to see other people's sessions.";
  throw new PublicError(
    'forbidden',
    hasRole(actor.role, 'admin') ? 'scope_missing' : 'role_too_low',
    message,
  );
}

function sessionOf(row: ListedSession, actor: Actor): Session {
  const { id, createdAt, lastSeenAt, expiresAt, address, tokenId, tokenName } = row;
  const { memberId, memberEmail, memberName } = row;
  return {
    id,
    createdAt,
    lastSeenAt,
    expiresAt,
    address,
    browser: browserName(row.userAgent),
    token: tokenId === null ? null : { id: tokenId, name: tokenName ?? '' },
    member: memberId === null ? null : { id: memberId, email: memberEmail ?? '', name: memberName },
    role: rightsOf(row).role,
    isCurrent: id === actor.identity.sessionId,
  };
}
