import { findReceiving } from '../channels/channels.ts';
import { takesEmails } from '../channels/email/unsubscribe.ts';
import type { Message } from '../channels/kind.ts';
import { sendToChannel } from '../channels/send.ts';
import { dashboardOf, noticeData, wordingOf, type AlertNotice } from '../channels/wording.ts';
import { failureOf, type Failure, type NotificationProgram } from './context.ts';
import { alertMail } from './email/alertMail.ts';
import { isFirstPending, type NotificationRow } from './queries.ts';

/** Whether it says that an alert is resolved. */
export function isResolution({ notice }: Pick<NotificationRow, 'notice'>): boolean {
  return (notice as AlertNotice).resolved !== undefined;
}

/** A channel may have changed since the message was queued. */
export async function sendThroughChannel(
  program: NotificationProgram,
  row: NotificationRow,
): Promise<Failure> {
  const { db, channelKinds } = program;
  const { orgId, id, channelId, recipient } = row;
  const channel = await findReceiving(db, orgId, channelId);
  if (!channel) return { message: 'the channel was deleted', isPermanent: true };
  const addresses = channelKinds[channel.kind]?.addresses?.(channel.settings) ?? [''];
  const isOff = recipient !== '' && !(await takesEmails(db, orgId, recipient));
  if (isOff || !addresses.includes(recipient)) {
    return { message: 'the recipient no longer gets messages of this channel', isPermanent: true };
  }
  const message = await messageOf(program, row);
  if (!message) return { message: 'the digest no longer goes to this channel', isPermanent: true };
  // Receivers that take resolutions ignore one that comes first, and would never end what then begins.
  if (isResolution(row) && (await isFirstPending(db, row))) {
    return { message: 'the message that the alert triggered is still to be sent', isPermanent: false };
  }
  return failureOf(await sendToChannel(program, channel, message, { id, address: recipient }));
}

/** `triggerId` identifies the alert at the receiver. */
export function alertMessage(notice: AlertNotice, triggerId: string, dashboardUrl: string): Message {
  return {
    wording: wordingOf(notice, dashboardUrl),
    data: noticeData(notice, dashboardUrl),
    trigger: { id: triggerId, isResolved: notice.resolved !== undefined },
  };
}

async function messageOf(program: NotificationProgram, row: NotificationRow): Promise<Message | null> {
  if (program.digests.isDigest(row.notice)) return program.digests.channel(program, row);
  const notice = row.notice as AlertNotice;
  const dashboardUrl = dashboardOf(program, row.orgId);
  const mail = () => alertMail(notice, dashboardUrl, program.log);
  return { ...alertMessage(notice, row.triggerId!, dashboardUrl), mail };
}
