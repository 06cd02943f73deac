import { billTime } from '../../ledger/pricing/cost.ts';
import { chargeOf, isFreeRun } from '../../ledger/pricing/netCost.ts';
import type { Providers } from '../../ledger/pricing/provider.ts';
import type { Day } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import type { TimedCell } from './queries.ts';
import { recordedRunner, type Price, type PriceBasis, type Runner } from './runners.ts';
import { maxRuns } from './speed.ts';

/** What a job ran on one runner. */
export type Use = {
  runner: Runner;
  /** Milliseconds of each billed job, without days marked unusual. */
  billed: number[];
  /** Of the newest that succeeded. */
  passed: number[];
  /** Whether it ran there on one of its last days. Otherwise it has moved away. */
  isCurrent: boolean;
};

/** A job by its name, which has the values of its matrix. */
export type TimedJob = {
  workflowId: string;
  name: string;
  provider: string;
  /** Whether the provider bills none of its standard runners, as in public repositories. */
  isFree: boolean;
  /** Days that `billed` covers. */
  days: number;
  uses: Use[];
};

/** A job that has not run on a runner on so many of its own days does not run there any more. */
const recentDays = 7;

type Options = {
  basis: PriceBasis;
  window: { start: Day; end: Day; days: number };
  leftOut: ReadonlyMap<string, readonly Day[]>;
};

/** `cells` in any order. */
export function jobsOf(cells: readonly TimedCell[], { basis, window, leftOut }: Options): TimedJob[] {
  const runners = new Map<string, Runner>();
  const runnerOf = (cell: TimedCell) => {
    const { provider, labels, runnerGroup, runnerKind } = cell;
    return getOrCreate(runners, JSON.stringify([provider, labels, runnerGroup, runnerKind]), () =>
      recordedRunner(cell, basis),
    );
  };
  const byJob = Map.groupBy(
    cells.toSorted((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
    ({ workflowId, name }) => JSON.stringify([workflowId, name]),
  );
  return [...byJob.values()].map((own) => {
    const last = own.at(-1)!;
    const { workflowId, name, provider } = last;
    const unusual = new Set(leftOut.get(workflowId));
    const recent = [...new Set(own.map(({ day }) => day))].slice(-recentDays);
    const uses = Map.groupBy(own, (cell) => runnerOf(cell).key);
    return {
      workflowId,
      name,
      provider,
      isFree: isFreeRun(last, last.day, basis.list.providers),
      days: window.days - unusual.size,
      uses: [...uses.values()].map((there) => ({
        runner: runnerOf(there.at(-1)!),
        billed: there
          .filter(({ day }) => day >= window.start && day <= window.end && !unusual.has(day))
          .flatMap(({ billed }) => billed),
        passed: there.flatMap(({ passed }) => passed).slice(-maxRuns),
        isCurrent: there.some(({ day }) => recent.includes(day)),
      })),
    };
  });
}

const monthDays = 30n;

/** What these jobs would cost there in 30 such days, each rounded as the price list says. Rounded down. */
export function monthlyCost(
  price: Price,
  { billed, days }: { billed: readonly number[]; days: number },
  factor = 1,
): Nanos {
  const nanos = billed.reduce((sum, ms) => sum + billTime(price, Math.round(ms * factor)).costNanos, 0n);
  return (nanos * monthDays) / BigInt(days);
}

export function monthlyMinutes({ billed, days }: { billed: readonly number[]; days: number }): number {
  return (billed.reduce((sum, ms) => sum + Math.ceil(ms / 60_000), 0) * Number(monthDays)) / days;
}

/** A standard runner costs nothing in free runs, whatever its list says. */
export function payable(
  { kind, price }: Runner,
  { provider, isFree }: Pick<TimedJob, 'provider' | 'isFree'>,
  providers: Providers,
): Price | null {
  const isFreeThere = chargeOf({ provider, runnerKind: kind, isFree }, providers)?.class === 'free';
  return price && isFreeThere ? { ...price, nanosPerMinute: 0n } : price;
}
