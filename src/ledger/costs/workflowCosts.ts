import { startOfDay, type Window } from '../../platform/lib/days.ts';
import { compare, getOrCreate } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import { findOwners } from './columns/ownerColumns.ts';
import { makeColumns } from './columns/readDays.ts';
import {
  createGroupIndex,
  passingRows,
  workflowIdsOf,
  type DayRows,
  type GroupIndex,
  type RowTest,
} from './columns/sumRows.ts';
import { planDays } from './columns/withDays.ts';
import {
  figureAt,
  showGroups,
  sumGroups,
  type Figure,
  type Figures,
  type Order,
  type SummedGroups,
} from './costFigures.ts';
import {
  ofJobsOnly,
  type CostQuestion,
  type Filter,
  type Metric,
  type OwnerDimension,
} from './costQuestion.ts';
import { planOf, readRows, type CostContext } from './costs.ts';
import { countedRows, distributionOf, type Percentiles } from './durations.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import { previousWindowOf } from './periods.ts';
import { successRate } from './ratios.ts';
import { findLatestRuns } from './workflows.queries.ts';
import { hasStatus, isFound } from './workflowSums.ts';

const columns = [
  'cost',
  'change',
  'runs',
  'success_rate',
  'duration_p50',
  'duration_p95',
  'waste',
  'last_run',
  'name',
  'repository',
] as const;

type Column = (typeof columns)[number];

export const workflowSorts = columns.flatMap((name) => [`-${name}`, name] as const);

export const workflowMetrics = ['cost', 'net_cost'] as const satisfies Metric[];

export type WorkflowQuestion = Pick<
  CostQuestion,
  'window' | 'unit' | 'filters' | 'compare' | 'granularity' | 'weekStart' | 'ownersOn'
> & {
  metric: (typeof workflowMetrics)[number];
  /** A part of the name of the workflow or its repository, ignoring case. */
  search: string | undefined;
  /** The status or conclusion of the latest run in the window. */
  status: string | undefined;
  sort: (typeof workflowSorts)[number];
  limit: number;
  offset: number;
};

/** Figures of the runs that were created in the window. */
type RunFigures = {
  runs: number;
  completedRuns: number;
  skippedRuns: number;
  successfulRuns: number;
  duration: Percentiles;
  lastRunAt: Date | null;
  /** Null if there are no runs, or while the latest run is in progress. */
  lastRunConclusion: string | null;
};

type Row = {
  workflowId: string;
  cost: Figure;
  /** Null if a filter matches only some of the jobs of a run. */
  runs: RunFigures | null;
  /** Null if waste was not requested, or the filters match only some of the workflow's jobs. */
  wasteNanos: Nanos | null;
};

export type WorkflowCosts = {
  period: Window;
  previousPeriod: Window | null;
  workflows: WorkflowNames;
  total: WorkflowFigures & { workflows: number };
  rows: (WorkflowFigures & Pick<Row, 'workflowId'>)[];
};

export type WorkflowFigures = Figures & Pick<Row, 'runs' | 'wasteNanos'>;

/**
 * A page of the workflows with costs in the current or the previous window, or with runs in the current one, and the
 * totals of all of them. `waste` is by whole workflow.
 */
