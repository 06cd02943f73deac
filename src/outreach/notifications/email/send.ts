import type { Database } from '../../../platform/db/database.ts';
import { PublicError } from '../../../platform/lib/errors.ts';
import { randomId } from '../../../platform/lib/ids.ts';
import { oneLine } from '../../../platform/lib/text.ts';
import { recordAudit } from '../../../tenancy/audit/audit.ts';
import { findMemberByEmail, getMember, listAlertEmails } from '../../../tenancy/members/members.ts';
import { getOrganization } from '../../../tenancy/organizations/organizations.ts';
import type { Failure, NotificationContext, NotificationProgram, TestOutcome } from '../context.ts';
import type { NotificationRow } from '../queries.ts';
import {
  dashboardOf,
  fit,
  shownName,
  testWording,
  tokenWording,
  wordingOf,
  type AlertNotice,
  type Reason,
  type TokenNotice,
  type Wording,
} from '../wording.ts';
import { alertEmailHtml } from './html.ts';
import type { MailFailure } from './mailer.ts';
import { unsubscribeLink } from './unsubscribe.ts';

const testMilliseconds = 20_000;

export async function sendEmail(program: NotificationProgram, row: NotificationRow): Promise<Failure> {
  const { orgId, id, notice, recipient } = row;
  if (isOfToken(notice)) return sendTokenEmail(program, row, notice);
  if (program.digests.isDigest(notice)) return sendDigest(program, row);
  const { db, mailer } = program;
  const { mayGet, member } = await receiverOf(db, orgId, notice as AlertNotice, recipient);
  if (!mayGet) return { message: 'the recipient no longer gets alert emails', isPermanent: true };
  if (!mailer) return noMailServer;
  const unsubscribeUrl = member === null ? null : await unsubscribeLink(program, orgId, member);
  const dashboardUrl = dashboardOf(program, orgId);
  const email = alertEmail(notice as AlertNotice, { dashboardUrl, unsubscribeUrl });
  await mailer.send({ ...email, to: recipient, messageId: id, ...(unsubscribeUrl && { unsubscribeUrl }) });
  return null;
}

function isOfToken(notice: unknown): notice is TokenNotice {
  return (notice as Partial<TokenNotice>).token !== undefined;
}

async function sendDigest(program: NotificationProgram, row: NotificationRow): Promise<Failure> {
  const { digests, mailer } = program;
  const mail = await digests.email(program, row);
  if (!mail) return { message: 'the recipient no longer gets this digest', isPermanent: true };
  if (!mailer) return noMailServer;
  await mailer.send({ ...mail, messageId: row.id });
  return null;
}

const noMailServer: Failure = { message: 'SMTP_URL is not set', isPermanent: false };

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
  if (!mailer) return noMailServer;
  const organization = shownName(notice.organization);
  const why = notice.token.member
    ? `You get this email because the token belongs to you as a member of ${organization}.`
    : `You get this email because you are an owner or admin of ${organization} with alert emails on.`;
  const email = emailOf(tokenWording(notice, dashboardOf({ publicUrl }, orgId)), [why]);
  await mailer.send({ ...email, to: recipient, messageId: id });
  return null;
}

/** A member may have left or turned off alert emails since. A recipient of the alert need not be a member. */
async function receiverOf(
  db: Database,
  orgId: string,
  { isToRecipients = false }: AlertNotice,
  recipient: string,
): Promise<{ mayGet: boolean; member: string | null }> {
  if (!isToRecipients) {
    return { mayGet: (await listAlertEmails(db, orgId)).includes(recipient), member: recipient };
  }
  const member = await findMemberByEmail(db, orgId, recipient);
  return { mayGet: member?.alertEmails ?? true, member: member?.email ?? null };
}

/**
 * Whether retrying is useless, because the server permanently refused the recipient or the message (RFC 5321,
 * 5yz).
 */
export function isPermanent(error: unknown): boolean {
  return (error as Partial<MailFailure> | null)?.isPermanent === true;
}

/** Sends a test email to a member, even if they have alert emails off. Throws if no mail server is set. */
export async function sendTestEmail(ctx: NotificationContext, memberId: string): Promise<TestOutcome> {
  const { db, clock, mailer } = ctx;
  const { id, email } = await getMember(ctx, memberId);
  if (!mailer) {
    throw new PublicError(
      'conflict',
      'mail_not_configured',
      'This server has no mail server. Start it with SMTP_URL and EMAIL_FROM.',
    );
  }
  const { login, name } = await getOrganization(ctx);
  await db.transaction().execute((tx) => recordAudit(tx, ctx, 'member.test_email', id, { email }));
  const notice = { organization: login ?? name, sentAt: clock.now().toISOString() };
  const wording = testWording(notice, dashboardOf(ctx, ctx.actor.orgId));
  const reasons = [
    `You get this email because somebody sent a test email to you as a member of ${wording.organization}.`,
  ];
  try {
    const mail = { ...emailOf(wording, reasons), to: email, messageId: randomId('ntf') };
    await mailer.send(mail, testMilliseconds);
    return { delivered: true, statusCode: null, error: null };
  } catch (error) {
    const reason = oneLine((error as Error).message)
      .slice(0, 500)
      .toWellFormed();
    return {
      delivered: false,
      statusCode: null,
      error: `Could not send the email: ${reason}`,
    };
  }
}

