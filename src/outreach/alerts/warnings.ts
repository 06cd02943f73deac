import {
  allowanceProviders,
  isShare,
  productOf,
  type AllowanceMeasure,
} from '../../ledger/costs/costMeasures.ts';
import { getIncludedProducts } from '../../ledger/costs/includedProducts.ts';
import { getIncluded } from '../../ledger/pricing/settings.ts';
import type { Database } from '../../platform/db/database.ts';
import { listUnsubscribed } from '../../tenancy/members/addresses.ts';
import { findMemberByEmail, listAlertEmails } from '../../tenancy/members/members.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { mailWarnings } from '../notifications/mailWarnings.ts';
import type { AlertRow } from './queries.ts';
import type { Routed } from './reach.ts';
import { scopeWarnings } from './readScope.ts';
import { channelsOf } from './triggers.ts';

export async function warningsOf(
  ctx: Pick<NotificationContext, 'db' | 'mailer' | 'channelKinds' | 'clock' | 'providers'>,
  alert: AlertRow,
): Promise<string[]> {
  const { db } = ctx;
  return [
    ...(await scopeWarnings(db, alert)),
    ...(isShare(alert.measure) ? await allowanceWarnings(ctx, alert) : []),
    ...(await reachWarnings(ctx, alert)),
  ];
}

/** Why messages cannot arrive. */
export async function reachWarnings(
  ctx: Pick<NotificationContext, 'db' | 'mailer' | 'channelKinds'>,
  alert: Routed & Pick<AlertRow, 'orgId'>,
): Promise<string[]> {
  const { notifyEmail: byEmail } = alert;
  return [
    ...mailWarnings(ctx, { byEmail, channels: await channelsOf(ctx.db, alert) }),
    ...(byEmail ? await recipientWarnings(ctx.db, alert) : []),
  ];
}

async function allowanceWarnings(
  { db, clock, providers }: Pick<NotificationContext, 'db' | 'clock' | 'providers'>,
  { orgId, measure }: AlertRow,
): Promise<string[]> {
  const ctx = { db, clock, providers, actor: { orgId } };
  const product = productOf(measure);
  const included =
    product === null
      ? (await getIncluded(ctx, allowanceProviders[measure as AllowanceMeasure]))?.allowance
      : (await getIncludedProducts(ctx)).find((each) => each.product === product)!.included;
  if (included && included.part > 0n) return [];
  const fixes: Partial<Record<typeof measure, string>> = {
    included_ai_credits: 'Set included_ai_credits in the billing terms (`runcost price terms set`).',
    included_gitlab_minutes:
      'Set the compute minutes of your namespace (`runcost price terms set --provider gitlab`).',
  };
  const fix = fixes[measure] ?? 'Set your GitHub plan in Settings, Prices, Discounts.';
  return [`This alert watches nothing: no included usage is set. ${fix}`];
}

async function recipientWarnings(
  db: Database,
  { orgId, recipients }: Pick<AlertRow, 'orgId' | 'recipients'>,
): Promise<string[]> {
  if (recipients.length > 0) {
    const members = await Promise.all(recipients.map((email) => findMemberByEmail(db, orgId, email)));
    const unsubscribed = recipients.filter((_, index) => members[index]?.alertEmails === false);
    const others = await listUnsubscribed(db, orgId);
    return [
      ...unsubscribed.map((email) => `No email will be sent to ${email}: this member has alert emails off.`),
      ...recipients
        .filter((email, index) => !members[index] && others.includes(email.toLowerCase()))
        .map((email) => `No email will be sent to ${email}: this person has unsubscribed.`),
    ];
  }
  if ((await listAlertEmails(db, orgId)).length > 0) return [];
  return ['No email will be sent: no owner or admin has alert emails on.'];
}
