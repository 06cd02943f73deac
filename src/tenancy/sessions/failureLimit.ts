import { PublicError } from '../../platform/lib/errors.ts';
import type { Clock } from '../../platform/lib/time.ts';

const windowMilliseconds = 60_000;
/** No mistyping fills so many; beyond it the oldest are forgotten. */
const maxKeys = 10_000;

/** Where an attempt to sign in comes from and, where the text names one, which token or link it is about. */
export type Attempt = { address: string; credential: string | null };

export class TooManyFailures extends PublicError {
  readonly secondsLeft: number;

  constructor(max: number, secondsLeft: number) {
    const message = `More than ${max} failed attempts to sign in within a minute. Wait ${secondsLeft} seconds.`;
    super('rate_limited', 'rate_limited', message);
    this.secondsLeft = secondsLeft;
  }
}

/**
 * Does the work, which fails by throwing "unauthenticated". From the failure after the first `max` a minute, of one
 * address or of one credential, it throws `TooManyFailures` in place of that. What is valid always gets in, whoever
 * else has failed: many people can share a proxy's address, and anybody can name a token.
 */
export function limitFailures(clock: Clock, max: number) {
  const [addresses, credentials] = [countFailures(clock), countFailures(clock)];

  return async <T>({ address, credential }: Attempt, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PublicError && error.kind === 'unauthenticated')) throw error;
      const failures = [addresses(address), ...(credential === null ? [] : [credentials(credential)])];
      const tooMany = failures.filter(({ count }) => count > max);
      if (tooMany.length === 0) throw error;
      throw new TooManyFailures(max, Math.max(...tooMany.map(({ secondsLeft }) => secondsLeft)));
    }
  };
}

function countFailures(clock: Clock) {
  const windows = new Map<string, { count: number; endsAt: number }>();

  return (key: string): { count: number; secondsLeft: number } => {
    const now = clock.now().getTime();
    let window = windows.get(key);
    if (!window || window.endsAt <= now) {
      windows.delete(key);
      window = { count: 0, endsAt: now + windowMilliseconds };
      windows.set(key, window);
      if (windows.size > maxKeys) windows.delete(windows.keys().next().value!);
    }
    window.count++;
    return { count: window.count, secondsLeft: Math.ceil((window.endsAt - now) / 1_000) };
  };
}
