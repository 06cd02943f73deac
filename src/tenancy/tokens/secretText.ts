import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A secret as its holder has it. It contains the organization and the id, so that a lookup asks one place. */
type SecretParts = { orgId: string; id: string; secret: string };

type Kind = 'token' | 'session' | 'code' | 'unsubscribe';

/** The prefix of each secret, by which secret scanners find leaks, and the prefix of its id. */
const kinds: Record<Kind, { start: string; idPrefix: string }> = {
  token: { start: 'runcost_', idPrefix: 'tok_' },
  session: { start: 'runcost_session_', idPrefix: 'ses_' },
  code: { start: 'runcost_code_', idPrefix: 'cod_' },
  unsubscribe: { start: 'runcost_unsubscribe_', idPrefix: 'mem_' },
};

/** After the prefix: `<organization>_<id>_<secret>`. */
const form =
  /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([0-9a-f]{20})_([\w-]{43})$/;

export function writeSecret(kind: Kind, { orgId, id, secret }: SecretParts): string {
  const { start, idPrefix } = kinds[kind];
  return `${start}${orgId.replaceAll('-', '')}_${id.slice(idPrefix.length)}_${secret}`;
}

/** Null if the text is not a secret of this kind. */
export function readSecret(kind: Kind, text: string): SecretParts | null {
  const { start, idPrefix } = kinds[kind];
  const match = text.startsWith(start) ? form.exec(text.slice(start.length)) : null;
  if (!match) return null;
  const [, ...parts] = match;
  return { orgId: parts.slice(0, 5).join('-'), id: `${idPrefix}${parts[5]!}`, secret: parts[6]! };
}

/** 256 random bits: nobody can guess them, so a plain hash is enough. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
