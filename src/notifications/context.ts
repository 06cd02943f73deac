import type { Logger } from 'pino';
import type { Program } from '../organizations/context.ts';
import type { Mailer } from './mailer.ts';

/** What sending works with; `mailer` is null where no SMTP server is set, and `publicUrl` is where messages lead to. */
export type NotificationProgram = Program & {
  mailer: Mailer | null;
  log: Pick<Logger, 'warn'>;
  publicUrl: string;
};
