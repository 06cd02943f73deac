import type { Logger } from 'pino';
import type { Context, Program } from '../../context.ts';
import type { Mailer } from './mailer.ts';

/**
 * What sending works with; `mailer` is null where no SMTP server is set, and `publicUrl` answers where messages lead to,
 * without a slash at the end.
 */
export type NotificationProgram = Program & {
  mailer: Mailer | null;
  log: Pick<Logger, 'warn'>;
  publicUrl: () => string;
};

export type NotificationContext = NotificationProgram & Pick<Context, 'actor'>;
