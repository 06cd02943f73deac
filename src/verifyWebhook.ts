import { createHmac, timingSafeEqual } from 'node:crypto';

export type VerifyWebhookOptions = {
  /** The raw body, byte for byte. Parsed and serialized again, it would differ. */
  body: string | Uint8Array;
  /** The request's headers, from `fetch`, Node, Express, Fastify … */
  headers: { get: (name: string) => string | null } | Record<string, string | string[] | undefined>;
  /** The whole secret, as shown when you created the webhook. */
  secret: string;
  /** Maximum difference between the sending time and `now`; default 300. */
  toleranceSeconds?: number;
  now?: Date;
};

export type WebhookEvent = {
  /** Stays the same each time this event is sent. */
  id: string;
  event: string;
  /** When the event happened, in ISO 8601. */
  timestamp: string;
  data: Record<string, unknown>;
};

/**
 * Returns the event if a holder of the secret sent the request just now, and throws an Error otherwise. One
 * valid signature of Standard Webhooks is enough, because both secrets sign during a rotation.
 */
export function verifyWebhook(options: VerifyWebhookOptions): WebhookEvent {
  const { body, secret, toleranceSeconds = 300, now = new Date() } = options;
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    throw new TypeError('body must be the raw text or bytes of the request, not parsed JSON');
  }
  const header = createReadHeader(options.headers);
  const [id, sentAt, signatures] = [
    header('webhook-id'),
    header('webhook-timestamp'),
    header('webhook-signature'),
  ];
  const signed = createHmac('sha256', keyOf(secret)).update(`${id}.${sentAt}.`).update(body).digest('base64');
  const expected = Buffer.from(`v1,${signed}`);
  if (!signatures.split(' ').some((signature) => isSame(Buffer.from(signature), expected))) {
    throw new Error('no signature matches: the body was changed or signed with another secret');
  }
  // Checked after the signature: before that, the sender could claim any time.
  const ageSeconds = now.getTime() / 1_000 - readSeconds(sentAt);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) {
    const away = `${Math.round(Math.abs(ageSeconds))} s ${ageSeconds > 0 ? 'ago' : 'ahead'}`;
    throw new Error(`the request was sent ${away}, but the tolerance is ${toleranceSeconds} s`);
  }
  return JSON.parse(Buffer.from(body as string).toString()) as WebhookEvent;
}

function createReadHeader(headers: VerifyWebhookOptions['headers']): (name: string) => string {
  const read = (name: string) => {
    if (typeof headers.get === 'function') return headers.get(name);
    const written = Object.keys(headers).find((key) => key.toLowerCase() === name);
    return [(headers as Record<string, string | string[] | undefined>)[written ?? name]].flat().join(' ');
  };
  return (name) => {
    const value = read(name);
    if (!value) throw new Error(`the header ${name} is missing`);
    return value;
  };
}

/** After `whsec_` comes base64. Any other secret is used as its bytes. */
function keyOf(secret: string): Buffer {
  if (secret === '') throw new TypeError('secret is empty');
  const encoded = /^whsec_((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/.exec(
    secret,
  )?.[1];
  return encoded ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}

function readSeconds(text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new Error('the header webhook-timestamp is not a number of seconds');
  return Number(text);
}

function isSame(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
