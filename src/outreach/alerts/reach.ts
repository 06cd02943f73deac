import { PublicError } from '../../platform/lib/errors.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { listUnsubscribed } from '../../tenancy/members/addresses.ts';
import { listAlertEmails, listMembers } from '../../tenancy/members/members.ts';
import { kindOf, listChannels, readChoice, routed } from '../channels/channels.ts';
import { addressesOf, requireTestRoom, sendTest, type TestOutcome } from '../channels/send.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { sendTestTo } from '../notifications/email/send.ts';
import { receiversOf } from '../notifications/notifications.ts';
import { type AlertSettings, readRecipients } from './alerts.ts';
import type { AlertRow } from './queries.ts';
import { organizationScope } from './scope.ts';
import { routeOf } from './triggers.ts';

/** What decides whom an alert notifies. */
export type Routed = Pick<AlertRow, 'scope' | 'channelIds' | 'notifyChat' | 'notifyEmail' | 'recipients'>;

type Reached = { kind: string; to: string; channelId: string | null };

export type ReachOf = (alert: Routed) => Reached[];

/** Reads once for all alerts of an organization whom their messages reach now. */
export async function readReach(
  { db, mailer, channelKinds }: Pick<NotificationContext, 'db' | 'mailer' | 'channelKinds'>,
  orgId: string,
): Promise<ReachOf> {
  const ctx = { db, actor: { orgId } };
  const channels = await listChannels(ctx);
  const subscribed = await listAlertEmails(db, orgId);
  const members = await listMembers(ctx);
  const wantsOf = new Map(members.map(({ email, alertEmails }) => [email.toLowerCase(), alertEmails]));
  const others = await listUnsubscribed(db, orgId);
  const takes = (email: string) => wantsOf.get(email) ?? !others.includes(email);
  const hasMail = mailer !== null;
  const peopleOf = ({ notifyEmail, recipients }: Routed) => {
    if (!notifyEmail || !hasMail) return [];
    if (recipients.length === 0) return subscribed;
    return recipients.filter((email) => takes(email.toLowerCase()));
  };
  return (alert) => [
    ...peopleOf(alert).map((to) => ({ kind: 'email', to, channelId: null })),
    ...routed(channels, routeOf(alert))
      .filter((channel) => receiversOf([channel], { channelKinds, hasMail }).length > 0)
      .map(({ id, kind, name }) => ({ kind, to: name, channelId: id })),
  ];
}

/** Of settings that may be incomplete. */
export async function readRouted(
  ctx: Pick<NotificationContext, 'db' | 'actor' | 'channelKinds'>,
  settings: Partial<AlertSettings>,
): Promise<Routed> {
  return {
    scope: settings.scope ?? organizationScope,
    notifyEmail: settings.notify_email ?? true,
    notifyChat: settings.notify_chat ?? true,
    channelIds: await readChoice(ctx, settings.channel_ids ?? []),
    recipients: readRecipients(settings.recipients ?? []),
  };
}

export async function testReach(ctx: NotificationContext, alert: Routed): Promise<(Reached & TestOutcome)[]> {
  const { db, actor } = ctx;
  const reached = (await readReach(ctx, actor.orgId))(alert);
  if (reached.length === 0) {
    const message = 'The alert reaches nobody. Choose a channel, or recipients who get emails.';
    throw new PublicError('conflict', 'no_recipients', message);
  }
  const channels = new Map((await listChannels(ctx)).map((channel) => [channel.id, channel]));
  const addresses = reached.flatMap(({ to, channelId }) => {
    const channel = channelId === null ? undefined : channels.get(channelId)!;
    return channel ? addressesOf(ctx, kindOf(ctx, channel.kind), channel) : [to];
  });
  await db.transaction().execute(async (tx) => {
    const room = await requireTestRoom(tx, ctx, addresses);
    await recordAudit(tx, ctx, 'alert.test', actor.orgId, { to: reached.map(({ to }) => to), ...room });
  });
  return Promise.all(
    reached.map(async (receiver) => {
      const { to, channelId } = receiver;
      if (channelId === null) return { ...receiver, ...(await sendTestTo(ctx, to, 'tested an alert')) };
      const channel = channels.get(channelId)!;
      return { ...receiver, ...(await sendTest(ctx, kindOf(ctx, channel.kind), channel, channel.name)) };
    }),
  );
}
