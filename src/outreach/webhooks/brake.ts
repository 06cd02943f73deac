/** What attempts have told of a host, in milliseconds since the epoch. */
type Seen = { triedAt: number; reachedAt: number; isReached: boolean };

/** Tells when it is our own way out that is broken, and not the receivers. */
export type Brake = {
  note: (hostname: string, isReached: boolean, now: Date) => void;
  /** Whether it is on for a host: one that was reached the last time is never kept from being tried. */
  isOn: (hostname: string, now: Date) => boolean;
};

const tried = 60_000;
const known = 24 * 3_600_000;
/** An answer from anywhere shows that the way out is open. */
const open = 10_000;
const fewestHosts = 3;

/**
 * A brake that is on while nobody has been reached for some seconds and most of the hosts tried within the last minute
 * could not be, of those that could be within the last day. A receiver that has never answered, or not for long, says
 * nothing about us.
 */
export function createBrake(): Brake {
  const hosts = new Map<string, Seen>();
  let lastReachedAt = -Infinity;
  return {
    note: (hostname, isReached, now) => {
      const triedAt = now.getTime();
      if (isReached) lastReachedAt = triedAt;
      const reachedAt = isReached ? triedAt : (hosts.get(hostname)?.reachedAt ?? -Infinity);
      if (reachedAt > triedAt - known) hosts.set(hostname, { triedAt, reachedAt, isReached });
      else hosts.delete(hostname);
    },
    isOn: (hostname, now) => {
      const at = now.getTime();
      if (lastReachedAt > at - open || hosts.get(hostname)?.isReached !== false) return false;
      const telling = [...hosts.values()].filter(({ triedAt }) => triedAt > at - tried);
      const unreached = telling.filter(({ isReached }) => !isReached).length;
      return unreached >= fewestHosts && unreached * 2 > telling.length;
    },
  };
}
