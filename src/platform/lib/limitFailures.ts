import { PublicError, TooManyRequests } from './errors.ts';
import type { Clock } from './time.ts';

const minute = 60_000;
const maxWindowMinutes = 15;
/** More than typing mistakes can fill. Beyond this number, the oldest are forgotten. */
const maxKeys = 10_000;

export type Attempt = { address: string; credential: string | null };

export type LimitOptions = {
  /** What we count, for the message. */
  failures?: string;
  /** Called when an address or a credential becomes limited, and not again while it keeps failing. */
  onLimited?: (attempt: Attempt, of: 'address' | 'credential') => Promise<void>;
};

/** More than `max` a minute wait 2, 4, 8, then 15 minutes. A valid credential always gets in. */
export function limitFailures(
  clock: Clock,
  max: number,
  { failures: counted = 'failed sign-ins', onLimited }: LimitOptions = {},
) {
  const [addresses, credentials] = [countByKey(clock, max), countByKey(clock, max)];

  return async <T>(attempt: Attempt, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PublicError && error.kind === 'unauthenticated')) throw error;
      const { address, credential } = attempt;
      const byAddress = addresses(address);
      const byCredential = credential === null ? null : credentials(credential);
      if (byAddress.isNewlyLimited) await onLimited?.(attempt, 'address');
      if (byCredential?.isNewlyLimited) await onLimited?.(attempt, 'credential');
      const tooMany = [byAddress, byCredential].filter((each) => each !== null && each.count > max);
      if (tooMany.length === 0) throw error;
      const seconds = Math.max(...tooMany.map((each) => each!.secondsLeft));
      throw new TooManyRequests(`More than ${max} ${counted}. Wait ${seconds} seconds.`, seconds);
    }
  };
}

/** Counts successes, too. The wait never grows: many honest people can share an address. */
export function limitCalls(clock: Clock, max: number, what: string): (address: string) => void {
  const countCall = countByKey(clock, Infinity);

  return (address) => {
    const { count, secondsLeft } = countCall(address);
    if (count > max)
      throw new TooManyRequests(`More than ${max} ${what}. Wait ${secondsLeft} seconds.`, secondsLeft);
  };
}

type Window = { count: number; endsAt: number; strikes: number };

/** After more than `max` in a window, the next window is longer. */
function countByKey(clock: Clock, max: number) {
  const windows = new Map<string, Window>();

  return (key: string): { count: number; secondsLeft: number; isNewlyLimited: boolean } => {
    const now = clock.now().getTime();
    let window = windows.get(key);
    if (!window || window.endsAt <= now) {
      windows.delete(key);
      const strikes = window ? strikesAfter(window, now) : 0;
      const minutes = Math.min(2 ** strikes, maxWindowMinutes);
      window = { count: 0, endsAt: now + minutes * minute, strikes };
      windows.set(key, window);
      if (windows.size > maxKeys) windows.delete(windows.keys().next().value!);
    }
    window.count++;
    const secondsLeft = Math.ceil((window.endsAt - now) / 1_000);
    const isNewlyLimited = window.count === max + 1 && window.strikes === 0;
    return { count: window.count, secondsLeft, isNewlyLimited };
  };

  function strikesAfter({ count, endsAt, strikes }: Window, now: number): number {
    return count > max && now - endsAt < maxWindowMinutes * minute ? strikes + 1 : 0;
  }
}
