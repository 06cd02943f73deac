import { isDeepStrictEqual } from 'node:util';

/** For the audit log: what of `after` is different, and under `before` what it was. Null where nothing is. */
export function differences(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Record<string, unknown> | null {
  const names = Object.keys(after).filter((name) => !isDeepStrictEqual(before[name], after[name]));
  if (names.length === 0) return null;
  return { ...picked(after, names), before: picked(before, names) };
}

function picked(values: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, values[name] ?? null]));
}
