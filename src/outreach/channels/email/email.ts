import { oneLine } from '../../../platform/lib/text.ts';
import type { ChannelKind, Delivered } from '../kind.ts';
import type { Mail, Mailer, MailFailure } from './mailer.ts';
import { emailOf } from './message.ts';

export const email: ChannelKind = {
  title: 'Email',
  description: 'Sends to a list of addresses, whose people need not be members.',
  fields: {
    addresses: {
      title: 'Addresses',
      type: 'emails',
      help: 'Separate several addresses with commas.',
      example: 'platform@acme.example',
    },
  },
  addresses: ({ addresses }) => addresses as readonly string[],
  deliver: async ({ mailer }, message, { address, unsubscribeUrl, name, id, timeoutMilliseconds }) => {
    const { wording, images } = (await message.mail?.()) ?? { wording: message.wording };
    const reasons = [
      `You get this email because somebody at ${wording.organization} added your address to the channel ${name}.`,
      ...(unsubscribeUrl ? [{ label: 'Unsubscribe', url: unsubscribeUrl }] : []),
    ];
    const extras = { ...(images && { images }), ...(unsubscribeUrl && { unsubscribeUrl }) };
    const mail = { ...emailOf(wording, reasons), to: address, messageId: id, ...extras };
    return deliverMail(mailer, mail, timeoutMilliseconds);
  },
};

const noMailServer = 'SMTP_URL is not set';

export async function deliverMail(
  mailer: Mailer | null,
  mail: Mail,
  timeoutMilliseconds?: number,
): Promise<Delivered> {
  try {
    if (!mailer) throw new Error(noMailServer);
    await mailer.send(mail, timeoutMilliseconds);
    return { isDelivered: true, statusCode: null };
  } catch (error) {
    const reason = oneLine((error as Error).message)
      .slice(0, 500)
      .toWellFormed();
    return {
      isDelivered: false,
      statusCode: null,
      reason,
      advice: `Could not send the email: ${reason}`,
      isPermanent: isPermanent(error),
    };
  }
}

/** Whether the server permanently refused the recipient or the message (RFC 5321, 5yz). */
export function isPermanent(error: unknown): boolean {
  return (error as Partial<MailFailure> | null)?.isPermanent === true;
}