export async function getWorkflowCosts(
  ctx: CostContext,
  question: WorkflowQuestion,
  waste: ReadonlyMap<string, Nanos> | null,
): Promise<WorkflowCosts> {
  const byWorkflow = { ...question, groupBy: ['workflowId'] as const };
  const { runs: runDays, rows, ...tests } = await readAll(ctx, byWorkflow);
  const { workflows } = rows;
  const costs = await sumGroups(byWorkflow, rows);
  const days = rows.days.filter(({ period }) => period === 'current').map(({ day }) => day);
  const runs = await runFiguresOf(runDays, tests.ofRuns, tests.ofJobs, {
    listed: new Set(groupsOf(costs.index).map(([id]) => id)),
    partial: partlyTaken(days, tests.ofRuns, tests.ofJobs),
  });
  const partial = waste && partlyTaken(days, [], [...tests.ofRuns, ...tests.ofJobs]);
  const listed = rowsOf(costs, runs.byWorkflow, (id) =>
    waste && !partial!.has(id) ? (waste.get(id) ?? 0n) : null,
  );
  const order = orderOf(question.sort, workflows);
  const page = listed.toSorted(order).slice(question.offset, question.offset + question.limit);
  const groupOf = new Map(groupsOf(costs.index).map(([id, group]) => [id, group]));
  const shown = page.flatMap(({ workflowId }) => groupOf.get(workflowId) ?? []);
  const figures = await showGroups(byWorkflow, rows, costs, shown);
  const figuresOf = new Map(figures.groups.map(({ values: [id], ...each }) => [id!, each]));
  const nothing = figures.total.series.map((point) => ({ ...point, value: 0n, previous: null }));
  return {
    period: question.window,
    previousPeriod: previousWindowOf(question),
    workflows,
    total: {
      ...figures.total,
      workflows: listed.length,
      runs: runs.total,
      wasteNanos: sumOrNull(listed.map(({ wasteNanos }) => wasteNanos)),
    },
    rows: page.map(({ cost, ...row }) => ({
      ...row,
      ...(figuresOf.get(row.workflowId) ?? { ...cost, series: nothing }),
    })),
  };
}

type WorkflowGroups = WorkflowQuestion & { groupBy: readonly ['workflowId'] };

const runColumns = ['workflowId', 'conclusion', 'durationMilliseconds', 'atMilliseconds'] as const;

async function readAll(ctx: CostContext, question: WorkflowGroups) {
  const { actor } = ctx;
  const { window, filters, ownersOn, search, status } = question;
  await makeColumns(ctx, actor.orgId, 'runs', [window]);
  const read = await readRows(ctx, [planOf(question)], async ({ tx, workflows }) => {
    const owners = await findOwners({ db: tx, actor }, [question], [window]);
    const isOfRuns = ({ dimension }: Filter) =>
      !ofJobsOnly.has(dimension) && !owners.get(dimension as OwnerDimension)?.readsLabels;
    const runFilters = filters.filter(isOfRuns);
    const ofRuns = { groupBy: question.groupBy, filters: runFilters, ownersOn, of: 'runs' as const };
    const runs = await planDays(
      tx,
      ctx,
      { rowKind: 'runs', questions: [ofRuns], windows: [window], columns: runColumns },
      workflows,
    );
    const runDays = await runs.read(tx, window);
    const only: RowTest[] = [];
    if (search !== undefined) only.push(testOfWorkflow((id) => isFound(search, textsOf(id, workflows))));
    if (status !== undefined) {
      const latest = await findLatestRuns(tx, actor.orgId, window, workflowIdsOf(runDays));
      only.push(testOfWorkflow((id) => hasStatus(status, latest.get(id))));
    }
    const testsOf = (some: readonly Filter[]) => some.map((filter) => testOf(filter, workflows));
    return {
      runs: runDays,
      only,
      ofRuns: [...testsOf(runFilters), ...only],
      ofJobs: testsOf(filters.filter((filter) => !isOfRuns(filter))),
    };
  });
  const { only, ...tests } = read.more;
  return { ...tests, rows: { ...read.rows[0]!, only } };
}

function testOfWorkflow(accepts: (id: string) => boolean): RowTest {
  return { dimension: 'workflowId', accepts: (id) => accepts(id!) };
}

function textsOf(id: string, workflows: WorkflowNames): [name: string, repository: string] {
  const { name = '', repository = '' } = workflows.get(id) ?? {};
  return [name, repository];
}

function groupsOf(index: GroupIndex): [id: string, group: number][] {
  return Array.from({ length: index.size }, (_, group) => [index.valuesOf(group)[0]!, group]);
}

