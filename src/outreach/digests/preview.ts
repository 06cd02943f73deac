import { hasRole } from '../../platform/lib/actor.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { findMemberByEmail, getMember } from '../../tenancy/members/members.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { deliverMail } from '../channels/email/email.ts';
import { outcomeOf, type TestOutcome } from '../channels/send.ts';
import { dashboardOf } from '../channels/wording.ts';
import type { NotificationContext, NotificationProgram } from '../notifications/context.ts';
import type { DigestFigures } from './content.ts';
import { getDigest, requireReading } from './digests.ts';
import { gatherFigures, type DigestSources } from './gather.ts';
import { digestMail, mailTo, previewMail } from './message.ts';
import { requirePart, type Part } from './part.ts';
import { latestSlot, type Frequency } from './slots.ts';

export type PreviewContext = NotificationContext & NotificationProgram & { digestSources: DigestSources };

const sendMilliseconds = 20_000;

type Asked = { frequency: Frequency } & Part;

/** The figures and the email of a digest about the latest whole period. Sends nothing. */
export async function previewDigest(
  ctx: PreviewContext,
  asked: Asked,
): Promise<{ figures: DigestFigures; email: ReturnType<typeof previewMail> }> {
  await requirePart(ctx.db, ctx.actor.orgId, asked);
  const figures = await figuresOfNow(ctx, asked);
  return { figures, email: previewMail(figures, dashboardOf(ctx, ctx.actor.orgId)) };
}

async function figuresOfNow(
  ctx: PreviewContext,
  { frequency, team, actorKind }: Asked,
): Promise<DigestFigures> {
  const organization = await getOrganization(ctx);
  const slot = latestSlot(ctx.clock.now(), frequency, organization.calendar);
  return gatherFigures(ctx, { organization, frequency, team, actorKind, slot });
}

/** Sends a digest now to one member: the caller, or for admins the one with this address. */
export async function sendDigestNow(ctx: PreviewContext, id: string, to?: string): Promise<TestOutcome> {
  const { db, mailer } = ctx;
  requireReading(ctx.actor);
  const digest = await getDigest(ctx, id);
  const member = await receiverOf(ctx, to);
  if (!mailer) {
    const message = 'This server has no mail server. Start it with SMTP_URL and EMAIL_FROM.';
    throw new PublicError('conflict', 'mail_not_configured', message);
  }
  const { email } = member;
  const recipient = digest.recipients.find(({ memberId }) => memberId === member.id);
  if (to !== undefined && recipient && recipient.unsubscribedAt !== null) {
    const message = `${email} has unsubscribed from this digest.`;
    throw new PublicError('conflict', 'unsubscribed', message);
  }
  await db.transaction().execute((tx) => recordAudit(tx, ctx, 'digest.send', id, { email }));
  const figures = await figuresOfNow(ctx, digest);
  const mail = recipient ? await mailTo(recipient, figures, ctx) : await mailOnce(figures, ctx);
  return outcomeOf(
    await deliverMail(mailer, { ...mail, to: email, messageId: randomId('ntf') }, sendMilliseconds),
  );
}

/** The receiver is not a recipient of the digest, so there is nothing to unsubscribe from. */
function mailOnce(figures: DigestFigures, ctx: PreviewContext) {
  const reasons = [
    'You get this email because somebody sent you this digest by hand. You are not one of its recipients, so no other follows.',
  ];
  return digestMail(figures, { dashboardUrl: dashboardOf(ctx, ctx.actor.orgId), reasons, log: ctx.log });
}

async function receiverOf(
  { db, actor }: PreviewContext,
  to: string | undefined,
): Promise<{ id: string; email: string }> {
  const { memberId } = actor.identity;
  if (to === undefined && memberId !== null) return getMember({ db, actor }, memberId);
  const member = to === undefined ? undefined : await findMemberByEmail(db, actor.orgId, to);
  const mayChoose = hasRole(actor.role, 'admin');
  if (member && (member.id === memberId || mayChoose)) return member;
  // The answer is the same for members and others.
  if (to !== undefined && !mayChoose)
    throw new PublicError('forbidden', 'role_too_low', 'Sending it to others needs the role admin.');
  const message =
    to === undefined
      ? 'Your token belongs to no member, so there is no address to send to.'
      : `${to} is not a member of this organization.`;
  throw new PublicError('conflict', 'no_address', message);
}
