import { divideHalfEven, type Nanos } from '../../platform/lib/money.ts';

export type StorageKind = 'artifact' | 'cache';

/**
 * Nano-dollars for a gigabyte (2^30 bytes) and month of 744 hours, billed by the hour:
 * https://docs.github.com/en/billing/concepts/product-billing/github-actions, November 2026
 */
const nanosPerMonth = { artifact: 250_000_000n, cache: 70_000_000n } as const;
const hoursPerMonth = 744n;

export const gigabyte = 1_073_741_824n;
/** Caches of a repository above this are billed, if its limit was raised (the same page). */
export const includedCacheBytes = 10n * gigabyte;

export const hourMilliseconds = 3_600_000n;

export type Span = { from: Date; until: Date };

/** `end` is when it expires; null if never. */
export type Stored = { bytes: bigint; createdAt: Date; end: Date | null };

/** Bytes times the milliseconds within the span. */
export function byteMilliseconds({ bytes, createdAt, end }: Stored, { from, until }: Span): bigint {
  const first = Math.max(createdAt.getTime(), from.getTime());
  const last = Math.min(end?.getTime() ?? Infinity, until.getTime());
  return last > first ? bytes * BigInt(last - first) : 0n;
}

/** What was stored above the included bytes, by the times at which each was made. */
export function byteMillisecondsAbove(
  included: bigint,
  stored: readonly Omit<Stored, 'end'>[],
  { from, until }: Span,
): bigint {
  const inOrder = stored.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  let [held, sum] = [0n, 0n];
  for (const [index, { bytes, createdAt }] of inOrder.entries()) {
    held += bytes;
    const end = inOrder[index + 1]?.createdAt ?? null;
    if (held > included) sum += byteMilliseconds({ bytes: held - included, createdAt, end }, { from, until });
  }
  return sum;
}

export function byteHours(milliseconds: bigint): bigint {
  return divideHalfEven(milliseconds, hourMilliseconds);
}

export function storageCost(kind: StorageKind, hours: bigint): Nanos {
  return divideHalfEven(hours * nanosPerMonth[kind], gigabyte * hoursPerMonth);
}

/** Of bytes that stay stored for a month. */
export function monthlyStorageCost(kind: StorageKind, bytes: bigint): Nanos {
  return divideHalfEven(bytes * nanosPerMonth[kind], gigabyte);
}

/** Divides an amount in proportion to the weights. The parts add up to it. */
export function divideAmong(amount: Nanos, weights: readonly bigint[]): Nanos[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0n);
  let before = 0n;
  return weights.map((weight) => {
    if (whole === 0n) return 0n;
    const start = (amount * before) / whole;
    before += weight;
    return (amount * before) / whole - start;
  });
}