function rowsOf(
  { index, amounts }: SummedGroups,
  runs: ReadonlyMap<string, RunFigures | null>,
  wasteOf: (id: string) => Nanos | null,
): Row[] {
  const costs = new Map(groupsOf(index).map(([id, group]) => [id, figureAt(amounts, group)]));
  const nothing: Figure = { value: 0n, previous: amounts.previous && 0n };
  return [...new Set([...costs.keys(), ...runs.keys()])].map((workflowId) => {
    const ofRuns = runs.get(workflowId);
    return {
      workflowId,
      cost: costs.get(workflowId) ?? nothing,
      runs: ofRuns === undefined ? noRuns : ofRuns,
      wasteNanos: wasteOf(workflowId),
    };
  });
}

const noRuns: RunFigures = {
  runs: 0,
  completedRuns: 0,
  skippedRuns: 0,
  successfulRuns: 0,
  duration: { p50: null, p95: null },
  lastRunAt: null,
  lastRunConclusion: null,
};

type Counts = Omit<RunFigures, 'duration' | 'lastRunAt'> & { lastRunMilliseconds: number };

type Workflows = { listed: ReadonlySet<string>; partial: ReadonlySet<string> };

/**
 * If there are tests of jobs, counts the listed workflows only. Figures are null for a workflow if the tests match
 * only some of its jobs.
 */
async function runFiguresOf(
  days: readonly DayRows[],
  tests: readonly RowTest[],
  ofJobs: readonly RowTest[],
  { listed, partial }: Workflows,
) {
  const isListed: RowTest = { dimension: 'workflowId', accepts: (id) => listed.has(id!) };
  const all = ofJobs.length === 0 ? tests : [...tests, isListed];
  const index = createGroupIndex(['workflowId']);
  const counts: Counts[] = [];
  const timed: { day: DayRows; groups: Int32Array }[] = [];
  for (const day of days) {
    addCounts(counts, day, index.groupsOf(day, passingRows(day, all)));
    timed.push({ day, groups: index.groupsOf(day, countedRows(day, all)) });
    await yieldToRequests();
  }
  const { percentiles } = await distributionOf(timed, index.size, 'durationMilliseconds');
  const figuresOf = ({ lastRunMilliseconds, ...each }: Counts, group: number): RunFigures => ({
    ...each,
    duration: percentiles[group]!,
    lastRunAt: lastRunMilliseconds < 0 ? null : new Date(lastRunMilliseconds),
  });
  const byWorkflow = new Map(
    groupsOf(index).map(([id, group]) => [id, partial.has(id) ? null : figuresOf(counts[group]!, group)]),
  );
  const isWhole = [...byWorkflow.values()].every((each) => each !== null);
  return {
    byWorkflow,
    total: isWhole ? figuresOf(counts.reduce(addUp, noCounts()), index.size) : null,
  };
}

function noCounts(): Counts {
  return {
    runs: 0,
    completedRuns: 0,
    skippedRuns: 0,
    successfulRuns: 0,
    lastRunMilliseconds: -1,
    lastRunConclusion: null,
  };
}

function addUp(a: Counts, b: Counts): Counts {
  return {
    runs: a.runs + b.runs,
    completedRuns: a.completedRuns + b.completedRuns,
    skippedRuns: a.skippedRuns + b.skippedRuns,
    successfulRuns: a.successfulRuns + b.successfulRuns,
    lastRunMilliseconds: Math.max(a.lastRunMilliseconds, b.lastRunMilliseconds),
    lastRunConclusion: (a.lastRunMilliseconds > b.lastRunMilliseconds ? a : b).lastRunConclusion,
  };
}

