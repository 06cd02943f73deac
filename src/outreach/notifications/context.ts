import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Mailer } from './email/mailer.ts';

/** Notes when somebody first got a message of a trigger. */
export type MarkNotified = (
  db: Database,
  trigger: { orgId: string; triggerId: string },
  sentAt: Date,
) => Promise<void>;

/**
 * What sending works with; `mailer` is null where no SMTP server is set, and `publicUrl` answers where messages lead to,
 * without a slash at the end.
 */
export type NotificationProgram = Program & {
  mailer: Mailer | null;
  log: Pick<Logger, 'warn'>;
  publicUrl: () => string;
  markNotified: MarkNotified;
};

export type NotificationContext = NotificationProgram & Pick<Context, 'actor'>;

/** Why a message could not be sent, and whether sending it again is in vain; null when it was sent. */
export type Failure = { message: string; isPermanent: boolean } | null;

/** What became of a test message; `statusCode` is null where there is none. */
export type TestOutcome = { delivered: boolean; statusCode: number | null; error: string | null };
