import type { NotificationContext } from './context.ts';

export function mailWarnings({ mailer }: Pick<NotificationContext, 'mailer'>): string[] {
  return mailer ? [] : ['No email will be sent: SMTP_URL and EMAIL_FROM are not set.'];
}
