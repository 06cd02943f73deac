import { setTimeout as delay } from 'node:timers/promises';
import type { Transaction } from '../../platform/db/database.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { oneLine } from '../../platform/lib/text.ts';
import { giveBackLeases, releaseLease, withLease } from '../../platform/work/leases.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { listAlertEmails } from '../../tenancy/members/members.ts';
import { listChannels, type Channel } from '../channels/channels.ts';
import { isPermanent } from '../channels/email/email.ts';
import type { ChannelKinds } from '../channels/kind.ts';
import type { AlertNotice } from '../channels/wording.ts';
import type { Failure, NotificationProgram } from './context.ts';
import { sendEmail } from './email/send.ts';
import {
  claimNotifications,
  deleteEndedNotifications,
  failPending,
  findNotificationStates,
  findTriedThroughChannels,
  insertNotifications,
  type ListedNotification,
  movePending,
  type NotificationOutcome,
  type NotificationRow,
  type OfTrigger,
  restoreFailed,
} from './queries.ts';
import { isResolution, sendThroughChannel } from './sendThroughChannel.ts';

type Queued = {
  orgId: string;
  triggerId: string;
  notice: AlertNotice;
  byEmail: boolean;
  receivers: readonly Receiver[];
  /** Email addresses. If there are none, owners and admins with alert emails on are notified. */
  recipients: readonly string[];
  now: Date;
  /** Later than `now` while the alert is snoozed. */
  dueAt: Date;
};

export async function cancelNotifications(tx: Transaction, orgId: string, triggerId: string): Promise<void> {
  await failPending(tx, { orgId, triggerId }, 'the alert was deleted or turned off');
}

const resolvedInSnooze = 'the alert was resolved while it was snoozed';

/** Drops messages that a snooze has held back, if the trigger is resolved before anybody was notified. */
export function dropHeld(tx: Transaction, { orgId, id }: { orgId: string; id: string }): Promise<void> {
  return failPending(tx, { orgId, triggerId: id }, resolvedInSnooze);
}

export function restoreHeld(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  dueAt: Date,
): Promise<void> {
  return restoreFailed(tx, { orgId, triggerId: id }, { lastError: resolvedInSnooze, dueAt });
}

export function postponeNotifications(
  tx: Transaction,
  orgId: string,
  { triggerIds, dueAt }: { triggerIds: readonly string[]; dueAt: Date },
): Promise<void> {
  return movePending(tx, orgId, triggerIds, dueAt);
}

export async function queueNotifications(tx: Transaction, queued: Queued): Promise<void> {
  const { orgId, triggerId, notice, byEmail, receivers, recipients, now, dueAt } = queued;
  const hasRecipients = recipients.length > 0;
  const emails = !byEmail || hasRecipients ? recipients : await listAlertEmails(tx, orgId);
  const people = byEmail
    ? emails.map((recipient) => ({ channelId: null, channel: 'email' as const, recipient }))
    : [];
  await insertNotifications(
    tx,
    [...people, ...receivers].map((receiver) => ({
      ...receiver,
      orgId,
      id: randomId('ntf'),
      triggerId,
      notice,
      status: 'pending',
      attempts: 0,
      dueAt,
      createdAt: now,
    })),
  );
}

export type Receiver = Pick<NotificationRow, 'channelId' | 'channel' | 'recipient'>;

/** The receivers of these channels. Nobody gets emails while no mail server is set. */
export function receiversOf(
  channels: readonly Channel[],
  { channelKinds, hasMail }: { channelKinds: ChannelKinds; hasMail: boolean },
): Receiver[] {
  return channels.flatMap(({ id: channelId, kind, settings }): Receiver[] => {
    const addresses = channelKinds[kind]?.addresses?.(settings);
    if (!addresses) return [{ channelId, channel: 'chat', recipient: '' }];
    return hasMail ? addresses.map((recipient) => ({ channelId, channel: 'email', recipient })) : [];
  });
}

/** To each channel that takes it and got a message. A snooze does not hold it back. */
export async function queueResolution(
  tx: Transaction,
  { orgId, triggerId }: OfTrigger,
  { channelKinds, now, reason }: { channelKinds: ChannelKinds; now: Date; reason: string },
): Promise<void> {
  const tried = await findTriedThroughChannels(tx, { orgId, triggerId });
  if (tried.length === 0) return;
  const kinds = new Map((await listChannels({ db: tx, actor: { orgId } })).map(({ id, kind }) => [id, kind]));
  const resolved = { at: now.toISOString(), reason };
  const unsent = { status: 'pending' as const, attempts: 0, dueAt: now, createdAt: now };
  await insertNotifications(
    tx,
    tried
      .filter(({ channelId }) => channelKinds[kinds.get(channelId!) ?? '']?.takesResolutions)
      .map(({ channelId, channel, recipient, notice }) => ({
        orgId,
        id: randomId('ntf'),
        triggerId,
        channelId,
        channel,
        recipient,
        notice: { ...(notice as AlertNotice), resolved },
        ...unsent,
      })),
  );
}