export type Email = { subject: string; text: string; html: string };

const columns = 76;
const maxNameInSubject = 80;

/** `unsubscribeUrl` is null for receivers who are not members. */
type Links = {
  dashboardUrl: string;
  unsubscribeUrl: string | null;
};

export function alertEmail(notice: AlertNotice, { dashboardUrl, unsubscribeUrl }: Links): Email {
  const wording = wordingOf(notice, dashboardUrl);
  return emailOf(wording, reasonsFor(notice, wording, unsubscribeUrl));
}

export function emailOf(wording: Wording, reasons: Reason[]): Email {
  return {
    subject: subjectOf(wording),
    text: textOf(wording, reasons),
    html: alertEmailHtml(wording, reasons),
  };
}

function subjectOf({ title, alertName, inShort }: Wording): string {
  const name = fit(alertName, maxNameInSubject, (text) => text);
  return `${title}: ${name} (${inShort})`;
}

function reasonsFor(
  { isToRecipients = false }: AlertNotice,
  { organization }: Wording,
  unsubscribeUrl: string | null,
): Reason[] {
  if (unsubscribeUrl === null) {
    return [
      `You get this email because somebody at ${organization} added your address to the recipients of this alert.`,
      'To stop it, ask them to remove your address.',
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

function textOf(wording: Wording, reasons: Reason[]): string {
  const { title, alertName, summary, facts, link, lists = [], chart } = wording;
  const labelWidth = Math.max(...facts.map(({ label }) => label.length));
  const lines = [
    ...wrap(`${title}: ${alertName}`, ''),
    '',
    ...wrap(summary, ''),
    '',
    ...facts.map(({ label, value }) => `  ${label.padEnd(labelWidth)}   ${value}`),
    '',
    ...(chart ? [...wrap(chart.text, ''), ''] : []),
    ...workflowLines(wording),
    ...lists.flatMap(({ heading, items }) => [
      `${heading}:`,
      ...items.flatMap((item) => wrap(item, '  ')),
      '',
    ]),
    `${link.label}:`,
    link.url,
    '',
    '-- ', // email clients treat what follows as a signature
    ...reasons.flatMap((reason) =>
      typeof reason === 'string' ? wrap(reason, '') : [`${reason.label}:`, reason.url],
    ),
  ];
  return `${lines.join('\n')}\n`;
}

/** The names come last, so that the figures align in any script. */
function workflowLines({ workflows }: Wording): string[] {
  if (workflows.length === 0) return [];
  const costWidth = widest('Cost', ...workflows.map(({ cost }) => cost));
  const changeWidth = widest('Change', ...workflows.map(({ change }) => change));
  const row = (cost: string, change: string) =>
    `  ${cost.padStart(costWidth)}  ${change.padStart(changeWidth)}  `;
  return [
    'Largest increases:',
    '',
    `${row('Cost', 'Change')}Workflow`,
    ...workflows.flatMap(({ workflow, repository, cost, change, cause }) => [
      ...wrap(`${workflow} (${repository})`, row(cost, change)),
      ...(cause ? wrap(cause, ' '.repeat(row('', '').length)) : []),
    ]),
    '',
  ];
}

function widest(...texts: string[]): number {
  return Math.max(...texts.map(({ length }) => length));
}

function wrap(text: string, start: string): string[] {
  const room = columns - start.length;
  const lines: string[] = [''];
  for (const word of text.split(' ').flatMap((long) => pieces(long, room))) {
    const line = lines.at(-1)!;
    const longer = line === '' ? word : `${line} ${word}`;
    if (widthOf(longer) <= room) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line, index) => (index === 0 ? start : ' '.repeat(start.length)) + line);
}

function pieces(word: string, room: number): string[] {
  const parts = [''];
  for (const character of word) {
    const longer = parts.at(-1)! + character;
    if (widthOf(longer) <= room) parts[parts.length - 1] = longer;
    else parts.push(character);
  }
  return parts;
}

/** Columns in a fixed-width font, where East Asian characters and pictographs take two. */
function widthOf(text: string): number {
  return text.replace(/[\u1100-\u115F\u2E80-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFFE6]/g, '  ').length;
}
