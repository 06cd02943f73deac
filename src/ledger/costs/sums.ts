import type { Transaction } from '../../platform/db/database.ts';
import type { Window } from '../../platform/lib/days.ts';
import { getOrCreate } from '../../platform/lib/lists.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { RowKind } from './columns/dayColumns.queries.ts';
import type { RunSum } from './columns/rollups.queries.ts';
import {
  amountsOf,
  createGroupIndex,
  createSums,
  passingRows,
  type DayRows,
  type GroupIndex,
} from './columns/sumRows.ts';
import type { Rows } from './costFigures.ts';
import type { Filter, Metric } from './costQuestion.ts';
import { planOf, readRows, type CostContext } from './costs.ts';
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
  by: 'day' | 'workflowId' | 'runner';
  filters?: readonly Filter[];
  sums: readonly Name[];
};

/** By day, workflow or runner. One without jobs and runs has no entry. */
type SumsBy<Name extends SumName> = Map<string | null, Record<Name, bigint>>;

type More<T> = (tx: Transaction, rows: readonly Rows[]) => Promise<T>;

type Read<Sums, T> = { sums: Sums; workflows: WorkflowNames; more: T };

/** Several sums of cost questions at once, and what `more` reads in the same snapshot. */
export async function readSums<Name extends SumName, T = undefined>(
  ctx: CostContext,
  question: SumQuestion<Name>,
  more?: More<T>,
): Promise<Read<SumsBy<Name>, T>> {
  const { sums, ...read } = await readSumsTogether(ctx, [question], more);
  return { sums: sums[0], ...read };
}

/** The same for several questions, from one snapshot. */
export async function readSumsTogether<
  const Questions extends readonly SumQuestion<SumName>[],
  T = undefined,
>(
  ctx: CostContext,
  questions: Questions,
  more?: More<T>,
): Promise<Read<{ [Place in keyof Questions]: SumsBy<Questions[Place]['sums'][number]> }, T>> {
  const planned = questions.map(plansOf);
  const plans = planned.flatMap((each) => each.map(({ plan }) => plan));
  const read = await readRows(ctx, plans, more && (({ tx }, rows) => more(tx, rows)));
  const rows = [...read.rows];
  const sums: SumsBy<SumName>[] = [];
  for (const each of planned) sums.push(await addUp(each, rows.splice(0, each.length)));
  return { sums: sums as never, workflows: read.workflows, more: read.more };
}

/** A plan for each metric, and the sums that it gives. */
function plansOf({ window, by, filters = [], sums }: SumQuestion<SumName>) {
  const asked = { window, groupBy: [by], filters, granularity: 'total', compare: 'none' } as const;
  const ofMetrics = Map.groupBy(sums, (name) => measures[name].metric);
  return [...ofMetrics].map(([metric, names]) => {
    const runSums = names.map(runSumOf).filter((sum) => sum !== null);
    return { names, plan: planOf({ ...asked, metric }, null, runSums) };
  });
}

async function addUp(planned: ReturnType<typeof plansOf>, rows: readonly Rows[]): Promise<SumsBy<SumName>> {
  const all = planned.flatMap(({ names }) => names);
  const nothing = Object.fromEntries(all.map((name) => [name, 0n])) as Record<SumName, bigint>;
  const sums: SumsBy<SumName> = new Map();
  const indexes = new Map<RowKind, GroupIndex>();
  // Metrics of jobs read the same rows.
  const grouped = new Map<DayRows, Int32Array>();
  for (const [place, { names, plan }] of planned.entries()) {
    const { days, amountsOf: ofMetric, workflows } = rows[place]!;
    const tests = plan.question.filters.map((filter) => testOf(filter, workflows));
    const index = getOrCreate(indexes, plan.rowKind, () => createGroupIndex(plan.question.groupBy));
    const summed = names.map((name) => ({ name, of: createSums() }));
    for (const { day } of days) {
      const groups = getOrCreate(grouped, day, () => index.groupsOf(day, passingRows(day, tests)));
      for (const { name, of } of summed) {
        const sum = runSumOf(name);
        of.add(groups, sum ? amountsOf(day, sum) : ofMetric(day));
      }
      await yieldToRequests();
    }
    for (const { name, of } of summed) {
      for (const [group, value] of of.values().entries())
        getOrCreate(sums, index.valuesOf(group)[0]!, () => ({ ...nothing }))[name] = value;
    }
  }
  return sums;
}

function runSumOf(name: SumName): RunSum | null {
  const measure: { metric: Metric; sum?: RunSum } = measures[name];
  return measure.sum ?? null;
}
