import type { ColumnKind } from './column.ts';

/** An instant in UTC as ISO 8601: to the millisecond, or to the second where its column has no more. */
export function instantText(instant: Date, kind: ColumnKind): string {
  const text = instant.toISOString();
  return kind === 'second' ? text.replace(/\.\d+Z$/, 'Z') : text;
}
