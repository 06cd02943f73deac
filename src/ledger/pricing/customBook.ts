import type { DatedPrice, PriceBook } from './priceBook.ts';
import { runnerKinds, isRunnerKind, type RunnerKind } from './runnerKind.ts';

/** A price of an organization's book as it is stored. */
export type StoredPrice = { runnerKind: string; effectiveFrom: string; nanosPerMinute: string };

/** A book of an organization: kinds that it names no price for have none. */
export function readCustomBook(id: string, name: string, prices: readonly StoredPrice[]): PriceBook {
  const byKind = Object.fromEntries(runnerKinds.map((kind) => [kind, [] as DatedPrice[]])) as Record<
    RunnerKind,
    DatedPrice[]
  >;
  const oldestFirst = prices.toSorted((a, b) => (a.effectiveFrom < b.effectiveFrom ? -1 : 1));
  for (const { runnerKind, effectiveFrom, nanosPerMinute } of oldestFirst) {
    // A kind of a later version is of no use to this one.
    if (isRunnerKind(runnerKind)) {
      byKind[runnerKind].push({ effectiveFrom, nanosPerMinute: BigInt(nanosPerMinute) });
    }
  }
  return { id, name, prices: byKind };
}
