import { randomInt } from 'node:crypto';
import type { Context, Program } from '../../context.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { hasRole, type Actor, type Scope } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { newSecret } from '../../platform/lib/ids.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { getMember } from '../members/members.ts';
import { getOrganization, lockOrganization } from '../organizations/organizations.ts';
import { addToken, hashSecret, type Token } from '../tokens/tokens.ts';
import {
  decideLogin,
  deleteExpiredLogins,
  deleteLogin,
  findLoginByCode,
  insertLogin,
  lockLogin,
  type LoginRow,
} from './queries.ts';

const validMilliseconds = 15 * 60_000;
const tokenMilliseconds = 90 * 86_400_000;

/** Letters that nobody takes for others, and that spell no words: RFC 8628, 6.1. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

export function loginPollers({ db, clock }: Pick<Program, 'db' | 'clock'>): Poller[] {
  const run = async () => {
    await deleteExpiredLogins(db, clock.now());
    return false;
  };
  return [{ name: 'remove old logins', everyMilliseconds: 60_000, run }];
}

export type StartedLogin = { secret: string; code: string; expiresAt: Date };

/** Stores only the hashes of the secret, which the asker keeps, and of the code, which people compare. */
export async function startLogin(
  { db, clock }: Program,
  { name, address }: { name: string; address: string },
): Promise<StartedLogin> {
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + validMilliseconds);
  const secret = `runcost_login_${newSecret()}`;
  const drawn = Array.from({ length: 8 }, () => letters[randomInt(letters.length)]!).join('');
  const [secretHash, codeHash] = [hashSecret(secret), hashSecret(drawn)];
  await insertLogin(db, { secretHash, codeHash, name, address, createdAt, expiresAt });
  return { secret, code: shownCode(drawn), expiresAt };
}

export type Login = Pick<LoginRow, 'name' | 'address' | 'createdAt' | 'expiresAt'> & {
  code: string;
  status: 'waiting' | 'approved' | 'denied';
};

export async function getLogin(program: Pick<Program, 'db' | 'clock'>, code: string): Promise<Login> {
  return loginOf(await find(program, code), code);
}

/** The token will have the rights of this session, and end with its member. */
export async function approveLogin(ctx: Context, code: string): Promise<Login> {
  return decide(ctx, code, ctx.actor);
}

export async function denyLogin(ctx: Context, code: string): Promise<Login> {
  return decide(ctx, code, null);
}

async function decide(ctx: Context, code: string, approver: Actor | null): Promise<Login> {
  const login = await find(ctx, code);
  refuseTokens(ctx.actor);
  if (approver) refuseBorrowedRights(approver);
  if (!(await decideLogin(ctx.db, login, approver))) {
    throw new PublicError('conflict', 'login_decided', 'This login was already confirmed or refused.');
  }
  return { ...loginOf(login, code), status: approver ? 'approved' : 'denied' };
}

/** Otherwise a token could make others that outlive it. */
function refuseTokens({ identity }: Actor): void {
  if (identity.sessionId !== null) return;
  const message = 'Only a person who is signed in with a browser can confirm or refuse a login.';
  throw new PublicError('forbidden', 'session_required', message);
}

/** A session that a token started ends with the token. Creating another takes the right to create tokens. */
function refuseBorrowedRights({ identity, role, scopes }: Actor): void {
  const isOwn = identity.memberId !== null && identity.tokenId === null;
  if (isOwn || (hasRole(role, 'admin') && scopes.includes('admin'))) return;
  const message =
    'This browser signed in with a token, and only admins can create others. Use the same token in your terminal: set RUNCOST_TOKEN.';
  throw new PublicError('forbidden', 'member_required', message);
}

export type ApprovedLogin = {
  text: string;
  token: Token;
  organization: { id: string; name: string };
  member: { email: string; name: string | null } | null;
};

/** Creates the token once somebody has confirmed, and ends the login with it. Null while it waits. */
export async function pollLogin(program: Program, secret: string): Promise<ApprovedLogin | null> {
  const secretHash = hashSecret(secret);
  return program.db.transaction().execute(async (tx) => {
    const login = await lockLogin(tx, secretHash, program.clock.now());
    if (!login) throw loginExpired();
    if (login.isDenied) {
      throw new PublicError('forbidden', 'login_denied', 'The login was refused in the browser.');
    }
    const approver = approverOf(login);
    if (!approver) return null;
    await deleteLogin(tx, secretHash);
    return createTokenOf(tx, { ...program, actor: approver }, login);
  });
}

export { deleteConfirmedLogins as endLogins } from './queries.ts';

async function createTokenOf(tx: Transaction, ctx: Context, login: LoginRow): Promise<ApprovedLogin> {
  const { actor, clock } = ctx;
  const { memberId } = actor.identity;
  const { organization, member } = await holderOf(tx, actor);
  const input = {
    name: login.name,
    role: actor.role,
    scopes: actor.scopes,
    member_id: memberId,
    expires_at: new Date(clock.now().getTime() + tokenMilliseconds),
  };
  const { token, text } = await addToken(tx, ctx, input, { login_from: login.address });
  return { text, token, organization, member };
}

/** The organization, or the member, may have gone since the confirmation. */
async function holderOf(
  tx: Transaction,
  actor: Actor,
): Promise<Pick<ApprovedLogin, 'organization' | 'member'>> {
  const { memberId } = actor.identity;
  try {
    await lockOrganization(tx, actor.orgId);
    const { orgId: id, name } = await getOrganization({ db: tx, actor });
    if (memberId === null) return { organization: { id, name }, member: null };
    const member = await getMember({ db: tx, actor }, memberId);
    return { organization: { id, name }, member: { email: member.email, name: member.name } };
  } catch (error) {
    throw error instanceof PublicError && error.kind === 'not_found' ? loginExpired() : error;
  }
}

/** Who confirmed it; null if nobody has. */
function approverOf({ forOrgId: orgId, memberId, actor: name, role, scopes }: LoginRow): Actor | null {
  if (orgId === null || name === null || role === null || scopes === null) return null;
  const identity = { memberId, tokenId: null, sessionId: null };
  return { orgId, role, scopes: scopes as Scope[], name, identity };
}

async function find({ db, clock }: Pick<Program, 'db' | 'clock'>, code: string): Promise<LoginRow> {
  const login = await findLoginByCode(db, hashSecret(lettersIn(code)), clock.now());
  if (login) return login;
  const message =
    'No login is waiting with this code. It is wrong, or older than 15 minutes. Run `runcost login` again.';
  throw new PublicError('not_found', 'login_not_found', message);
}

function loginOf({ name, address, createdAt, expiresAt, isDenied, forOrgId }: LoginRow, code: string): Login {
  const status = isDenied ? 'denied' : forOrgId === null ? 'waiting' : 'approved';
  return { code: shownCode(code), name, address, createdAt, expiresAt, status };
}

function shownCode(code: string): string {
  const typed = lettersIn(code);
  return `${typed.slice(0, 4)}-${typed.slice(4)}`;
}

function lettersIn(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z]/g, '');
}

function loginExpired(): PublicError {
  const message = 'This login is unknown, has ended, or waited for more than 15 minutes. Start it again.';
  return new PublicError('not_found', 'login_expired', message);
}
