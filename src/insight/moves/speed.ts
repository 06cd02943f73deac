/** How many times as long a job takes on another runner, with a range that has the truth in 9 of 10 cases. */
export type Speed = { factor: number; low: number; high: number; runsBefore: number; runsAfter: number };

export const minRuns = 5;
/** The newest ones. More hardly narrow the range, and are older. */
export const maxRuns = 60;

/** Of the standard normal distribution: 1.645 for a range of 90%, and a bit more, because ranks of few runs are coarse. */
const quantile = 1.75;

/**
 * The median of all ratios of one run to another (Hodges and Lehmann), and the range in which a rank test (Mann and Whitney)
 * sees no difference. Neither is moved by a few runs that took far too long. Null with too few runs.
 */
export function speedOf(before: readonly number[], after: readonly number[]): Speed | null {
  const [n, m] = [before.length, after.length];
  if (n < minRuns || m < minRuns) return null;
  const ratios = before.flatMap((was) => after.map((is) => is / was)).toSorted((a, b) => a - b);
  const left = Math.floor((n * m) / 2 - quantile * Math.sqrt((n * m * (n + m + 1)) / 12));
  const middle = (ratios.length - 1) / 2;
  return {
    factor: Math.sqrt(ratios[Math.floor(middle)]! * ratios[Math.ceil(middle)]!),
    low: ratios[left]!,
    high: ratios[ratios.length - 1 - left]!,
    runsBefore: n,
    runsAfter: m,
  };
}
