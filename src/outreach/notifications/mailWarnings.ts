import type { Channel } from '../channels/channels.ts';
import type { NotificationContext } from './context.ts';
import { receiversOf } from './notifications.ts';

type Mailed = { byEmail: boolean; channels: readonly Channel[] };

/** Without a mail server, emails do not go out, and some channels have no receivers. */
export function mailWarnings(
  { mailer, channelKinds }: Pick<NotificationContext, 'mailer' | 'channelKinds'>,
  { byEmail, channels }: Mailed,
): string[] {
  if (mailer) return [];
  const isSilent = (channel: Channel) =>
    receiversOf([channel], { channelKinds, hasMail: false }).length === 0;
  return byEmail || channels.some(isSilent)
    ? ['No email will be sent: SMTP_URL and EMAIL_FROM are not set.']
    : [];
}
