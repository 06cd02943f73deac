export type RetrySchedule = {
  /** Delays from the end of each failed attempt to the next one. After the last, we give up. */
  delaysMilliseconds: readonly number[];
  /** As a fraction of the delay, so that work that failed together does not retry together. */
  maxJitter?: number;
  /** The longest delay that the other side can request. A request never shortens a delay. */
  maxAskedMilliseconds?: number;
};

type Failure = {
  failures: number;
  now: Date;
  random?: number;
  askedMilliseconds?: number;
};

export function nextAttemptAt(
  { delaysMilliseconds, maxJitter = 0, maxAskedMilliseconds = 0 }: RetrySchedule,
  { failures, now, random = 0, askedMilliseconds = 0 }: Failure,
): Date | null {
  const delay = delaysMilliseconds[failures - 1];
  if (delay === undefined) return null;
  const asked = Math.min(askedMilliseconds, maxAskedMilliseconds);
  return new Date(now.getTime() + Math.max(delay * (1 + maxJitter * random), asked));
}
