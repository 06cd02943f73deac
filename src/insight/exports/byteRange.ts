/** The first and the last byte, both included. */
export type ByteRange = { first: number; last: number };

/**
 * The part of a file of `size` bytes that a `Range` header asks for; null where it asks for all of it, or for what we
 * need not understand (other units, several parts, nonsense), and `unsatisfiable` where it begins behind the end.
 */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '');
  if (!match || match[0] === 'bytes=-') return null;
  const [, start = '', end = ''] = match;
  if (start === '') return end === '' ? null : suffix(Number(end), size);
  const first = Number(start);
  const last = end === '' ? size - 1 : Math.min(Number(end), size - 1);
  if (end !== '' && Number(end) < first) return null;
  return first >= size ? 'unsatisfiable' : { first, last };
}

function suffix(length: number, size: number): ByteRange | 'unsatisfiable' {
  if (length === 0 || size === 0) return 'unsatisfiable';
  return { first: Math.max(0, size - length), last: size - 1 };
}
