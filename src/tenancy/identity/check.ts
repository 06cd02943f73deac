import { setTimeout as wait } from 'node:timers/promises';
import { recordAudit } from '../audit/audit.ts';
import { giveRole } from '../members/members.ts';
import {
  claimCheck,
  endThese,
  noteCheck,
  noteProof,
  type CheckSession,
  type DueSession,
} from '../sessions/sessions.ts';
import { roleByGroups } from './decide.ts';
import { messagesOf, nextCheck, proofOf, providerActor } from './enter.ts';
import { AccessEnded } from './gitHub.ts';
import { askAgain, signOutAddress, type Answered } from './issuer.ts';
import { findProvider, type Provider, type SignInProgram } from './providers.ts';
import { findMemberOfIdentity, type IdentitySessionRow, identitySessionRows } from './queries.ts';

/** How long a request waits for the provider. The check itself continues. */
const maxWaitMilliseconds = 8_000;
const retryMilliseconds = 60_000;

/** Once per session, even if several requests and processes find it due. */
export function createSessionCheck(program: SignInProgram): CheckSession {
  const running = new Map<string, Promise<void>>();
  return async (due) => {
    const key = `${due.orgId} ${due.id}`;
    let check = running.get(key);
    if (!check) {
      if (due.checkAt > program.clock.now()) return false;
      check = begin(due).finally(() => running.delete(key));
      running.set(key, check);
    }
    await Promise.race([check, wait(maxWaitMilliseconds, undefined, { ref: false })]);
    return true;
  };

  async function begin(due: DueSession): Promise<void> {
    try {
      if (await claimCheck(program.db, due, nextCheck(program))) await checkSession(program, due);
    } catch (error) {
      program.log.warn({ session: due.id, problem: messagesOf(error) }, 'a session could not be checked');
    }
  }
}

async function checkSession(program: SignInProgram, { orgId, id }: DueSession): Promise<void> {
  const { db, vault, clock, log } = program;
  const row = await identitySessionRows.find(db, { orgId, sessionId: id });
  if (!row?.refreshToken) return;
  const provider = await findProvider(program, orgId, row.providerId);
  if (!provider) return end(program, row, null, 'provider_removed');
  const { subject } = row;
  let answered: Answered;
  try {
    answered = await askAgain(program, provider, { refreshToken: vault.open(row.refreshToken), subject });
  } catch (error) {
    if (error instanceof AccessEnded) return end(program, row, provider, 'access_ended');
    log.warn(
      { session: id, provider: provider.id, problem: messagesOf(error) },
      'the identity provider cannot be reached: the session continues until it expires',
    );
    const at = new Date(clock.now().getTime() + retryMilliseconds);
    return db.transaction().execute((tx) => noteCheck(tx, { orgId, id }, at));
  }
  await apply(program, row, provider, answered);
}

async function apply(
  program: SignInProgram,
  row: IdentitySessionRow,
  provider: Provider,
  { person, refreshToken, idToken }: Answered,
): Promise<void> {
  const { db, vault } = program;
  const { orgId } = row;
  const byGroups = roleByGroups(provider, person.groups);
  // The role stays, because the next sign-in names the groups again.
  if (byGroups === 'unknown') return end(program, row, provider, 'groups_unknown');
  if (byGroups === null) return end(program, row, provider, 'no_group');
  await db.transaction().execute(async (tx) => {
    const memberId = await findMemberOfIdentity(tx, row);
    if (memberId === null) return;
    const ctx = { ...program, actor: providerActor(orgId) };
    if (byGroups !== 'own') await giveRole(tx, ctx, memberId, byGroups);
    // A refreshed answer may lack the address. Then the earlier proof stays.
    if (person.email !== null) await noteProof(tx, { orgId, id: row.sessionId }, proofOf(provider, person));
    await identitySessionRows.change(tx, row, {
      ...(refreshToken !== null && { refreshToken: vault.seal(refreshToken) }),
      ...(idToken !== null && { idToken: vault.seal(idToken) }),
    });
  });
}

async function end(
  program: SignInProgram,
  { orgId, sessionId, subject }: IdentitySessionRow,
  provider: Provider | null,
  why: string,
): Promise<void> {
  const ctx = { ...program, actor: providerActor(orgId) };
  await program.db.transaction().execute(async (tx) => {
    await endThese(tx, ctx, [sessionId]);
    const details = { provider: provider?.name ?? null, why, subject };
    await recordAudit(tx, ctx, 'session.end_by_provider', sessionId, details);
  });
}

/** Null if that is not possible now. Never throws, so that signing out here works. */
export async function findSignOutAddress(
  program: SignInProgram,
  session: { orgId: string; id: string } | null,
): Promise<string | null> {
  if (session === null) return null;
  const { db, vault, publicUrl, log } = program;
  try {
    const row = await identitySessionRows.find(db, { orgId: session.orgId, sessionId: session.id });
    const provider = row && (await findProvider(program, session.orgId, row.providerId));
    if (!provider) return null;
    const idToken = row.idToken ? vault.open(row.idToken) : null;
    return await signOutAddress(program, provider, { idToken, returnTo: `${publicUrl()}/sign-in` });
  } catch (error) {
    log.warn({ session: session.id, problem: messagesOf(error) }, 'no address to sign out at the provider');
    return null;
  }
}
