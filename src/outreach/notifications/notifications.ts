import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { oneLine } from '../../platform/lib/text.ts';
import { releaseLease, withLease } from '../../platform/work/leases.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import type { Organization } from '../../tenancy/organizations/organizations.ts';
import { sendChat } from './chat/send.ts';
import type { Failure, NotificationProgram } from './context.ts';
import { isPermanent, sendEmail } from './email/send.ts';
import {
  claimNotifications,
  failPending,
  findNotifications,
  findNotificationStates,
  insertNotifications,
  type ListedNotification,
  type NotificationOutcome,
  type NotificationRow,
  type OfTrigger,
} from './queries.ts';
import type { AlertNotice } from './wording.ts';

type Queued = {
  organization: Pick<Organization, 'orgId' | 'chatWebhook'>;
  triggerId: string;
  notice: AlertNotice;
  /** Whether to write to the owners and admins. */
  byEmail: boolean;
  now: Date;
};

/** Keeps what has not been sent of a trigger from being sent. */
export async function cancelNotices(tx: Transaction, orgId: string, triggerId: string): Promise<void> {
  await failPending(tx, { orgId, triggerId }, 'the alert is gone or switched off');
}

/**
 * Queues a notice for everybody it concerns, in the transaction that causes it: a message to each owner and admin with
 * alert emails on, and one to the organization's chat. They are sent afterwards, and until then nothing can lose them.
 */
export async function queueNotices(tx: Transaction, queued: Queued): Promise<void> {
  const { organization, triggerId, notice, byEmail, now } = queued;
  const emails = byEmail ? await listAlertEmails(tx, organization.orgId) : [];
  const recipients = [
    ...emails.map((recipient) => ({ channel: 'email' as const, recipient })),
    ...(organization.chatWebhook ? [{ channel: 'chat' as const, recipient: '' }] : []),
  ];
  await insertNotifications(
    tx,
    recipients.map((recipient) => ({
      ...recipient,
      orgId: organization.orgId,
      id: randomId('ntf'),
      triggerId,
      notice,
      status: 'pending',
      attempts: 0,
      dueAt: now,
      createdAt: now,
    })),
  );
}

/** A message to the chat, whose recipient is empty, or a mail. A pending one is tried at `dueAt`. */
export type SentNotification = ListedNotification;

/** What has become of a trigger's messages: the chat's, then the mails. None are left once they have been pruned. */
export function listNotifications(db: Database, of: OfTrigger): Promise<SentNotification[]> {
  return findNotifications(db, of);
}

const organizationsAtOnce = 20;
const eachAtOnce = 5;
const leaseMilliseconds = 120_000;
const minute = 60_000;
const lookEveryMilliseconds = 100;
const retries: RetrySchedule = {
  delaysMilliseconds: [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minute),
};

/**
 * Sends what is due, each message by itself, and notes how it went. Answers how many were tried. A process that dies
 * between sending and noting sends the message once more: it cannot know that it had arrived. Mails then have the same
 * Message-ID.
 */
export function sendNotifications(program: NotificationProgram, of?: OfTrigger): Promise<number> {
  const { clock, db } = program;
  return withLease(program, 'notifications', leaseMilliseconds, async (lease) => {
    const claimed = await claimNotifications(db, {
      now: clock.now(),
      lease,
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
        await releaseLease(db, 'notifications', notification, outcome);
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

function outcomeOf(
  { clock }: NotificationProgram,
  { attempts }: NotificationRow,
  failure: Failure,
): NotificationOutcome {
  const now = clock.now();
  if (!failure) return { status: 'sent', dueAt: now, lastError: null, sentAt: now };
  const dueAt = failure.isPermanent ? null : nextAttemptAt(retries, { failures: attempts, now });
  return {
    status: dueAt ? 'pending' : 'failed',
    dueAt: dueAt ?? now,
    lastError: oneLine(failure.message).slice(0, 500).toWellFormed(),
    sentAt: null,
  };
}
