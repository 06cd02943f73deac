import { PublicError } from '../../platform/lib/errors.ts';
import { nextAttemptAt, type RetrySchedule } from '../../platform/work/retries.ts';
import {
  badCredentials,
  unreachableDelaysSeconds,
  type BackfillProgram,
  type Obstacle,
  type Wait,
} from './backfill.ts';

const retries: RetrySchedule = {
  delaysMilliseconds: unreachableDelaysSeconds.map((seconds) => seconds * 1_000),
};

/** When to ask again and why, or the error that ends the task. `failures` counts failures in a row. */
export function waitFor(
  obstacle: Obstacle,
  failures: number,
  { clock, gitHubApiUrl }: Pick<BackfillProgram, 'clock' | 'gitHubApiUrl'>,
): { failures: number; wait: Wait } {
  switch (obstacle.kind) {
    case 'unauthenticated':
      throw new PublicError('unavailable', 'bad_credentials', badCredentials);
    case 'refused':
      throw new PublicError('unavailable', 'refused', obstacle.message);
    case 'wait': {
      const { until, reason } = obstacle;
      return { failures: 0, wait: { until: until.toISOString(), reason } };
    }
    case 'unreachable': {
      const attempt = failures + 1;
      const until = nextAttemptAt(retries, { failures: attempt, now: clock.now() });
      const { host } = new URL(gitHubApiUrl);
      const message = obstacle.message.startsWith(host) ? obstacle.message : `${host}: ${obstacle.message}`;
      if (!until) {
        const text = `GitHub could not be reached ${attempt} times in a row (${message}).`;
        throw new PublicError('unavailable', 'unreachable', text);
      }
      const wait = { until: until.toISOString(), reason: 'unreachable', message, attempt } as const;
      return { failures: attempt, wait };
    }
  }
}
