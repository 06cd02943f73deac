import { hash as digest, timingSafeEqual } from 'node:crypto';
import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import { createCoalescer } from '../../platform/db/coalesce.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import type { Verified } from '../../platform/http/authenticate.ts';
import { hasRole, type Actor, type Role, type Scope } from '../../platform/lib/actor.ts';
import { commandPrefix } from '../../platform/lib/commandLine.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { firstWithin } from '../../platform/lib/firstWithin.ts';
import { newSecret, randomId } from '../../platform/lib/ids.ts';
import type { Clock } from '../../platform/lib/time.ts';
import { recordAudit } from '../audit/audit.ts';
import { noteSeen, refuseHigherRole, type EndLinkSessions } from '../members/members.ts';
import { lockOrganization, requireRoom } from '../organizations/organizations.ts';
import {
  claimExpiring,
  findExpiringOrganizations,
  countLiveTokens,
  type ExpiringToken,
  findRole,
  findTokens,
  findTokenToVerify,
  setAllTokensRevoked,
  setMemberTokensRevoked,
  setTokenRevoked,
  type TokenRow,
  tokenRows,
} from './queries.ts';

/** Counts active tokens only. */
const maxTokens = 1_000;

export type Token = Omit<TokenRow, 'orgId' | 'secretHash' | 'expiryWarnedAt'>;

type NewToken = {
  name: string;
  role: Role;
  scopes?: readonly Scope[];
  /** Null or absent means a service account. */
  member_id?: string | null;
  expires_at?: Date | null;
};

export async function createToken(ctx: Context, input: NewToken): Promise<{ token: Token; text: string }> {
  const { db, actor, clock } = ctx;
  const { role, scopes = actor.scopes, member_id: memberId, expires_at: end } = input;
  refuseMoreRights(actor, role, scopes);
  if (end && end <= clock.now()) throw invalid('expires_at', 'must be in the future');
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    if (typeof memberId === 'string') {
      const memberRole = await findRole(tx, 'members', actor.orgId, memberId);
      if (!memberRole) throw invalid('member_id', 'is not a member of this organization');
      refuseHigherRole(actor, memberRole);
    }
    return addToken(tx, ctx, { ...input, scopes });
  });
}

/** Checks no rights: the caller has. `how` is for the audit log. */
export async function addToken(
  tx: Transaction,
  ctx: Pick<Context, 'actor' | 'clock' | 'subscribers'>,
  input: NewToken & { scopes: readonly Scope[] },
  how: Record<string, unknown> = {},
): Promise<{ token: Token; text: string }> {
  const { orgId } = ctx.actor;
  const now = ctx.clock.now();
  const scopes = [...input.scopes];
  const secret = newSecret();
  const token: Token = {
    id: randomId('tok'),
    memberId: input.member_id ?? null,
    name: input.name,
    role: input.role,
    scopes,
    createdAt: now,
    expiresAt: input.expires_at ?? null,
    revokedAt: null,
    lastUsedAt: null,
  };
  await requireRoom(tx, orgId, {
    things: 'tokens',
    max: maxTokens,
    count: () => countLiveTokens(tx, orgId, now),
    advice: 'Revoke one first.',
  });
  await tokenRows.insert(tx, { ...token, orgId, secretHash: hashSecret(secret), expiryWarnedAt: null });
  const { id, name, role, memberId } = token;
  await recordAudit(tx, ctx, 'token.create', id, { name, role, scopes, member_id: memberId, ...how });
  return { token, text: writeSecret('token', { orgId, id, secret }) };
}

function refuseMoreRights(actor: Actor, role: Role, scopes: readonly Scope[]): void {
  const missing = scopes.find((scope) => !actor.scopes.includes(scope));
  if (missing) {
    throw new PublicError(
      'forbidden',
      'scope_missing',
      `You can only grant scopes that you have. Your token lacks the scope ${missing}.`,
    );
  }
  refuseHigherRole(actor, role);
}

/** Revoked and expired tokens are kept forever, so only the newest are listed. */
const maxListed = 2 * maxTokens;

