/** For sorting: the smaller first; turn the two around for the larger first. What is equal stays in the order it was in. */
export function compare<T extends string | bigint>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}

export function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

export function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

/** The value in the middle; of an even number the mean of the two there, rounded down above 0. */
export function median(values: readonly bigint[]): bigint {
  const sorted = values.toSorted(compare);
  const [below, above] = [sorted[(sorted.length - 1) >> 1]!, sorted[sorted.length >> 1]!];
  return (below + above) / 2n;
}
