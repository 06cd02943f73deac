/** For sorting: the smaller first; turn the two around for the larger first. What is equal stays in the order it was in. */
export function compare<T extends string | bigint>(a: T, b: T): number {
  return Number(a > b) - Number(a < b);
}
