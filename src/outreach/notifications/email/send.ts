import { PublicError } from '../../../platform/lib/errors.ts';
import { randomId } from '../../../platform/lib/ids.ts';
import { oneLine } from '../../../platform/lib/text.ts';
import { recordAudit } from '../../../tenancy/audit/audit.ts';
import { getMember, listAlertEmails } from '../../../tenancy/members/members.ts';
import { getOrganization } from '../../../tenancy/organizations/organizations.ts';
import type { Failure, NotificationContext, NotificationProgram, TestOutcome } from '../context.ts';
import type { NotificationRow } from '../queries.ts';
import type { AlertNotice } from '../wording.ts';
import { testWording } from '../wording.ts';
import type { MailFailure } from './mailer.ts';
import { alertEmail, emailOf } from './message.ts';
import { unsubscribeLink } from './unsubscribe.ts';

const testMilliseconds = 20_000;

/** Mails an alert to an owner or admin. Throws where the mail server has not taken it. */
export async function sendEmail(
  program: NotificationProgram,
  { orgId, id, notice, recipient }: NotificationRow,
): Promise<Failure> {
  const { db, mailer, publicUrl } = program;
  // Since it was queued, this person may have left, or may have switched alert emails off.
  if (!(await listAlertEmails(db, orgId)).includes(recipient)) {
    return { message: 'the recipient no longer gets alert emails', isPermanent: true };
  }
  if (!mailer) return { message: 'SMTP_URL is not set', isPermanent: false };
  const unsubscribeUrl = await unsubscribeLink(program, orgId, recipient);
  const email = alertEmail(notice as AlertNotice, { dashboardUrl: `${publicUrl()}/`, unsubscribeUrl });
  await mailer.send({ ...email, to: recipient, messageId: id, unsubscribeUrl });
  return null;
}

/** Whether sending again is in vain: the server has refused this recipient or this message for good (RFC 5321, 5yz). */
export function isPermanent(error: unknown): boolean {
  return (error as Partial<MailFailure> | null)?.isPermanent === true;
}

/** Sends one test mail to a member, whether or not alerts are mailed there. Throws where no mail server is set. */
export async function sendTestEmail(ctx: NotificationContext, memberId: string): Promise<TestOutcome> {
  const { db, clock, mailer } = ctx;
  const { id, email } = await getMember(ctx, memberId);
  if (!mailer) {
    throw new PublicError(
      'conflict',
      'mail_not_configured',
      'The server has no mail server to send by: start it with SMTP_URL and EMAIL_FROM set.',
    );
  }
  const { login, name } = await getOrganization(ctx);
  await db.transaction().execute((tx) => recordAudit(tx, ctx, 'member.test_email', id, { email }));
  const notice = { organization: login ?? name, sentAt: clock.now().toISOString() };
  const wording = testWording(notice, `${ctx.publicUrl()}/`);
  const reasons = [
    `You get this mail because somebody sent a test to you as a member of ${wording.organization}.`,
  ];
  try {
    const mail = { ...emailOf(wording, reasons), to: email, messageId: randomId('ntf') };
    await mailer.send(mail, testMilliseconds);
    return { delivered: true, statusCode: null, error: null };
  } catch (error) {
    const reason = oneLine((error as Error).message)
      .slice(0, 500)
      .toWellFormed();
    return { delivered: false, statusCode: null, error: `The mail could not be sent: ${reason}` };
  }
}