export async function listTokens({ db, actor, clock }: Context): Promise<Token[]> {
  const rows = await findTokens(db, actor.orgId, { now: clock.now(), limit: maxListed });
  return rows
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())
    .map(({ orgId: _, secretHash: __, expiryWarnedAt: ___, ...token }) => token);
}

/** With the last active token, the sessions of sign-in links end, too. */
export async function revokeToken(ctx: Context, id: string, endLinks: EndLinkSessions): Promise<void> {
  const { actor, clock, db } = ctx;
  const now = clock.now();
  await db.transaction().execute(async (tx) => {
    await lockOrganization(tx, actor.orgId);
    const role = await findRole(tx, 'tokens', actor.orgId, id);
    if (!role) throw notFound('token');
    refuseHigherRole(actor, role);
    await setTokenRevoked(tx, actor.orgId, id, now);
    await recordAudit(tx, ctx, 'token.revoke', id);
    if ((await countLiveTokens(tx, actor.orgId, now)) === 0) await endLinks(tx, ctx);
  });
}

/** Ends what may become a token: confirmed logins of command lines. */
export type EndLogins = (tx: Transaction, orgId: string) => Promise<void>;

export async function revokeAllTokens(
  ctx: Context,
  { endLogins, endLinkSessions }: { endLogins: EndLogins; endLinkSessions: EndLinkSessions },
): Promise<number> {
  const { actor, clock, db } = ctx;
  return db.transaction().execute(async (tx) => {
    // Waits for logins that are becoming tokens, which lock their row before the organization's.
    await endLogins(tx, actor.orgId);
    await lockOrganization(tx, actor.orgId);
    const count = await setAllTokensRevoked(tx, actor.orgId, clock.now());
    await recordAudit(tx, ctx, 'token.revoke_all', actor.orgId, { tokens: count });
    await endLinkSessions(tx, ctx);
    return count;
  });
}

/** Revokes the personal tokens of a member. `why` is for the audit log. */
export async function revokeMemberTokens(
  tx: Transaction,
  ctx: Pick<Context, 'actor' | 'clock' | 'subscribers'>,
  { memberId, why }: { memberId: string; why: string },
): Promise<void> {
  const { actor, clock } = ctx;
  const tokens = await setMemberTokensRevoked(tx, { orgId: actor.orgId, memberId, at: clock.now() });
  if (tokens > 0) await recordAudit(tx, ctx, 'token.revoke_all', memberId, { of: 'member', tokens, why });
}

/** `ownCommand` returns what the caller types before a command. */
type VerifyToken = (text: string, ownCommand?: () => string) => Promise<Verified>;

/** Each time, so a revoked one fails at once. A member's token has the lower of the two roles. */
export function createTokenVerifier({
  db,
  clock,
  log,
}: Pick<Program, 'db' | 'clock'> & { log: Pick<Logger, 'warn'> }): VerifyToken {
  const coalesce = createCoalescer<Awaited<ReturnType<typeof findTokenToVerify>>>();
  const noteUse = createUseNotes(db, clock, log);
  return async (text, ownCommand = () => commandPrefix) => {
    const parts = readSecret('token', text);
    if (!parts) throw unauthenticated(ownCommand());
    const { orgId, id, secret } = parts;
    const row = await coalesce(`${orgId} ${id}`, () => findTokenToVerify(db, orgId, id));
    if (!row || !secretMatches(secret, row.secretHash)) throw unauthenticated(ownCommand());
    const now = clock.now();
    if (row.revokedAt || (row.expiresAt && row.expiresAt <= now)) throw unauthenticated(ownCommand());
    const role = row.memberRole && hasRole(row.role, row.memberRole) ? row.memberRole : row.role;
    noteUse({ orgId, id, memberId: row.memberId, lastUsedAt: row.lastUsedAt }, now);
    const identity = { memberId: row.memberId, tokenId: id, sessionId: null };
    const actor = { orgId, role, scopes: row.scopes as Scope[], name: `token ${id}`, identity };
    return { actor, plan: row.plan, costsVersion: row.costsVersion };
  };
}

