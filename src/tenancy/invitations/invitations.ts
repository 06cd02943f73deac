import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { hasRole, type Role } from '../../platform/lib/actor.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { newSecret, randomId } from '../../platform/lib/ids.ts';
import { isEmail } from '../../platform/lib/text.ts';
import { recordAudit } from '../audit/audit.ts';
import { requireDailyRoom } from '../audit/dailyRoom.ts';
import { authorOf, findMemberByEmail, refuseHigherRole } from '../members/members.ts';
import { getOrganization, lockOrganization, requireRoom } from '../organizations/organizations.ts';
import { hashSecret, writeSecret } from '../tokens/tokens.ts';
import {
  changeOpen,
  deleteEndedBefore,
  findInvitation,
  findOpen,
  type InvitationRow,
  invitationRows,
  type KnownInvitation,
} from './queries.ts';

export const defaultValidDays = 7;
export const maxValidDays = 30;
const maxInvitations = 200;
/** Without this limit, an admin could send strangers mail without end. */
export const maxPerDay = 200;
const msPerDay = 86_400_000;
/** After that, a link is simply unknown. */
const keptDays = 90;

export type Invitation = Omit<InvitationRow, 'orgId' | 'secretHash' | 'acceptedAt' | 'revokedAt' | 'tokenId'>;

export type InvitationMail = {
  to: string;
  organization: string;
  role: Role;
  author: string;
  link: string;
  expiresAt: Date;
};

/** Throws if the mail server refuses the message. Null if there is no mail server. `app.ts` passes it in. */
export type SendInvitation = ((mail: InvitationMail) => Promise<void>) | null;

export type Inviting = Context & {
  publicUrl: () => string;
  sendInvitation: SendInvitation;
  log: { error: (fields: object, message: string) => void };
};

export type NewInvitation = {
  email: string | null;
  role: Role;
  validDays: number;
  /** Whether to email the link. Then we show it to nobody else, so that it proves the address. */
  byMail: boolean;
};

/** `link` is shown once. Null means that it went by email. */
export type Invited = { invitation: Invitation; link: string | null };

/** Stored until the mail server has answered. */
const notYetSent = 'It was not sent yet.';

export async function listInvitations({ db, actor, clock }: Context): Promise<Invitation[]> {
  return (await findOpen(db, actor.orgId, clock.now())).filter(isBacked).map(shown);
}

export async function invite(ctx: Inviting, input: NewInvitation): Promise<Invited> {
  const { db, actor, clock } = ctx;
  const { email, role, validDays, byMail } = input;
  refuseHigherRole(actor, role);
  if (email !== null && !isEmail(email)) throw invalid('email', 'must be an email address');
  if (byMail) requireMail(ctx, email);
  const now = clock.now();
  const secret = newSecret();
  const row = await db.transaction().execute(async (tx) => {
    await deleteEndedBefore(tx, actor.orgId, new Date(now.getTime() - keptDays * msPerDay));
    await requireRoom(tx, actor.orgId, {
      things: 'invitations',
      max: maxInvitations,
      count: async () => (await findOpen(tx, actor.orgId, now)).length,
      advice: 'Revoke one first.',
    });
    await requireRoomToday(tx, ctx);
    if (email !== null) await refuseMember(tx, actor.orgId, email);
    const author = await authorOf(tx, actor);
    const created: InvitationRow = {
      orgId: actor.orgId,
      id: randomId('inv'),
      email,
      role,
      secretHash: hashSecret(secret),
      isMailed: byMail,
      mailError: byMail ? notYetSent : null,
      ...author,
      tokenId: author.memberId === null ? actor.identity.tokenId : null,
      createdAt: now,
      expiresAt: endOf(now, validDays),
      acceptedAt: null,
      revokedAt: null,
    };
    await invitationRows.insert(tx, created);
    const details = { email, role, by_mail: byMail, expires_at: created.expiresAt.toISOString() };
    await recordAudit(tx, ctx, 'invitation.create', created.id, details);
    return created;
  });
  return handOver(ctx, row, secret);
}

/** Makes a new link for the same person. The former link no longer works. */
export async function resendInvitation(
  ctx: Inviting,
  id: string,
  { byMail, validDays }: Pick<NewInvitation, 'byMail' | 'validDays'>,
): Promise<Invited> {
  const { db, actor, clock } = ctx;
  const secret = newSecret();
  const row = await db.transaction().execute(async (tx) => {
    const invitation = await findInvitation(tx, actor.orgId, id);
    if (!invitation) throw notFound('invitation');
    refuseHigherRole(actor, invitation.role);
    if (byMail) requireMail(ctx, invitation.email);
    await lockOrganization(tx, actor.orgId);
    await requireRoomToday(tx, ctx);
    const changes = {
      secretHash: hashSecret(secret),
      expiresAt: endOf(clock.now(), validDays),
      isMailed: byMail,
      mailError: byMail ? notYetSent : null,
    };
    if (!(await changeOpen(tx, invitation, changes))) throw notFound('invitation');
    const { email, role } = invitation;
    await recordAudit(tx, ctx, 'invitation.resend', id, { email, role, by_mail: byMail });
    return { ...invitation, ...changes };
  });
  return handOver(ctx, row, secret);
}

