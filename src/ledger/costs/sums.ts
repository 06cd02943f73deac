import type { Transaction } from '../../platform/db/database.ts';
import type { Window } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { RunSum } from './columns/rollups.queries.ts';
import { amountsOf, createGroupIndex, createSums, passingRows } from './columns/sumRows.ts';
import type { Rows } from './costFigures.ts';
import type { Filter, Metric } from './costQuestion.ts';
import { planOf, readRows, type CostReader } from './costs.ts';
import { testOf, type WorkflowNames } from './filters.ts';

const measures = {
  costNanos: { metric: 'cost' },
  netCostNanos: { metric: 'net_cost' },
  jobs: { metric: 'jobs' },
  billedMinutes: { metric: 'minutes' },
  runs: { metric: 'runs' },
  completedRuns: { metric: 'runs', sum: 'completedRuns' },
  skippedRuns: { metric: 'runs', sum: 'skippedRuns' },
  successfulRuns: { metric: 'runs', sum: 'successfulRuns' },
  durationSeconds: { metric: 'runs', sum: 'durationSeconds' },
} as const satisfies Record<string, { metric: Metric; sum?: RunSum }>;

export type SumName = keyof typeof measures;

type SumQuestion<Name extends SumName> = {
  window: Window;
  by: 'day' | 'workflowId';
  filters?: readonly Filter[];
  sums: readonly Name[];
};

/**
 * Several sums of cost questions at once, by day or by workflow, and what `more` reads in the same snapshot. A day or
 * workflow without jobs and runs has no entry.
 */
export async function readSums<Name extends SumName, T = undefined>(
  reader: CostReader,
  { window, by, filters = [], sums: names }: SumQuestion<Name>,
  more?: (tx: Transaction, rows: readonly Rows[]) => Promise<T>,
): Promise<{ sums: Map<string, Record<Name, bigint>>; workflows: WorkflowNames; more: T }> {
  const asked = { window, groupBy: [by], filters, granularity: 'total', compare: 'none' } as const;
  const metrics = [...new Set(names.map((name) => measures[name].metric))];
  const runSums = names.map(runSumOf).filter((sum) => sum !== null);
  const plans = metrics.map((metric) => planOf({ ...asked, metric }, null, runSums));
  const read = await readRows(reader, plans, more && (({ tx }, rows) => more(tx, rows)));
  const nothing = Object.fromEntries(names.map((name) => [name, 0n])) as Record<Name, bigint>;
  const sums = new Map<string, Record<Name, bigint>>();
  for (const [place, metric] of metrics.entries()) {
    const { days, amountsOf: ofMetric, workflows } = read.rows[place]!;
    const tests = filters.map((filter) => testOf(filter, workflows));
    const index = createGroupIndex(asked.groupBy);
    const own = names.filter((name) => measures[name].metric === metric);
    const summed = own.map((name) => ({ name, of: createSums() }));
    for (const { facts } of days) {
      const groups = index.groupsOf(facts, passingRows(facts, tests));
      for (const { name, of } of summed) {
        const sum = runSumOf(name);
        of.add(groups, sum ? amountsOf(facts, sum) : ofMetric(facts));
      }
      await yieldToRequests();
    }
    for (const { name, of } of summed) {
      for (const [group, value] of of.values().entries())
        getOrCreate(sums, index.valuesOf(group)[0]!, () => ({ ...nothing }))[name] = value;
    }
  }
  return { sums, workflows: read.workflows, more: read.more };
}

function runSumOf(name: SumName): RunSum | null {
  const measure: { metric: Metric; sum?: RunSum } = measures[name];
  return measure.sum ?? null;
}
