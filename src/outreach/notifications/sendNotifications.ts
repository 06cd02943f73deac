import { setTimeout as delay } from 'node:timers/promises';
import { oneLine } from '../../platform/lib/text.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import { getChatWebhook } from '../../tenancy/organizations/organizations.ts';
import { alertEmail } from './alertEmail.ts';
import { chatMessage } from './chatMessage.ts';
import type { NotificationProgram } from './context.ts';
import { withLease } from './leases.ts';
import { isPermanent } from './mailFailure.ts';
import type { AlertNotice } from './notice.ts';
import { postToChat } from './postToChat.ts';
import {
  claimNotifications,
  completeNotification,
  findNotificationStates,
  type NotificationOutcome,
  type NotificationRow,
  type OfTrigger,
} from './queries.ts';
import { unsubscribeLink } from './unsubscribe.ts';

const organizationsAtOnce = 20;
const eachAtOnce = 5;
const leaseMilliseconds = 120_000;
const chatMilliseconds = 30_000;
const minute = 60_000;
const lookEveryMilliseconds = 100;
/** How long after a failed attempt the next one is due; after the last of them the message is given up. */
const delays = [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minute);

/**
 * Sends what is due, each message by itself, and notes how it went. Answers how many were tried. A process that dies
 * between sending and noting sends the message once more: it cannot know that it had arrived. Mails then have the same
 * Message-ID.
 */
export function sendNotifications(program: NotificationProgram, of?: OfTrigger): Promise<number> {
  const { clock, db } = program;
  return withLease(db, async (lease) => {
    const now = clock.now();
    const claimed = await claimNotifications(db, {
      now,
      lease,
      leasedUntil: new Date(now.getTime() + leaseMilliseconds),
      organizations: organizationsAtOnce,
      each: eachAtOnce,
      ...(of ? { of } : {}),
    });
    await Promise.all(
      claimed.map(async (notification) => {
        const failure = await send(program, notification);
        const outcome = outcomeOf(program, notification, failure);
        if (failure) logFailure(program, notification, outcome);
        // By itself, and first: with both rows locked at once, changing an alert could stand in the way for good.
        // It is true whoever holds the lease by now.
        if (outcome.sentAt) await program.noteNotified(db, notification, outcome.sentAt);
        await completeNotification(db, notification, outcome);
      }),
    );
    return claimed.length;
  });
}

/** Sees that all of a trigger's messages are tried once, here or by another worker: whether anybody has got one. */
export function sendNow(program: NotificationProgram, of: OfTrigger, signal: AbortSignal): Promise<boolean> {
  return untilTried(program, of, signal, () => sendNotifications(program, of));
}

/** Waits until all of a trigger's messages have been tried once by whoever sends: whether anybody has got one. */
export function awaitSent(
  program: Pick<NotificationProgram, 'db'>,
  of: OfTrigger,
  signal: AbortSignal,
): Promise<boolean> {
  return untilTried(program, of, signal, async () => {});
}

async function untilTried(
  { db }: Pick<NotificationProgram, 'db'>,
  of: OfTrigger,
  signal: AbortSignal,
  beforeEachLook: () => Promise<unknown>,
): Promise<boolean> {
  for (;;) {
    await beforeEachLook();
    const states = await findNotificationStates(db, of);
    const isUnderWay = states.some(
      ({ status, attempts, lease }) => status === 'pending' && (lease !== null || attempts === 0),
    );
    if (!isUnderWay) return states.some(({ status }) => status === 'sent');
    await delay(lookEveryMilliseconds, undefined, { signal });
  }
}

/** Why a message could not be sent; null when it was. */
type Failure = { message: string; isPermanent: boolean } | null;

async function send(program: NotificationProgram, notification: NotificationRow): Promise<Failure> {
  try {
    return await (notification.channel === 'email'
      ? sendEmail(program, notification)
      : sendChat(program, notification));
  } catch (error) {
    return { message: (error as Error).message, isPermanent: isPermanent(error) };
  }
}

function logFailure(
  { log }: NotificationProgram,
  { orgId, triggerId, channel, attempts }: NotificationRow,
  { status, lastError }: NotificationOutcome,
): void {
  const isGivenUp = status === 'failed';
  const fields = { organization: orgId, trigger: triggerId, channel, attempt: attempts, givenUp: isGivenUp };
  log.warn({ ...fields, reason: lastError }, isGivenUp ? 'message given up' : 'message not sent');
}

async function sendEmail(
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

async function sendChat(program: NotificationProgram, { orgId, notice }: NotificationRow): Promise<Failure> {
  const chat = await getChatWebhook(program, orgId);
  if (!chat) return { message: 'the chat webhook has been removed', isPermanent: true };
  const outcome = await postToChat(program, {
    url: chat.url,
    body: chatMessage(chat.format, notice as AlertNotice, `${program.publicUrl()}/`),
    timeoutMilliseconds: chatMilliseconds,
  });
  if (outcome.kind === 'failure') return { message: outcome.message, isPermanent: false };
  const { statusCode } = outcome;
  if (statusCode >= 200 && statusCode < 300) return null;
  // Of the 4xx, these two mean: later.
  const isRefusal = statusCode >= 400 && statusCode < 500 && ![408, 429].includes(statusCode);
  return { message: `the chat answered ${statusCode}`, isPermanent: isRefusal };
}

function outcomeOf(
  { clock }: NotificationProgram,
  { attempts }: NotificationRow,
  failure: Failure,
): NotificationOutcome {
  const now = clock.now();
  if (!failure) return { status: 'sent', dueAt: now, lastError: null, sentAt: now };
  const wait = failure.isPermanent ? undefined : delays[attempts - 1];
  return {
    status: wait === undefined ? 'failed' : 'pending',
    dueAt: new Date(now.getTime() + (wait ?? 0)),
    lastError: oneLine(failure.message).slice(0, 500).toWellFormed(),
    sentAt: null,
  };
}
