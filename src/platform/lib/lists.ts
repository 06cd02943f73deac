export type Page = { page: number; perPage: number };

/** The rows of a page, and the number of all. */
export type Paged<Row> = { rows: Row[]; total: number };

export function rowsOf({ page, perPage }: Page): { limit: number; offset: number } {
  return { limit: perPage, offset: (page - 1) * perPage };
}

export function onPage<T>(items: readonly T[], page: Page): T[] {
  const { limit, offset } = rowsOf(page);
  return items.slice(offset, offset + limit);
}

export function compare<T extends string | bigint>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}

export function larger<T extends bigint | Date>(a: T, b: T): T {
  return a > b ? a : b;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** For an even number of values, the mean of the middle two, rounded toward 0. */
export function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted(compare);
  const [below, above] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return (below + above) / 2n;
}

export function sumOf<Key extends string>(rows: readonly Record<Key, bigint>[], key: Key): bigint {
  return rows.reduce((total, row) => total + row[key], 0n);
}

export function* chunksOf<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

export function getOrCreate<Key, Value>(
  map: { get: (key: Key) => Value | undefined; set: (key: Key, value: Value) => unknown },
  key: Key,
  create: () => Value,
): Value {
  const found = map.get(key);
  if (found !== undefined) return found;
  const created = create();
  map.set(key, created);
  return created;
}
