import { createHmac } from 'node:crypto';

/** The secrets of a webhook: while one is being rotated, the next one signs beside it. */
export type SigningSecrets = { current: string; next: string | null };

type Signed = {
  deliveryId: string;
  eventId: string;
  event: string;
  /** Counts all attempts of the delivery from 1. */
  attempt: number;
  body: Buffer;
  secrets: SigningSecrets;
  now: Date;
};

/**
 * The headers of one attempt. `X-Service-Signature` is over the body alone, keyed with the whole secret as it was given;
 * `webhook-signature` is that of Standard Webhooks (https://www.standardwebhooks.com), over id, time and body.
 */
export function signedHeaders(signed: Signed): Record<string, string> {
  const { body, secrets, eventId } = signed;
  const seconds = Math.floor(signed.now.getTime() / 1_000).toString();
  const keys = secrets.next === null ? [secrets.current] : [secrets.current, secrets.next];
  const standard = keys.map((secret) => {
    const hmac = createHmac('sha256', standardKey(secret)).update(`${eventId}.${seconds}.`).update(body);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'Runcost-Webhooks/1',
    'x-service-signature': `sha256=${createHmac('sha256', secrets.current).update(body).digest('hex')}`,
    'x-service-event': signed.event,
    'x-service-delivery': signed.deliveryId,
    'x-service-attempt': String(signed.attempt),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  };
}

/** Standard Webhooks keys with the bytes that follow `whsec_` in base64; a secret of another form is its own bytes. */
function standardKey(secret: string): Buffer {
  return isStandardSecret(secret) ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
}

const standardForm = /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Whether the libraries of Standard Webhooks take the secret as it is. */
export function isStandardSecret(secret: string): boolean {
  return standardForm.test(secret);
}