type QueuedDigest = Pick<NotificationRow, 'orgId' | 'id' | 'notice'> & Receiver & { now: Date };

export function queueDigest(tx: Transaction, { now, ...digest }: QueuedDigest): Promise<void> {
  const unsent = { status: 'pending' as const, attempts: 0, dueAt: now, createdAt: now };
  return insertNotifications(tx, [{ ...digest, triggerId: null, ...unsent }]);
}

/** A message of a channel that has no addresses has an empty recipient. A pending one is due at `dueAt`. */
export type SentNotification = ListedNotification;

export { findNotifications as listNotifications } from './queries.ts';

const organizationsAtOnce = 20;
const eachAtOnce = 5;
const leaseMilliseconds = 120_000;
const minute = 60_000;
const lookEveryMilliseconds = 100;
const retries: RetrySchedule = {
  delaysMilliseconds: [1, 5, 15, 60, 180, 360, 720].map((minutes) => minutes * minute),
};

/** If a process dies before it saves the result, the next one sends again, with the same Message-ID. */
export function sendNotifications(program: NotificationProgram, of?: OfTrigger): Promise<number> {
  const { clock, db, telemetry } = program;
  return withLease(program, 'notifications', leaseMilliseconds, async (lease) => {
    const isClaimed = telemetry.metrics.claimSeconds.startTimer({ queue: 'notifications' });
    const claimed = await claimNotifications(db, {
      now: clock.now(),
      lease,
      organizations: organizationsAtOnce,
      each: eachAtOnce,
      ...(of ? { of } : {}),
    });
    if (claimed.length > 0) isClaimed();
    await Promise.all(
      claimed.map(async (notification) => {
        const failure = await send(program, notification);
        const outcome = outcomeOf(program, notification, failure);
        if (failure) logFailure(program, notification, outcome);
        // In its own statement, and first: locking both rows together could deadlock with a change of the
        // alert. It is true whoever holds the lease now.
        const { orgId, triggerId } = notification;
        if (outcome.sentAt && triggerId !== null && !isResolution(notification)) {
          await program.markNotified(db, { orgId, triggerId }, outcome.sentAt);
        }
        await releaseLease(db, 'notifications', notification, outcome);
      }),
    );
    return claimed.length;
  });
}

export function sendNow(program: NotificationProgram, of: OfTrigger, signal: AbortSignal): Promise<boolean> {
  return untilTried(program, of, signal, () => sendNotifications(program, of));
}

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
    const isToChannel = notification.channelId !== null || notification.channel === 'chat';
    return await (isToChannel ? sendThroughChannel : sendEmail)(program, notification);
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
  log.warn({ ...fields, reason: lastError }, isGivenUp ? 'notification given up' : 'notification failed');
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

/** While some lanes wait for a slow receiver, the others continue. */
const lanes = 3;

export function notificationPollers(program: NotificationProgram): Poller[] {
  const senders = Array.from({ length: lanes }, (_, lane) => ({
    name: `send notifications (${lane + 1})`,
    everyMilliseconds: 1_000,
    run: async () => (await sendNotifications(program)) > 0,
    stop: () => giveBackLeases(program.db, 'notifications'),
  }));
  const pruning = {
    name: 'prune notifications',
    everyMilliseconds: 60_000,
    run: () => pruneNotifications(program),
  };
  return [...senders, pruning];
}

const keptMilliseconds = 30 * 86_400_000;
/** Those of a trigger that is open stay longer, because its resolution goes where they went. */
const keptOfChannelsMilliseconds = 60 * 86_400_000;
const maxAtOnce = 500;

export async function pruneNotifications({
  db,
  clock,
}: Pick<NotificationProgram, 'db' | 'clock'>): Promise<boolean> {
  const before = (milliseconds: number) => new Date(clock.now().getTime() - milliseconds);
  const ended = { others: before(keptMilliseconds), ofChannels: before(keptOfChannelsMilliseconds) };
  return (await deleteEndedNotifications(db, ended, maxAtOnce)) >= maxAtOnce;
}
