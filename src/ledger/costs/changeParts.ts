import { sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** Jobs on one runner kind at one price. */
export type Use = {
  runner: string | null;
  /** Null if the price is unknown. Then billed minutes measure the time, even of jobs that are billed by the second. */
  nanosPerMinute: bigint | null;
  jobs: bigint;
  minutes: bigint;
  costNanos: Nanos;
};

/** The causes of a change. They add up to the change. */
export type Parts = {
  /** More or fewer jobs, at the previous cost per job. */
  volumeNanos: Nanos;
  /** Longer or shorter jobs, at the previous cost per minute. */
  durationNanos: Nanos;
  /** Other prices of the same runner kinds. */
  priceNanos: Nanos;
  mixNanos: Nanos;
};

/**
 * Changes one thing at a time, so that the parts add up: the number of jobs, then their time, then prices. The rest
 * is mix. If `previous` sums up several periods, `previousNanos` is their average.
 */
export function splitChange(
  current: readonly Use[],
  previous: readonly Use[],
  previousNanos: Nanos = sumOf(previous, 'costNanos'),
): Parts {
  const [jobs, previousJobs] = [sumOf(current, 'jobs'), sumOf(previous, 'jobs')];
  const costNanos = sumOf(current, 'costNanos');
  if (jobs === 0n || previousJobs === 0n) {
    return { volumeNanos: costNanos - previousNanos, durationNanos: 0n, priceNanos: 0n, mixNanos: 0n };
  }
  const withJobs = (jobs * sumOf(previous, 'costNanos')) / previousJobs;
  const volumeNanos = withJobs - previousNanos;
  // Jobs without time had no price per minute, so longer jobs explain the whole change.
  if (timeOf(previous) === 0n) {
    return { volumeNanos, durationNanos: costNanos - withJobs, priceNanos: 0n, mixNanos: 0n };
  }
  const withTime = costAtPriceOf(previous, current);
  const priceNanos = priceChange(current, previous);
  return {
    volumeNanos,
    durationNanos: withTime - withJobs,
    priceNanos,
    mixNanos: costNanos - withTime - priceNanos,
  };
}

function priceChange(current: readonly Use[], previous: readonly Use[]): Nanos {
  const previousByRunner = Map.groupBy(previous, ({ runner }) => runner);
  let total = 0n;
  for (const [runner, uses] of Map.groupBy(current, (use) => use.runner)) {
    const ofRunner = previousByRunner.get(runner);
    if (!ofRunner || timeOf(ofRunner) === 0n || timeOf(uses) === 0n) continue;
    total += sumOf(uses, 'costNanos') - costAtPriceOf(ofRunner, uses);
  }
  return total;
}

/** What the time of `uses` would cost at the average price of `previous`. Exact if `previous` has only one price. */
function costAtPriceOf(previous: readonly Use[], uses: readonly Use[]): Nanos {
  const price = previous[0]!.nanosPerMinute;
  if (price === null || previous.some(({ nanosPerMinute }) => nanosPerMinute !== price)) {
    return (timeOf(uses) * sumOf(previous, 'costNanos')) / timeOf(previous);
  }
  return uses.reduce(
    (total, { nanosPerMinute, minutes, costNanos }) =>
      total + (nanosPerMinute ? (costNanos * price) / nanosPerMinute : minutes * price),
    0n,
  );
}

const partsPerMinute = 1_000_000_000n;

/** In billionths of a minute. Derived from cost and price, because minutes round seconds up. */
function timeOf(uses: readonly Use[]): bigint {
  return uses.reduce(
    (total, { nanosPerMinute, minutes, costNanos }) =>
      total + (nanosPerMinute ? (costNanos * partsPerMinute) / nanosPerMinute : minutes * partsPerMinute),
    0n,
  );
}
