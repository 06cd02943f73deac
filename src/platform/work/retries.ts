/** When something that failed is tried again. */
export type RetrySchedule = {
  /** From the end of each failed attempt to the next one. When they are used up, it is given up. */
  delaysMilliseconds: readonly number[];
  /** The largest part of a delay that chance adds to it, so that what failed together is not retried together. */
  maxJitter?: number;
  /** The longest delay that the other side can ask for. It lengthens a delay and never shortens one. */
  maxAskedMilliseconds?: number;
};

type Failure = {
  /** How many attempts have failed, with this one. */
  failures: number;
  now: Date;
  /** From 0 to 1, for the jitter. */
  random?: number;
  askedMilliseconds?: number;
};

/** When the next attempt is due; null when there is none. */
export function nextAttemptAt(
  { delaysMilliseconds, maxJitter = 0, maxAskedMilliseconds = 0 }: RetrySchedule,
  { failures, now, random = 0, askedMilliseconds = 0 }: Failure,
): Date | null {
  const delay = delaysMilliseconds[failures - 1];
  if (delay === undefined) return null;
  const asked = Math.min(askedMilliseconds, maxAskedMilliseconds);
  return new Date(now.getTime() + Math.max(delay * (1 + maxJitter * random), asked));
}
