import { addDays, monthAround, windowBetween, type Day } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';

/** What a pool costs from one day to another, without end if `lastDay` is null. At most one amount is set. */
export type Period = {
  firstDay: Day;
  lastDay: Day | null;
  machines: number | null;
  monthlyNanos: Nanos | null;
  /** Of each machine. */
  hourlyNanos: Nanos | null;
};

/** `machines` is null if nobody said how many there are. */
export type PoolDay = { costNanos: Nanos; machines: number | null };

/** Imported amounts hold instead of those of periods. */
type Costs = { periods: readonly Period[]; imported: ReadonlyMap<Day, Nanos> };

export function costOn({ periods, imported }: Costs, day: Day): PoolDay {
  const period = periods.find(({ firstDay, lastDay }) => firstDay <= day && (lastDay ?? day) >= day) ?? null;
  return { costNanos: imported.get(day) ?? costOfPeriod(period, day), machines: period?.machines ?? null };
}

function costOfPeriod(period: Period | null, day: Day): Nanos {
  if (!period) return 0n;
  if (period.hourlyNanos !== null) return 24n * BigInt(period.machines ?? 0) * period.hourlyNanos;
  return partOf(period.monthlyNanos ?? 0n, { ...monthAround(day), day });
}

/** The day's part of what these days cost together. The parts add up to the amount. */
export function partOf(amount: Nanos, { start, end, day }: { start: Day; end: Day; day: Day }): Nanos {
  const days = BigInt(windowBetween(start, end).days);
  const until = (last: Day) => (amount * BigInt(windowBetween(start, last).days)) / days;
  return until(day) - until(addDays(day, -1));
}
