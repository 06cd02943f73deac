import type { Clock } from '../lib/clock.ts';
import { PublicError } from '../lib/errors.ts';

export type FailureLimit = {
  /** Does the work unless `key` has failed too often within the minute; the work fails by throwing "unauthenticated". */
  attempt: <T>(key: string, work: () => Promise<T>) => Promise<T>;
  /** Seconds until this key's minute is over. */
  secondsLeft: (key: string) => number;
};

const windowMilliseconds = 60_000;
/** More keys than this at a time come from nobody who mistyped; the oldest are forgotten. */
const mostKeys = 10_000;

/**
 * Lets each key fail `most` times a minute. What is under way counts as failed until it has not, so that many at once
 * get no further than one after the other.
 */
export function limitFailures(clock: Clock, most: number): FailureLimit {
  const windows = new Map<string, { count: number; endsAt: number }>();

  function windowOf(key: string) {
    const now = clock.now().getTime();
    const known = windows.get(key);
    if (known && known.endsAt > now) return known;
    windows.delete(key);
    const fresh = { count: 0, endsAt: now + windowMilliseconds };
    windows.set(key, fresh);
    if (windows.size > mostKeys) windows.delete(windows.keys().next().value!);
    return fresh;
  }

  return {
    attempt: async (key, work) => {
      const window = windowOf(key);
      if (window.count >= most) throw tooMany(most);
      window.count++;
      let hasFailed = false;
      try {
        return await work();
      } catch (error) {
        hasFailed = error instanceof PublicError && error.kind === 'unauthenticated';
        throw error;
      } finally {
        if (!hasFailed) window.count--;
      }
    },
    secondsLeft: (key) => Math.max(1, Math.ceil((windowOf(key).endsAt - clock.now().getTime()) / 1_000)),
  };
}

function tooMany(most: number): PublicError {
  const message = `More than ${most} failed attempts to sign in within a minute. Wait for it to end.`;
  return new PublicError('rate_limited', 'rate_limited', message);
}
