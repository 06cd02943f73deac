import { PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { oneLine } from '../../platform/lib/text.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { getMember } from '../../tenancy/members/members.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { emailOf } from './alertEmail.ts';
import type { NotificationContext } from './context.ts';
import type { TestOutcome } from './sendTestChat.ts';
import { testWording } from './testNotice.ts';

const longestMilliseconds = 20_000;

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
    await mailer.send(mail, longestMilliseconds);
    return { delivered: true, statusCode: null, error: null };
  } catch (error) {
    const reason = oneLine((error as Error).message)
      .slice(0, 500)
      .toWellFormed();
    return { delivered: false, statusCode: null, error: `The mail could not be sent: ${reason}` };
  }
}
