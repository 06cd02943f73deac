import { createHash, randomBytes } from 'node:crypto';

/** A version 7 UUID: ordered by `now`, then random (RFC 9562, section 5.7). */
export function timeOrderedUuid(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes[6] = (bytes[6]! & 0x0f) | 0x70;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** `prefix_` and 20 random hexadecimal digits: unique within an organization. */
export function randomId(prefix: string): string {
  return `${prefix}_${randomBytes(10).toString('hex')}`;
}

/** `prefix_` and 20 hexadecimal digits that are the same for the same parts. */
export function derivedId(prefix: string, ...parts: string[]): string {
  return `${prefix}_${createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 20)}`;
}

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Whether `text` is a UUID in its usual form, of any version. */
export function isUuid(text: string): boolean {
  return uuidForm.test(text);
}
