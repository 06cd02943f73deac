import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A token as its owner holds it. The organization and the id are in it, so that looking it up asks one place. */
export type TokenParts = { orgId: string; id: string; secret: string };

const form = /^runcost_([0-9a-f]{32})_([0-9a-f]{20})_([A-Za-z0-9_-]{43})$/;

/** `runcost_<organization>_<id>_<secret>`; the prefix lets secret scanners find a leaked one. */
export function writeToken({ orgId, id, secret }: TokenParts): string {
  return `runcost_${orgId.replaceAll('-', '')}_${id.slice('tok_'.length)}_${secret}`;
}

/** The parts of a token, or null where the text is none. */
export function readToken(text: string): TokenParts | null {
  const match = form.exec(text);
  if (!match) return null;
  const orgId = match[1]!.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { orgId, id: `tok_${match[2]!}`, secret: match[3]! };
}

/** 256 random bits: too many to guess, so a plain hash protects them. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

export function secretMatches(secret: string, hash: Buffer): boolean {
  return timingSafeEqual(hashSecret(secret), hash);
}
