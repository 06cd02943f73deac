import { createHmac, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import type { Vault } from '../../platform/lib/encryption.ts';
import type { WebhookRow } from './queries.ts';

export type SigningSecrets = { current: string; next: string | null };

type Signed = {
  deliveryId: string;
  eventId: string;
  event: string;
  /** Counts all attempts of the delivery, from 1. */
  attempt: number;
  body: Buffer;
  secrets: SigningSecrets;
  now: Date;
};

/**
 * The headers of one attempt. `X-Service-Signature` signs the body with the whole secret. `webhook-signature` follows
 * Standard Webhooks (https://www.standardwebhooks.com) and signs id, time and body.
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
    'x-service-signature': `sha256=${createHmac('sha256', createSecretKey(secrets.current, 'utf8')).update(body).digest('hex')}`,
    'x-service-event': signed.event,
    'x-service-delivery': signed.deliveryId,
    'x-service-attempt': String(signed.attempt),
    'webhook-id': eventId,
    'webhook-timestamp': seconds,
    'webhook-signature': standard.join(' '),
  };
}

/** Standard Webhooks decodes the base64 after `whsec_`. Any other secret is used as bytes. */
function standardKey(secret: string): KeyObject {
  // Node takes ten times as long if the key is a Buffer.
  return isStandardSecret(secret)
    ? createSecretKey(secret.slice(6), 'base64')
    : createSecretKey(secret, 'utf8');
}

const standardForm = /^whsec_(?=.)(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function isStandardSecret(secret: string): boolean {
  return standardForm.test(secret);
}

export type NewSecret = { text: string; prefix: string; warnings: string[] };

const rotationMilliseconds = 24 * 3_600_000;
const minSafeSecret = 16;
const maxGivenPrefix = 10;

export function chooseSecret(given: string | undefined): NewSecret {
  if (given === undefined) {
    const text = `whsec_${randomBytes(32).toString('base64')}`;
    return { text, prefix: `${text.slice(0, 'whsec_'.length + 4)}…`, warnings: [] };
  }
  const characters = Array.from(given);
  const shown = Math.min(maxGivenPrefix, Math.floor(characters.length / 3));
  const warnings = [];
  if (characters.length < minSafeSecret) {
    warnings.push(`The secret is shorter than ${minSafeSecret} characters and could be guessed.`);
  }
  if (given.startsWith('whsec_') && !isStandardSecret(given)) {
    warnings.push(
      'The part after whsec_ is not base64: Standard Webhooks libraries will refuse this secret.',
    );
  }
  return { text: given, prefix: `${characters.slice(0, shown).join('')}…`, warnings };
}

type SecretColumns = Pick<
  WebhookRow,
  'secret' | 'secretPrefix' | 'nextSecret' | 'nextSecretPrefix' | 'promoteAt'
>;

function secretsAt(row: SecretColumns, now: Date): SecretColumns {
  const { nextSecret, nextSecretPrefix, promoteAt } = row;
  if (!nextSecret || nextSecretPrefix === null || !promoteAt) return row;
  if (now < promoteAt) return row;
  return {
    secret: nextSecret,
    secretPrefix: nextSecretPrefix,
    nextSecret: null,
    nextSecretPrefix: null,
    promoteAt: null,
  };
}

export function signingSecrets(
  vault: Pick<Vault, 'open'>,
  row: Pick<WebhookRow, 'secret' | 'nextSecret' | 'promoteAt'>,
  now: Date,
): SigningSecrets {
  const { secret, nextSecret } = secretsAt({ ...row, secretPrefix: '', nextSecretPrefix: '' }, now);
  return { current: vault.open(secret), next: nextSecret && vault.open(nextSecret) };
}

export type Rotation = { promoteAt: Date; nextSecretPrefix: string };

export function shownSecrets(
  row: SecretColumns,
  now: Date,
): { secretPrefix: string; rotation: Rotation | null } {
  const { secretPrefix, nextSecretPrefix, promoteAt } = secretsAt(row, now);
  const rotation = promoteAt && nextSecretPrefix !== null ? { promoteAt, nextSecretPrefix } : null;
  return { secretPrefix, rotation };
}

/** Starts a rotation at `now`, in place of a rotation under way. */
export function rotatedSecrets(
  vault: Pick<Vault, 'seal'>,
  row: SecretColumns,
  next: NewSecret,
  now: Date,
): SecretColumns & { promoteAt: Date } {
  const { secret, secretPrefix } = secretsAt(row, now);
  return {
    secret,
    secretPrefix,
    nextSecret: vault.seal(next.text),
    nextSecretPrefix: next.prefix,
    promoteAt: new Date(now.getTime() + rotationMilliseconds),
  };
}
