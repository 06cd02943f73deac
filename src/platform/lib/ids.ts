import { createHash, randomBytes } from 'node:crypto';

const latest = { time: 0, count: 0 };

/** A version 7 UUID; sorts by `now`, then by creation in this process (RFC 9562, sections 5.7 and 6.2). */
export function timeOrderedUuid(now: Date): string {
  const time = now.getTime();
  latest.count = time === latest.time ? (latest.count + 1) % 4096 : 0;
  latest.time = time;
  const bytes = randomBytes(16);
  bytes.writeUIntBE(time, 0, 6);
  bytes.writeUInt16BE(0x7000 | latest.count, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

export function orderedId(prefix: string, now: Date): string {
  return `${prefix}_${timeOrderedUuid(now).replaceAll('-', '')}`;
}

export function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(10).toString('hex')}`;
}

export function derivedId(prefix: string, ...parts: string[]): string {
  return `${prefix}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)}`;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}

/** 256 random bits, which nobody can guess, so a plain hash is enough. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url');
}
