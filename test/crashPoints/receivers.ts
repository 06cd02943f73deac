import { createHash } from 'node:crypto';
import { openObjectStorage, type ObjectStorage } from '../harness/objectStorage.ts';
import { openMailbox, type Mailbox } from '../harness/receivers.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../harness/webhookReceiver.ts';

/** Who receives what the program sends. */
export type Receivers = { webhook: WebhookReceiver; mailbox: Mailbox; storage: ObjectStorage };

export async function openReceivers(): Promise<Receivers> {
  return {
    webhook: await openWebhookReceiver(),
    mailbox: await openMailbox(),
    storage: await openObjectStorage(),
  };
}

export function clear({ webhook, mailbox, storage }: Receivers): void {
  webhook.received.length = 0;
  webhook.answer = 204;
  mailbox.mails.length = 0;
  storage.files.clear();
}

/** A line for each thing sent. An event whose attempt nobody noted is sent again with the same id, a mail without one. */
export function sentTo({ webhook, mailbox, storage }: Receivers): string[] {
  const events = webhook.received.map(({ headers }) => [headers['webhook-id'], headers['x-service-event']]);
  const kinds = [...new Map(events as [string, string][]).values()].toSorted();
  const mails = new Set(mailbox.mails.map(({ to, email }) => `mail to ${to}: ${email.subject}`));
  const hashOf = (file: Buffer) => createHash('sha256').update(file).digest('hex').slice(0, 8);
  return [
    ...kinds.map((kind, at) => `event ${at + 1}: ${kind}`),
    ...[...mails].toSorted(),
    ...[...storage.files].map(([name, file]) => `file ${name}: ${hashOf(file)}`).toSorted(),
  ];
}
