/** What attempts have told of a host, in milliseconds since the epoch. */
type Seen = { triedAt: number; reachedAt: number; isReached: boolean };

/** Tells when it is our own way out that is broken, and not the receivers. */
export type Brake = {
  note: (host: string, isReached: boolean, now: Date) => void;
  isOn: (now: Date) => boolean;
};

const tried = 60_000;
const known = 24 * 3_600_000;
const fewestHosts = 3;

/**
 * A brake that is on while most of the hosts tried within the last minute cannot be reached, of those that could be
 * within the last day. A receiver that has never answered, or not for long, says nothing about us.
 */
export function createBrake(): Brake {
  const hosts = new Map<string, Seen>();
  return {
    note: (host, isReached, now) => {
      const triedAt = now.getTime();
      const reachedAt = isReached ? triedAt : (hosts.get(host)?.reachedAt ?? -Infinity);
      if (reachedAt > triedAt - known) hosts.set(host, { triedAt, reachedAt, isReached });
      else hosts.delete(host);
    },
    isOn: (now) => {
      const telling = [...hosts.values()].filter(({ triedAt }) => triedAt > now.getTime() - tried);
      const unreached = telling.filter(({ isReached }) => !isReached).length;
      return unreached >= fewestHosts && unreached * 2 > telling.length;
    },
  };
}