/** With those sent again, and those that ended. The organization must be locked. */
function requireRoomToday(tx: Transaction, ctx: Context): Promise<void> {
  return requireDailyRoom(tx, ctx, {
    actions: ['invitation.create', 'invitation.resend'],
    countIn: () => 1,
    more: 1,
    max: maxPerDay,
    things: 'invitations',
  });
}

export async function revokeInvitation(ctx: Context, id: string): Promise<void> {
  const { db, actor, clock } = ctx;
  await db.transaction().execute(async (tx) => {
    const invitation = await findInvitation(tx, actor.orgId, id);
    if (!invitation) throw notFound('invitation');
    refuseHigherRole(actor, invitation.role);
    if (!(await changeOpen(tx, invitation, { revokedAt: clock.now() }))) throw notFound('invitation');
    const { email, role } = invitation;
    await recordAudit(tx, ctx, 'invitation.revoke', id, { email, role });
  });
}

/** The open invitation with the highest role to an address that its owner has proven. */
export async function findInvitationOf(
  db: Database,
  orgId: string,
  { email, now }: { email: string; now: Date },
): Promise<Invitation | null> {
  const own = (await findOpen(db, orgId, now)).filter(
    (each) => each.email?.toLowerCase() === email.toLowerCase() && isBacked(each),
  );
  const best = own.reduce<InvitationRow | null>(
    (most, each) => (most && hasRole(most.role, each.role) ? most : each),
    null,
  );
  return best && shown(best);
}

/** Returns false if the invitation is no longer open. */
export async function markAccepted(
  tx: Transaction,
  ctx: Context,
  id: string,
  { email, memberId }: { email: string; memberId: string },
): Promise<boolean> {
  const { actor, clock } = ctx;
  if (!(await changeOpen(tx, { orgId: actor.orgId, id }, { acceptedAt: clock.now() }))) return false;
  await recordAudit(tx, ctx, 'invitation.accept', id, { email, member_id: memberId });
  return true;
}

/** After the owner of the address has proven it, nobody else can use them. */
export async function endInvitationsTo(tx: Transaction, ctx: Context, address: string): Promise<void> {
  const { actor, clock } = ctx;
  for (const { orgId, id, email, role } of await findOpen(tx, actor.orgId, clock.now())) {
    if (email?.toLowerCase() !== address.toLowerCase()) continue;
    await changeOpen(tx, { orgId, id }, { revokedAt: clock.now() });
    await recordAudit(tx, ctx, 'invitation.revoke', id, { email, role, why: 'address_proven' });
  }
}

/** Like a share link, an invitation ends with the rights of its author. */
export function isBacked({ memberId, authorRole, role, isTokenRevoked }: KnownInvitation): boolean {
  if (isTokenRevoked) return false;
  return memberId === null || (authorRole !== null && hasRole(authorRole, role));
}

async function handOver(ctx: Inviting, row: InvitationRow, secret: string): Promise<Invited> {
  const { orgId, id, email, role, author, expiresAt, isMailed } = row;
  const link = `${ctx.publicUrl()}/invitation#${writeSecret('invitation', { orgId, id, secret })}`;
  if (!isMailed || email === null || !ctx.sendInvitation) return { invitation: shown(row), link };
  const { name } = await getOrganization(ctx);
  const mailError = await ctx
    .sendInvitation({ to: email, organization: name, role, author, link, expiresAt })
    .then(
      () => null,
      (error: Error) => error.message,
    );
  // The email is out. An error would make the caller send a second one.
  await invitationRows
    .change(ctx.db, row, { mailError }, { secretHash: row.secretHash })
    .catch((err: unknown) =>
      ctx.log.error({ err, invitation: id }, 'the result of an invitation email was not stored'),
    );
  return { invitation: shown({ ...row, mailError }), link: null };
}

function shown({ secretHash: _, ...invitation }: InvitationRow): Invitation {
  return invitation;
}

function requireMail({ sendInvitation }: Inviting, email: string | null): void {
  if (email === null) throw invalid('email', 'is required to send the invitation by email');
  if (sendInvitation) return;
  throw new PublicError(
    'conflict',
    'mail_not_configured',
    'This server has no mail server. Start it with SMTP_URL and EMAIL_FROM, or copy the link.',
  );
}

async function refuseMember(tx: Transaction, orgId: string, email: string): Promise<void> {
  if (!(await findMemberByEmail(tx, orgId, email))) return;
  throw new PublicError('conflict', 'member_exists', `${email} is already a member.`);
}

function endOf(now: Date, days: number): Date {
  return new Date(now.getTime() + days * msPerDay);
}
