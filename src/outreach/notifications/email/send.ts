import { PublicError } from '../../../platform/lib/errors.ts';
import { randomId } from '../../../platform/lib/ids.ts';
import { recordAudit } from '../../../tenancy/audit/audit.ts';
import { findMemberByEmail, getMember, listAlertEmails } from '../../../tenancy/members/members.ts';
import { getOrganization } from '../../../tenancy/organizations/organizations.ts';
import { deliverMail } from '../../channels/email/email.ts';
import { emailOf, type Email } from '../../channels/email/message.ts';
import { takesEmails, unsubscribeLink } from '../../channels/email/unsubscribe.ts';
import { outcomeOf, type TestOutcome } from '../../channels/send.ts';
import {
  dashboardOf,
  shownName,
  testWording,
  tokenWording,
  wordingOf,
  type AlertNotice,
  type Reason,
  type TokenNotice,
  type Wording,
} from '../../channels/wording.ts';
import { failureOf, type Failure, type NotificationContext, type NotificationProgram } from '../context.ts';
import type { NotificationRow } from '../queries.ts';
import { alertMail } from './alertMail.ts';

const testMilliseconds = 20_000;

export async function sendEmail(program: NotificationProgram, row: NotificationRow): Promise<Failure> {
  const { orgId, id, notice, recipient } = row;
  if (isOfToken(notice)) return sendTokenEmail(program, row, notice);
  if (program.digests.isDigest(notice)) return sendDigest(program, row);
  const { db, mailer } = program;
  const { isToRecipients = false } = notice as AlertNotice;
  const mayGet = isToRecipients
    ? await takesEmails(db, orgId, recipient)
    : (await listAlertEmails(db, orgId)).includes(recipient);
  if (!mayGet) return { message: 'the recipient no longer gets alert emails', isPermanent: true };
  const isMember = !isToRecipients || (await findMemberByEmail(db, orgId, recipient)) !== undefined;
  const unsubscribeUrl = await unsubscribeLink(program, orgId, recipient);
  const dashboardUrl = dashboardOf(program, orgId);
  const { wording, images } = await alertMail(notice as AlertNotice, dashboardUrl, program.log);
  const email = alertEmail(notice as AlertNotice, { dashboardUrl, unsubscribeUrl, isMember }, wording);
  const extras = { ...(images && { images }), unsubscribeUrl };
  return failureOf(await deliverMail(mailer, { ...email, ...extras, to: recipient, messageId: id }));
}

function isOfToken(notice: unknown): notice is TokenNotice {
  return (notice as Partial<TokenNotice>).token !== undefined;
}

async function sendDigest(program: NotificationProgram, row: NotificationRow): Promise<Failure> {
  const { digests, mailer } = program;
  const mail = await digests.email(program, row);
  if (!mail) return { message: 'the recipient no longer gets this digest', isPermanent: true };
  return failureOf(await deliverMail(mailer, { ...mail, messageId: row.id }));
}

/** Ignores the member's setting for alert emails, because the token is their own. */
async function sendTokenEmail(
  { db, mailer, publicUrl }: NotificationProgram,
  { orgId, id, recipient }: NotificationRow,
  notice: TokenNotice,
): Promise<Failure> {
  const mayGet = notice.token.member
    ? (await findMemberByEmail(db, orgId, recipient)) !== undefined
    : (await listAlertEmails(db, orgId)).includes(recipient);
  if (!mayGet) return { message: 'the recipient no longer gets emails about tokens', isPermanent: true };
  const organization = shownName(notice.organization);
  const why = notice.token.member
    ? `You get this email because the token belongs to you as a member of ${organization}.`
    : `You get this email because you are an owner or admin of ${organization} with alert emails on.`;
  const email = emailOf(tokenWording(notice, dashboardOf({ publicUrl }, orgId)), [why]);
  return failureOf(await deliverMail(mailer, { ...email, to: recipient, messageId: id }));
}

/** Sends a test email to a member, even if they have alert emails off. Throws if no mail server is set. */
export async function sendTestEmail(ctx: NotificationContext, memberId: string): Promise<TestOutcome> {
  const { id, email } = await getMember(ctx, memberId);
  if (!ctx.mailer) {
    throw new PublicError(
      'conflict',
      'mail_not_configured',
      'This server has no mail server. Start it with SMTP_URL and EMAIL_FROM.',
    );
  }
  await ctx.db.transaction().execute((tx) => recordAudit(tx, ctx, 'member.test_email', id, { email }));
  return sendTestTo(ctx, email, 'sent a test email to you as a member');
}

/** `what` somebody at the organization did, so that the reader gets it. */
export async function sendTestTo(ctx: NotificationContext, to: string, what: string): Promise<TestOutcome> {
  const { clock, mailer, actor } = ctx;
  const { login, name } = await getOrganization(ctx);
  const notice = { organization: login ?? name, sentAt: clock.now().toISOString() };
  const wording = testWording(notice, dashboardOf(ctx, actor.orgId));
  const unsubscribeUrl = await unsubscribeLink(ctx, actor.orgId, to);
  const reasons = [
    `You get this email because somebody ${what} of ${wording.organization}.`,
    { label: 'Unsubscribe', url: unsubscribeUrl },
  ];
  const mail = { ...emailOf(wording, reasons), unsubscribeUrl, to, messageId: randomId('ntf') };
  return outcomeOf(await deliverMail(mailer, mail, testMilliseconds));
}

type Links = { dashboardUrl: string; unsubscribeUrl: string; isMember: boolean };

export function alertEmail(
  notice: AlertNotice,
  { dashboardUrl, ...links }: Links,
  wording = wordingOf(notice, dashboardUrl),
): Email {
  return emailOf(wording, reasonsFor(notice, wording, links));
}

function reasonsFor(
  { isToRecipients = false }: AlertNotice,
  { organization }: Wording,
  { unsubscribeUrl, isMember }: Omit<Links, 'dashboardUrl'>,
): Reason[] {
  if (!isMember) {
    return [
      `You get this email because somebody at ${organization} added your address to the recipients of this alert.`,
      { label: 'Unsubscribe', url: unsubscribeUrl },
    ];
  }
  return [
    isToRecipients
      ? `You get this email because you are a recipient of this alert of ${organization}.`
      : `You get this email because you are an owner or admin of ${organization} with alert emails on.`,
    { label: 'Unsubscribe from alert emails', url: unsubscribeUrl },
    'Open this alert to acknowledge it, change it or turn it off for everybody.',
  ];
}
