import type { Transaction } from '../../platform/db/database.ts';
import type { Window } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import type { RunSum } from './columns/rollups.queries.ts';
import { amountsOf } from './columns/sumRows.ts';
import { figureAt, sumGroups } from './costFigures.ts';
import type { Filter, Metric } from './costQuestion.ts';
import { planOf, readRows, type CostReader } from './costs.ts';
import type { WorkflowNames } from './filters.ts';

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
export async function readSums<Name extends SumName, T>(
  reader: CostReader,
  { window, by, filters = [], sums: names }: SumQuestion<Name>,
  more: (tx: Transaction) => Promise<T>,
): Promise<{ sums: Map<string, Record<Name, bigint>>; workflows: WorkflowNames; more: T }> {
  const asked = { window, groupBy: [by], filters, granularity: 'total', compare: 'none' } as const;
  const plans = names.map((name) => planOf({ ...asked, metric: measures[name].metric }));
  const read = await readRows(reader, plans, ({ tx }) => more(tx));
  const nothing = Object.fromEntries(names.map((name) => [name, 0n])) as Record<Name, bigint>;
  const sums = new Map<string, Record<Name, bigint>>();
  for (const [place, name] of names.entries()) {
    const { sum }: { metric: Metric; sum?: RunSum } = measures[name];
    const rows = read.rows[place]!;
    const { index, amounts } = await sumGroups(
      plans[place]!.question,
      sum ? { ...rows, amountsOf: (day) => amountsOf(day, sum) } : rows,
    );
    for (let group = 0; group < index.size; group++) {
      const own = getOrCreate(sums, index.valuesOf(group)[0]!, () => ({ ...nothing }));
      own[name] = figureAt(amounts, group).value;
    }
  }
  return { sums, workflows: read.workflows, more: read.more };
}