function addCounts(counts: Counts[], day: DayRows, groups: Int32Array): void {
  const [conclusions, instants] = [day.column('conclusion'), day.column('atMilliseconds')];
  const start = startOfDay(day.day).getTime();
  for (let row = 0; row < groups.length; row++) {
    const group = groups[row]!;
    if (group < 0) continue;
    while (counts.length <= group) counts.push(noCounts());
    const count = counts[group]!;
    const conclusion = conclusions.values[conclusions.codes[row]!];
    count.runs++;
    if (conclusion !== null) count.completedRuns++;
    if (conclusion === 'skipped') count.skippedRuns++;
    if (conclusion === 'success') count.successfulRuns++;
    const at = start + Number(instants.values[instants.codes[row]!]);
    if (at > count.lastRunMilliseconds) {
      count.lastRunMilliseconds = at;
      count.lastRunConclusion = conclusion ?? null;
    }
  }
}

/** The workflows with a job that passes `tests`, but not all of `further`. */
function partlyTaken(
  days: readonly DayRows[],
  tests: readonly RowTest[],
  further: readonly RowTest[],
): Set<string> {
  const partial = new Set<string>();
  if (further.length === 0) return partial;
  for (const day of days) {
    const [passing, taken] = [passingRows(day, tests), passingRows(day, further)];
    const { values, codes } = day.column('workflowId');
    const misses = new Uint8Array(values.length);
    for (let row = 0; row < passing.length; row++) if (passing[row] && !taken[row]) misses[codes[row]!] = 1;
    values.forEach((id, code) => misses[code] && partial.add(id!));
  }
  return partial;
}

function sumOrNull(amounts: readonly (Nanos | null)[]): Nanos | null {
  return amounts.reduce<Nanos | null>((sum, each) => (sum === null || each === null ? null : sum + each), 0n);
}

const valueOf: Record<Exclude<Column, 'name' | 'repository'>, (row: Row) => bigint | number | null> = {
  cost: ({ cost }) => cost.value,
  change: ({ cost }) => cost.value - (cost.previous ?? 0n),
  runs: ({ runs }) => runs && runs.runs,
  success_rate: ({ runs }) => runs && successRateOf(runs),
  duration_p50: ({ runs }) => runs && runs.duration.p50,
  duration_p95: ({ runs }) => runs && runs.duration.p95,
  waste: ({ wasteNanos }) => wasteNanos,
  last_run: ({ runs }) => runs?.lastRunAt?.getTime() ?? null,
};

/** The share of successes in completed runs that were not skipped. Null if there are none. */
export function successRateOf({ completedRuns, skippedRuns, successfulRuns }: RunFigures): number | null {
  if (completedRuns === skippedRuns) return null;
  return successRate({
    completedRuns: BigInt(completedRuns),
    skippedRuns: BigInt(skippedRuns),
    successfulRuns: BigInt(successfulRuns),
  });
}

/** Unknown values come last. Ties are in order of names. */
function orderOf(sort: WorkflowQuestion['sort'], workflows: WorkflowNames): Order<Row> {
  const isDown = sort.startsWith('-');
  const column = sort.replace(/^-/, '') as Column;
  const textOf = ({ workflowId }: Row, isByRepository: boolean) => {
    const [name, repository] = textsOf(workflowId, workflows);
    const texts = isByRepository ? [repository, name] : [name, repository];
    return [...texts.map((text) => text.toLowerCase()), workflowId].join('\0');
  };
  const byText = (isByRepository: boolean) => {
    const texts = new Map<Row, string>();
    const known = (row: Row) => getOrCreate(texts, row, () => textOf(row, isByRepository));
    return (a: Row, b: Row) => compare(known(a), known(b));
  };
  if (column === 'name' || column === 'repository') {
    const order = byText(column === 'repository');
    return isDown ? (a, b) => order(b, a) : order;
  }
  const byName = byText(false);
  const value = valueOf[column];
  return (a, b) => {
    const [first, second] = [value(a), value(b)];
    if (first === null || second === null)
      return Number(first === null) - Number(second === null) || byName(a, b);
    const order = first < second ? -1 : first > second ? 1 : 0;
    return (isDown ? -order : order) || byName(a, b);
  };
}