const noteEveryMilliseconds = 5 * 60_000;

/** Stores when a token was last used, without delaying or failing the request. */
function createUseNotes(db: Program['db'], clock: Clock, log: Pick<Logger, 'warn'>) {
  const isFirst = firstWithin(clock, noteEveryMilliseconds);
  return (token: Pick<TokenRow, 'orgId' | 'id' | 'memberId' | 'lastUsedAt'>, now: Date): void => {
    const { orgId, id, lastUsedAt } = token;
    if (now.getTime() < (lastUsedAt?.getTime() ?? 0) + noteEveryMilliseconds) return;
    if (isFirst(`${orgId} ${id}`))
      void tokenRows
        .change(db, token, { lastUsedAt: now })
        .then(() => noteSeen(db, token, now))
        .catch((error: unknown) => log.warn({ err: error, token: id }, 'the use of a token was not stored'));
  };
}

/** A personal token belongs to a member and ends with them. */
export function kindOf({ memberId }: Pick<TokenRow, 'memberId'>): 'personal' | 'service' {
  return memberId === null ? 'service' : 'personal';
}

/** Within a week. */
const warned = { milliseconds: 7 * 86_400_000, limit: 100 };

/** Whose tokens to warn about now. */
export function findOrganizationsToWarn(db: Database, now: Date): Promise<string[]> {
  return findExpiringOrganizations(db, { now, ...warned });
}

/** Tokens to warn about now, each once. The caller queues the messages in the same transaction. */
export function claimExpiringTokens(tx: Transaction, orgId: string, now: Date): Promise<ExpiringToken[]> {
  return claimExpiring(tx, orgId, { now, ...warned });
}

export type { ExpiringToken } from './queries.ts';

function unauthenticated(ownCommand: string): PublicError {
  return new PublicError(
    'unauthenticated',
    'invalid_token',
    `This token is unknown, revoked or expired. An admin can create one in Settings, Tokens, or on the server with "${ownCommand} token create".`,
  );
}

/** Its owner has it with organization and id, so that a lookup needs one row. */
type SecretParts = { orgId: string; id: string; secret: string };

type Kind = 'token' | 'session' | 'code' | 'invitation' | 'share' | 'unsubscribe' | 'address' | 'digest';

/** Prefix of each secret, by which secret scanners find leaks, and prefix of its id. */
const kinds: Record<Kind, { start: string; idPrefix: string }> = {
  token: { start: 'runcost_', idPrefix: 'tok_' },
  session: { start: 'runcost_session_', idPrefix: 'ses_' },
  code: { start: 'runcost_code_', idPrefix: 'cod_' },
  invitation: { start: 'runcost_invitation_', idPrefix: 'inv_' },
  share: { start: 'runcost_share_', idPrefix: 'shr_' },
  unsubscribe: { start: 'runcost_unsubscribe_', idPrefix: 'mem_' },
  address: { start: 'runcost_address_', idPrefix: 'adr_' },
  digest: { start: 'runcost_digest_', idPrefix: 'rcp_' },
};

/** What follows the prefix: `<organization>_<id>_<secret>`. */
const form =
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([0-9a-f]{20})_([\w-]{43})$/;

export function writeSecret(kind: Kind, { orgId, id, secret }: SecretParts): string {
  const { start, idPrefix } = kinds[kind];
  return `${start}${orgId.replaceAll('-', '')}_${id.slice(idPrefix.length)}_${secret}`;
}

export function readSecret(kind: Kind, text: string): SecretParts | null {
  const { start, idPrefix } = kinds[kind];
  const match = text.startsWith(start) ? form.exec(text.slice(start.length)) : null;
  if (!match) return null;
  const [, ...parts] = match;
  return { orgId: parts.slice(0, 5).join('-'), id: `${idPrefix}${parts[5]!}`, secret: parts[6]! };
}

export function hashSecret(secret: string): Buffer {
  return digest('sha256', secret, 'buffer');
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
