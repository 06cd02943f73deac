import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { hasRole, type Actor, type Role } from '../../platform/lib/actor.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { isEmail } from '../../platform/lib/text.ts';
import { differences, recordAudit } from '../audit/audit.ts';
import { lockOrganization, requireRoom } from '../organizations/organizations.ts';
import { isUnsubscribed, keepSetting } from './addresses.ts';
import {
  changeMember,
  findMembers,
  insertMember,
  keepUnsubscribeSecret,
  type MemberRow,
  memberRows,
  updateLastSeen,
} from './queries.ts';

const maxMembers = 1_000;

/** Nobody knows who uses the sessions that sign-in links started. The actor's own stays. */
export type EndLinkSessions = (tx: Transaction, ctx: Context) => Promise<void>;

export type Member = Omit<MemberRow, 'orgId'>;

export async function listMembers({
  db,
  actor,
}: Pick<Context, 'db'> & { actor: Pick<Actor, 'orgId'> }): Promise<Member[]> {
  return findMembers(db, actor.orgId);
}

const noteEveryMilliseconds = 3_600_000;

export async function noteSeen(
  db: Database,
  { orgId, memberId }: { orgId: string; memberId: string | null },
  at: Date,
): Promise<void> {
  if (memberId === null) return;
  const ifBefore = new Date(at.getTime() - noteEveryMilliseconds);
  await updateLastSeen(db, { orgId, id: memberId, at, ifBefore });
}

export { findAlertEmails as listAlertEmails } from './queries.ts';

/** Ignores case. */
export { findByEmail as findMemberByEmail } from './queries.ts';

export async function getMember({ db, actor }: Pick<Context, 'db' | 'actor'>, id: string): Promise<Member> {
  const member = await memberRows.find(db, { orgId: actor.orgId, id });
  if (!member) throw notFound('member');
  return member;
}

/** The author stored with an actor's texts. Tokens and the command line are not members. */
export type Author = { author: string; memberId: string | null };

export async function authorOf(db: Database, actor: Actor): Promise<Author> {
  const { memberId } = actor.identity;
  if (memberId === null) return { author: actor.name, memberId };
  const { name, email } = await getMember({ db, actor }, memberId);
  return { author: name ?? email, memberId };
}

export function isAuthor({ name, identity }: Actor, { author, memberId }: Author): boolean {
  return memberId === null ? identity.memberId === null && author === name : memberId === identity.memberId;
}

export type NewMember = { email: string; name?: string | null; role?: Role; alert_emails?: boolean };

export function addMember(ctx: Context, input: NewMember): Promise<Member> {
  return ctx.db.transaction().execute((tx) => addMemberIn(tx, ctx, input));
}

export async function addMemberIn(tx: Transaction, ctx: Context, input: NewMember): Promise<Member> {
  const { actor, clock } = ctx;
  const role = input.role ?? 'member';
  refuseHigherRole(actor, role);
  requireEmail(input.email);
  const now = clock.now();
  const member: MemberRow = {
    orgId: actor.orgId,
    id: randomId('mem'),
    email: input.email,
    name: input.name ?? null,
    role,
    alertEmails: (input.alert_emails ?? true) && !(await isUnsubscribed(tx, actor.orgId, input.email)),
    unsubscribeSecret: null,
    lastSeenAt: null,
    createdAt: now,
    updatedAt: now,
  };
  await requireRoom(tx, actor.orgId, {
    things: 'members',
    max: maxMembers,
    count: () => memberRows.count(tx, { orgId: actor.orgId }),
    advice: 'Remove one first.',
  });
  if (!(await insertMember(tx, member))) throw memberExists(input.email);
  await recordAudit(tx, ctx, 'member.add', member.id, { email: member.email, role });
  return member;
}

export type MemberChanges = { email?: string; name?: string | null; role?: Role; alert_emails?: boolean };

