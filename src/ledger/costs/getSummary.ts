import { dayOf, previousWindow, windowEnding, type Window } from '../../platform/lib/days.ts';
import { divideHalfEven, type Nanos } from '../../platform/lib/money.ts';
import type { DashboardContext } from './context.ts';
import { percentChange } from './percent.ts';
import { findDayTotals, type DayTotals } from './queries.ts';

export type Summary = {
  totalCostNanos: Nanos;
  trendPercent: number;
  totalRuns: number;
  averageCostPerRunNanos: Nanos;
  periodDays: number;
};

const summaryDays = 30;
const nanosPerMicro = 1_000n;

/** Cost and runs of the last 30 days, against the 30 days before them. */
export async function getSummary({ db, actor, clock }: DashboardContext): Promise<Summary> {
  const window = windowEnding(dayOf(clock.now()), summaryDays);
  const before = previousWindow(window);
  const totals = await findDayTotals(db, actor.orgId, { ...window, start: before.start });
  const current = sumWithin(window, totals);
  const previous = sumWithin(before, totals);
  return {
    totalCostNanos: current.costNanos,
    trendPercent: percentChange(current.costNanos, previous.costNanos),
    totalRuns: Number(current.runs),
    averageCostPerRunNanos:
      current.runs === 0n
        ? 0n
        : divideHalfEven(current.costNanos, current.runs * nanosPerMicro) * nanosPerMicro,
    periodDays: summaryDays,
  };
}

function sumWithin({ start, end }: Window, totals: DayTotals[]): { costNanos: bigint; runs: bigint } {
  const sum = { costNanos: 0n, runs: 0n };
  for (const { day, costNanos, runs } of totals) {
    if (day < start || day > end) continue;
    sum.costNanos += costNanos;
    sum.runs += runs;
  }
  return sum;
}
