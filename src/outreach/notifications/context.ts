import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Mail, Mailer } from './email/mailer.ts';
import type { NotificationRow } from './queries.ts';
import type { Wording } from './wording.ts';

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
  /** `figures` are plain JSON. */
  chat: (
    program: Pick<NotificationProgram, 'db' | 'publicUrl'>,
    row: NotificationRow,
  ) => Promise<{ wording: Wording; figures: object } | null>;
};

/**
 * `mailer` is null if no SMTP server is set. `publicUrl` returns the base of links in messages, without a
 * trailing slash.
 */
export type NotificationProgram = Program & {
  mailer: Mailer | null;
  log: Pick<Logger, 'warn'>;
  publicUrl: () => string;
  markNotified: MarkNotified;
  digests: DigestMessages;
};

export type NotificationContext = NotificationProgram & Pick<Context, 'actor'>;

/** Why a message failed, and whether retrying is useless; null if it was sent. */
export type Failure = { message: string; isPermanent: boolean } | null;

export type TestOutcome = { delivered: boolean; statusCode: number | null; error: string | null };
