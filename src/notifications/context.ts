import type { Program } from '../organizations/context.ts';
import type { Mailer } from './mailer.ts';

/** What sending works with; `mailer` is null where no SMTP server is set. */
export type NotificationProgram = Program & { mailer: Mailer | null };
