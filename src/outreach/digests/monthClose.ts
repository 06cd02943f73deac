import type { Database } from '../../platform/db/database.ts';
import { hasRole } from '../../platform/lib/actor.ts';
import { dollars, inCents, signedDollars } from '../../platform/lib/amountTexts.ts';
import { monthInWords } from '../../platform/lib/days.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { capital, isEmail } from '../../platform/lib/text.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { requireDailyRoom } from '../../tenancy/audit/dailyRoom.ts';
import { listUnsubscribed } from '../../tenancy/members/addresses.ts';
import { findMemberByEmail, getMember } from '../../tenancy/members/members.ts';
import { getOrganization, lockOrganization } from '../../tenancy/organizations/organizations.ts';
import { deliverMail } from '../channels/email/email.ts';
import { emailOf } from '../channels/email/message.ts';
import { unsubscribeLink } from '../channels/email/unsubscribe.ts';
import { outcomeOf, type TestOutcome } from '../channels/send.ts';
import { dashboardOf, pageAt, shownName, type Wording } from '../channels/wording.ts';
import type { ClosedMonth } from './content.ts';
import { requireReading } from './digests.ts';
import { shownOf } from './gather.ts';
import type { PreviewContext } from './preview.ts';

const sendMilliseconds = 20_000;

/** As many as invitations. */
const maxEmailsPerDay = 200;

export type SentTo = TestOutcome & { email: string };

type Receiver = { email: string; isMember: boolean; isRefused: boolean };

/** Sends it now to the caller or, by admins, to any addresses. */
export async function sendMonthClose(
  ctx: PreviewContext,
  month: string,
  to?: readonly string[],
): Promise<SentTo[]> {
  const { db, mailer, actor } = ctx;
  requireReading(actor, 'A month close');
  const organization = await getOrganization(ctx);
  const closed = await ctx.digestSources.closeMonth({ ...ctx, plan: organization.plan }, month);
  const receivers = await receiversAt(db, actor.orgId, await readAddresses(ctx, to));
  if (!mailer) {
    const message = 'This server has no mail server. Start it with SMTP_URL and EMAIL_FROM.';
    throw new PublicError('conflict', 'mail_not_configured', message);
  }
  await recordSending(ctx, month, receivers);
  const wording = closeWording(closed, shownOf(organization), dashboardOf(ctx, actor.orgId));
  return Promise.all(
    receivers.map(async ({ email, isMember, isRefused }) => {
      if (isRefused)
        return { email, delivered: false, statusCode: null, error: `${email} has unsubscribed.` };
      const why = `You get this email because somebody at ${wording.organization} sent you this month close by hand. No other follows.`;
      const url = isMember ? null : await unsubscribeLink(ctx, actor.orgId, email);
      const mail = emailOf(wording, [why, ...(url ? [{ label: 'Unsubscribe', url }] : [])]);
      const sent = { ...mail, ...(url && { unsubscribeUrl: url }), to: email, messageId: randomId('ntf') };
      return { email, ...outcomeOf(await deliverMail(mailer, sent, sendMilliseconds)) };
    }),
  );
}

async function receiversAt(db: Database, orgId: string, emails: readonly string[]): Promise<Receiver[]> {
  const unsubscribed = await listUnsubscribed(db, orgId);
  return Promise.all(
    emails.map(async (email) => {
      const isMember = (await findMemberByEmail(db, orgId, email)) !== undefined;
      return { email, isMember, isRefused: !isMember && unsubscribed.includes(email.toLowerCase()) };
    }),
  );
}

/** Throws if the organization has sent too many today. */
function recordSending(ctx: PreviewContext, month: string, receivers: readonly Receiver[]): Promise<void> {
  const to = receivers.flatMap(({ email, isRefused }) => (isRefused ? [] : email));
  return ctx.db.transaction().execute(async (tx) => {
    if (to.length === 0) return;
    await lockOrganization(tx, ctx.actor.orgId);
    await requireDailyRoom(tx, ctx, {
      actions: ['month_close.send'],
      countIn: ({ details }) => (details as { to: string[] }).to.length,
      more: to.length,
      max: maxEmailsPerDay,
      things: 'emails of month closes',
    });
    await recordAudit(tx, ctx, 'month_close.send', month, { month, to });
  });
}

async function readAddresses({ db, actor }: PreviewContext, to?: readonly string[]): Promise<string[]> {
  const { memberId } = actor.identity;
  const own = memberId === null ? null : (await getMember({ db, actor }, memberId)).email;
  const addresses = [...new Map((to ?? [own ?? '']).map((email) => [email.toLowerCase(), email])).values()];
  if (to === undefined && own === null) {
    const message = 'Your token belongs to no member, so there is no address to send to.';
    throw new PublicError('conflict', 'no_address', message);
  }
  for (const [index, email] of addresses.entries())
    if (!isEmail(email)) throw invalid(`to[${index}]`, 'must be an email address');
  const isOnlyOwn = addresses.every((email) => email.toLowerCase() === own?.toLowerCase());
  if (!isOnlyOwn && !hasRole(actor.role, 'admin'))
    throw new PublicError('forbidden', 'role_too_low', 'Sending it to others needs the role admin.');
  return addresses;
}

function closeWording(closed: ClosedMonth, name: string, dashboardUrl: string): Wording {
  const { month, sentence, listedNanos, billedNanos, steps, teams } = closed;
  const organization = shownName(name);
  const amounts = inCents(
    listedNanos,
    steps.map(({ amountNanos }) => amountNanos),
  );
  const url = pageAt('bill', dashboardUrl);
  url.searchParams.set('view', 'close');
  url.searchParams.set('month', month);
  const costs = inCents(
    0n,
    teams.map(({ costNanos }) => costNanos),
  );
  const netCosts = inCents(
    0n,
    teams.map(({ netCostNanos }) => netCostNanos),
  );
  const items = teams.map(({ name: team, isTeam }, index) => {
    const shown = isTeam ? shownName(team) : capital(team);
    return `${shown}: ${dollars(costs[index]!)} (net ${dollars(netCosts[index]!)})`;
  });
  return {
    title: 'Month close',
    alertName: `${organization}, ${monthInWords(month)}`,
    organization,
    isCalm: true,
    current: `${dollars(billedNanos)} billed`,
    inShort: `${dollars(billedNanos)} billed`,
    summary: sentence,
    details: [
      { label: 'List cost', value: dollars(listedNanos) },
      ...steps
        .map(({ title }, index) => ({
          label: title,
          value: signedDollars(amounts[index]!),
        }))
        .filter((_, index) => amounts[index] !== 0n),
      { label: 'Billed', value: dollars(billedNanos) },
    ],
    workflows: [],
    lists: [{ heading: 'Teams, list cost', items }],
    link: { label: 'Open the month close', url: url.href },
  };
}