export async function updateMember(ctx: Context, id: string, changes: MemberChanges): Promise<Member> {
  const { db, actor, clock } = ctx;
  return db.transaction().execute(async (tx) => {
    const member = await memberToChange(tx, actor, id);
    if (changes.role) {
      refuseHigherRole(actor, changes.role);
      if (member.role === 'owner' && changes.role !== 'owner') await refuseLastOwner(tx, actor.orgId);
    }
    if (changes.email !== undefined) requireEmail(changes.email);
    const isOther = changes.email !== undefined && changes.email.toLowerCase() !== member.email.toLowerCase();
    const isStopped = isOther && (await isUnsubscribed(tx, actor.orgId, changes.email!));
    const changed: MemberRow = {
      ...member,
      email: changes.email ?? member.email,
      name: changes.name === undefined ? member.name : changes.name,
      role: changes.role ?? member.role,
      alertEmails: changes.alert_emails ?? (member.alertEmails && !isStopped),
      // Invalidates unsubscribe links in emails to the old address.
      unsubscribeSecret: changes.email === undefined ? member.unsubscribeSecret : null,
      updatedAt: clock.now(),
    };
    const details = differences(settingsOf(member), settingsOf(changed));
    if (!details) return member;
    const { lastSeenAt: _, ...columns } = changed;
    if (!(await changeMember(tx, member, columns))) throw memberExists(changed.email);
    if (isOther) await keepSetting(tx, member, clock.now());
    await recordAudit(tx, ctx, 'member.update', id, details);
    return changed;
  });
}

/** Sets the role that an identity provider's groups give. The last owner stays owner. */
export async function giveRole(tx: Transaction, ctx: Context, id: string, role: Role): Promise<void> {
  const { orgId } = ctx.actor;
  const member = await memberToChange(tx, ctx.actor, id);
  if (member.role === role) return;
  if (member.role === 'owner' && (await countOwners(tx, orgId)) <= 1) return;
  await changeMember(tx, member, { role, updatedAt: ctx.clock.now() });
  await recordAudit(tx, ctx, 'member.update', id, { role, before: { role: member.role } });
}

function settingsOf({ email, name, role, alertEmails }: MemberRow) {
  return { email, name, role, alert_emails: alertEmails };
}

/** Also ends all sessions of sign-in links, because any of them may be the member's. */
export async function removeMember(ctx: Context, id: string, endLinks: EndLinkSessions): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const member = await memberToChange(tx, ctx.actor, id);
    if (member.role === 'owner') await refuseLastOwner(tx, ctx.actor.orgId);
    await memberRows.remove(tx, member);
    await keepSetting(tx, member, ctx.clock.now());
    await recordAudit(tx, ctx, 'member.remove', id, { email: member.email });
    await endLinks(tx, ctx);
  });
}

export async function secretForUnsubscribing(
  db: Context['db'],
  asked: { orgId: string; email: string; secret: string },
): Promise<{ id: string; secret: string }> {
  const kept = await keepUnsubscribeSecret(db, asked);
  if (!kept?.unsubscribeSecret) throw notFound('member');
  return { id: kept.id, secret: kept.unsubscribeSecret };
}

/** The member of an unsubscribe link; null if there is none, or they never received such a link. */
export async function findUnsubscribing(
  db: Context['db'],
  orgId: string,
  id: string,
): Promise<{ email: string; secret: string } | null> {
  const member = await memberRows.find(db, { orgId, id });
  return member?.unsubscribeSecret ? { email: member.email, secret: member.unsubscribeSecret } : null;
}

function requireEmail(text: string): void {
  if (!isEmail(text)) throw invalid('email', 'must be an email address');
}

function memberExists(email: string): PublicError {
  return new PublicError('conflict', 'member_exists', `${email} is already a member.`);
}

async function memberToChange(tx: Transaction, actor: Actor, id: string): Promise<MemberRow> {
  await lockOrganization(tx, actor.orgId);
  const member = await memberRows.find(tx, { orgId: actor.orgId, id });
  if (!member) throw notFound('member');
  refuseHigherRole(actor, member.role);
  return member;
}

function countOwners(tx: Transaction, orgId: string): Promise<number> {
  return memberRows.count(tx, { orgId, role: 'owner' });
}

async function refuseLastOwner(tx: Transaction, orgId: string): Promise<void> {
  if ((await countOwners(tx, orgId)) > 1) return;
  throw new PublicError(
    'conflict',
    'last_owner',
    'This is the last owner. Make another member an owner first.',
  );
}

export function refuseHigherRole(actor: Actor, role: Role): void {
  if (hasRole(actor.role, role)) return;
  const message = `Your role ${actor.role} cannot give, change or remove the role ${role}.`;
  throw new PublicError('forbidden', 'role_too_low', message);
}
