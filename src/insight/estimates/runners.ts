import { priceRecorded, type RunnerPrice } from '../../ledger/pricing/cost.ts';
import type { PlannedJob } from '../../ledger/pricing/plan.ts';
import type { PriceList } from '../../ledger/pricing/priceList.ts';
import type { Day } from '../../platform/lib/days.ts';
import type { JobCell } from './queries.ts';

type RunnerOfJob = Pick<JobCell, 'labels' | 'runnerGroup'> & { runnerKind?: string | null };

/** Prices of recorded and planned runners, by the organization's current list and rules. */
export type Runners = {
  ofCell: (cell: RunnerOfJob) => RunnerPrice;
  /** Null if the files do not say which runner the job uses. */
  ofJob: (job: Pick<PlannedJob, 'labels' | 'runnerGroup'>) => RunnerPrice | null;
};

export function createRunners(
  cells: readonly JobCell[],
  { list, provider, day }: { list: PriceList; provider: string; day: Day },
): Runners {
  const known = new Map<string, RunnerPrice>();
  const price = ({ labels, runnerGroup, runnerKind = null }: RunnerOfJob): RunnerPrice => {
    const key = JSON.stringify([labels, runnerGroup, runnerKind]);
    let found = known.get(key);
    if (!found) {
      found = priceRecorded({ provider, labels, runnerGroup, runnerKind }, list, day);
      known.set(key, found);
    }
    return found;
  };
  const recorded = recordedRunners(cells);
  return {
    ofCell: price,
    ofJob: ({ labels, runnerGroup }) => {
      if (labels === null) return null;
      const similar = recorded.find(
        (each) => isOn(each, { labels, runnerGroup }) && each.labels.length === labels.length,
      );
      // Providers may report all tags of a runner, of which the job requested only some.
      const wider = similar ?? recorded.find((each) => isOn(each, { labels, runnerGroup }));
      return price(wider ?? { labels: [...labels], runnerGroup });
    },
  };
}

/** Whether a recorded runner matches what the job requests. */
export function isOn(
  recorded: Pick<JobCell, 'labels' | 'runnerGroup'>,
  { labels, runnerGroup }: { labels: readonly string[]; runnerGroup: string | null },
): boolean {
  const has = new Set(recorded.labels.map((label) => label.toLowerCase()));
  return (
    labels.every((label) => has.has(label.toLowerCase())) &&
    (runnerGroup === null || runnerGroup.toLowerCase() === recorded.runnerGroup?.toLowerCase())
  );
}

function recordedRunners(cells: readonly JobCell[]): JobCell[] {
  const sums = new Map<string, { cell: JobCell; jobs: number }>();
  for (const cell of cells) {
    const key = JSON.stringify([cell.labels, cell.runnerGroup, cell.runnerKind]);
    const sum = sums.get(key) ?? { cell, jobs: 0 };
    sum.jobs += cell.jobs;
    sums.set(key, sum);
  }
  return [...sums.values()].toSorted((a, b) => b.jobs - a.jobs).map(({ cell }) => cell);
}

type Time = { jobs: number; minutes: bigint; seconds: bigint };

/**
 * In nano-dollars, as a number, because an estimate is rounded only once, at the end. If jobs take `factor` times as long,
 * rounding adds as much as before, and no job is billed less than a minute.
 */
export function costOf({ jobs, minutes, seconds }: Time, price: RunnerPrice, factor = 1): number {
  const rate = Number(price.nanosPerMinute);
  const used = (Number(seconds) * factor) / 60;
  if (price.rounding === 'second') return used * rate;
  if (factor === 1) return Number(minutes * price.nanosPerMinute);
  return Math.max(jobs, used + Number(minutes) - Number(seconds) / 60) * rate;
}
