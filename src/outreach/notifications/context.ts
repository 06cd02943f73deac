import type { Logger } from 'pino';
import type { Context } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { ChannelProgram } from '../channels/context.ts';
import type { Mail } from '../channels/email/mailer.ts';
import type { Delivered, Message } from '../channels/kind.ts';
import type { NotificationRow } from './queries.ts';

export type MarkNotified = (
  db: Database,
  trigger: { orgId: string; triggerId: string },
  sentAt: Date,
) => Promise<void>;

/** Renders digests. Null means that the recipient no longer gets the digest. */
export type DigestMessages = {
  isDigest: (notice: unknown) => boolean;
  /** Its `to` is the recipient's current address, because retries can take hours. */
  email: (
    program: Pick<NotificationProgram, 'db' | 'publicUrl' | 'log'>,
    row: NotificationRow,
  ) => Promise<Omit<Mail, 'messageId'> | null>;
  channel: (
    program: Pick<NotificationProgram, 'db' | 'publicUrl' | 'log'>,
    row: NotificationRow,
  ) => Promise<Message | null>;
};

export type NotificationProgram = ChannelProgram & {
  log: Pick<Logger, 'warn'>;
  markNotified: MarkNotified;
  digests: DigestMessages;
};

export type NotificationContext = NotificationProgram & Pick<Context, 'actor'>;

/** Why a message failed, and whether retrying is useless; null if it was sent. */
export type Failure = { message: string; isPermanent: boolean } | null;

export function failureOf(delivered: Delivered): Failure {
  if (delivered.isDelivered) return null;
  return { message: delivered.reason, isPermanent: delivered.isPermanent };
}
