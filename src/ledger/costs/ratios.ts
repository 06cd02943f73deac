/**
 * The percent change from `previous` to `current`, rounded half away from zero to one decimal. If `previous` is zero,
 * the change is 0 if `current` is zero too, else 100.
 */
export function percentChange(current: bigint, previous: bigint): number {
  if (previous === 0n) return current === 0n ? 0 : 100;
  const scaled = (current - previous) * 2_000n;
  const half = previous < 0n ? -previous : previous;
  const tenths = (scaled + (scaled < 0n ? -half : half)) / (2n * previous);
  return Number(tenths) / 10;
}

function fraction(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

export function successRate(totals: {
  completedRuns: bigint;
  skippedRuns: bigint;
  successfulRuns: bigint;
}): number {
  return fraction(totals.successfulRuns, totals.completedRuns - totals.skippedRuns);
}

export function wholeAverage(total: bigint, count: bigint): number {
  return count === 0n ? 0 : Number((2n * total + count) / (2n * count));
}
