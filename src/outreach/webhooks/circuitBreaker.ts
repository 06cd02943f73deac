/** What attempts have shown of a host, in milliseconds since the epoch. */
type Seen = { triedAt: number; reachedAt: number; isReached: boolean };

/** Says when our own way out is broken, and not the receivers. */
export type CircuitBreaker = {
  note: (hostname: string, isReached: boolean, now: Date) => void;
  /** Whether to send nothing to a host. One that was reached the last time is never kept from being tried. */
  isOpen: (hostname: string, now: Date) => boolean;
};

const triedMilliseconds = 60_000;
const knownMilliseconds = 24 * 3_600_000;
/** An answer from anywhere shows that the way out works. */
const answeredMilliseconds = 10_000;
const minHosts = 3;

/**
 * A circuit breaker that is open while nobody has been reached for some seconds and most of the hosts tried within the
 * last minute could not be, of those that could be within the last day. A receiver that has never answered, or not for
 * long, says nothing about us.
 */
export function createCircuitBreaker(): CircuitBreaker {
  const hosts = new Map<string, Seen>();
  let lastReachedAt = -Infinity;
  return {
    note: (hostname, isReached, now) => {
      const triedAt = now.getTime();
      if (isReached) lastReachedAt = triedAt;
      const reachedAt = isReached ? triedAt : (hosts.get(hostname)?.reachedAt ?? -Infinity);
      if (reachedAt > triedAt - knownMilliseconds) hosts.set(hostname, { triedAt, reachedAt, isReached });
      else hosts.delete(hostname);
    },
    isOpen: (hostname, now) => {
      const at = now.getTime();
      if (lastReachedAt > at - answeredMilliseconds || hosts.get(hostname)?.isReached !== false) return false;
      const recent = [...hosts.values()].filter(({ triedAt }) => triedAt > at - triedMilliseconds);
      const unreached = recent.filter(({ isReached }) => !isReached).length;
      return unreached >= minHosts && unreached * 2 > recent.length;
    },
  };
}
