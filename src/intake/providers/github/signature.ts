import { createHmac, timingSafeEqual } from 'node:crypto';

const signatureForm = /^sha256=([0-9a-f]{64})$/;

/**
 * Whether `header` (GitHub's `X-Hub-Signature-256`) signs exactly these bytes with `secret`: HMAC-SHA256 over the
 * body as it was received, compared in constant time. Anything malformed is false; an empty secret signs nothing.
 * https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
 */
export function verifyGitHubSignature(rawBody: Buffer, header: string | undefined, secret: string): boolean {
  const hex = signatureForm.exec(header ?? '')?.[1];
  if (hex === undefined || secret === '') return false;
  const expected = createHmac('sha256', secret).update(rawBody).digest();
  return timingSafeEqual(Buffer.from(hex, 'hex'), expected);
}
