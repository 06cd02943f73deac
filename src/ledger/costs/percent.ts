/**
 * How much more `current` is than `previous`, in percent with one decimal, rounded half away from zero.
 * From nothing to something counts as 100, from nothing to nothing as 0.
 */
export function percentChange(current: bigint, previous: bigint): number {
  if (previous === 0n) return current === 0n ? 0 : 100;
  const scaled = (current - previous) * 2_000n;
  const half = previous < 0n ? -previous : previous;
  const tenths = (scaled + (scaled < 0n ? -half : half)) / (2n * previous);
  return Number(tenths) / 10;
}

/** `part / whole` as a fraction between 0 and 1; 0 of nothing. */
function fraction(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

/** Successes among the completed runs that were not skipped, as a fraction; 0 where there are none. */
export function successRate(totals: {
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
}): number {
  return fraction(totals.successfulRuns, totals.completedRuns - totals.skippedRuns);
}

/** `total / count` rounded half up to a whole number; 0 for a count of 0. */
export function wholeAverage(total: bigint, count: bigint): number {
  return count === 0n ? 0 : Number((2n * total + count) / (2n * count));
}
