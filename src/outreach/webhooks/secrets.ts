import { randomBytes } from 'node:crypto';
import type { Vault } from '../../platform/lib/encryption.ts';
import type { WebhookRow } from './queries.ts';
import { isStandardSecret, type SigningSecrets } from './sign.ts';

/** A secret with the prefix of it that may be shown later, and what its owner should know about it. */
export type NewSecret = { text: string; prefix: string; warnings: string[] };

const rotationMilliseconds = 24 * 3_600_000;
const minSafeSecret = 16;
const maxGivenPrefix = 10;

/** The secret as it was given, or a new random one. */
export function chooseSecret(given: string | undefined): NewSecret {
  if (given === undefined) {
    const text = `whsec_${randomBytes(32).toString('base64')}`;
    return { text, prefix: `${text.slice(0, 'whsec_'.length + 4)}…`, warnings: [] };
  }
  const characters = Array.from(given);
  const shown = Math.min(maxGivenPrefix, Math.floor(characters.length / 3));
  const warnings = [];
  if (characters.length < minSafeSecret) {
    warnings.push(`The secret has fewer than ${minSafeSecret} characters and could be guessed.`);
  }
  if (given.startsWith('whsec_') && !isStandardSecret(given)) {
    warnings.push(
      'What follows whsec_ is not base64: libraries of Standard Webhooks will not take this secret.',
    );
  }
  return { text: given, prefix: `${characters.slice(0, shown).join('')}…`, warnings };
}

type SecretColumns = Pick<
  WebhookRow,
  'secret' | 'secretPrefix' | 'nextSecret' | 'nextSecretPrefix' | 'promoteAt'
>;

/** The row's secrets as they stand at `now`: from `promoteAt` on, the next one is the secret. */
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

/** What signs at `now`: the secret, and beside it the next one until that takes its place. */
export function signingSecrets(
  vault: Pick<Vault, 'open'>,
  row: Pick<WebhookRow, 'secret' | 'nextSecret' | 'promoteAt'>,
  now: Date,
): SigningSecrets {
  const { secret, nextSecret } = secretsAt({ ...row, secretPrefix: '', nextSecretPrefix: '' }, now);
  return { current: vault.open(secret), next: nextSecret && vault.open(nextSecret) };
}

export type Rotation = { promoteAt: Date; nextSecretPrefix: string };

/** What may be shown of the secrets at `now`: the prefix, and the rotation under way. */
export function shownSecrets(
  row: SecretColumns,
  now: Date,
): { secretPrefix: string; rotation: Rotation | null } {
  const { secretPrefix, nextSecretPrefix, promoteAt } = secretsAt(row, now);
  const rotation = promoteAt && nextSecretPrefix !== null ? { promoteAt, nextSecretPrefix } : null;
  return { secretPrefix, rotation };
}

/** The columns after a rotation begins at `now`: it replaces one that is under way, and completes one that is over. */
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
