import { isCommandLine } from '../../platform/lib/actor.ts';
import type { NotificationContext } from './context.ts';

/** A command does not know whether the running server has a mail server. */
export function mailWarnings({ mailer, actor }: Pick<NotificationContext, 'mailer' | 'actor'>): string[] {
  if (mailer) return [];
  return isCommandLine(actor)
    ? ['SMTP_URL and EMAIL_FROM are not set here. Email is sent only if the running server has them.']
    : ['No email will be sent: SMTP_URL and EMAIL_FROM are not set.'];
}
