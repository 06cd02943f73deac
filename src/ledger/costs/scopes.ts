import type { Transaction } from '../../platform/db/database.ts';
import {
  addDays,
  covering,
  dayOf,
  daysOf,
  startOfDay,
  windowEnding,
  type Day,
  type Window,
} from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { Mapping } from '../ownership/owners.ts';
import { listMappings } from '../ownership/rules.ts';
import type { Providers } from '../pricing/provider.ts';
import type { ColumnName, PartOfDay } from './columns/dayColumns.queries.ts';
import { columnsToDerive, findActorKinds, withDerived, type Deriving } from './columns/derivedColumns.ts';
import { ownersFor } from './columns/ownerColumns.ts';
import { makeColumns, readDays, readParts, readRollups, type ColumnContext } from './columns/readDays.ts';
import { findFirstDay, type Grain, type RollupName } from './columns/rollups.queries.ts';
import {
  amountsOf,
  createGroupIndex,
  createSums,
  passingRows,
  type DayRows,
  type RowTest,
  type Values,
} from './columns/sumRows.ts';
import { countsTime, isJobMeasure, productOf, type CostMeasure, type JobMeasure } from './costMeasures.ts';
import { isOwnerDimension, isStoredDimension, type Dimension, type Filter } from './costQuestion.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import { readShares } from './includedProducts.ts';
import { columnsOfMeasure, readMeasure, type ReadMeasure } from './measures.ts';
import { prepareTime } from './timeUsed.ts';
import { findWorkflowNames } from './workflows.queries.ts';

/** A part of the organization's costs: the jobs that pass all filters. */
export type CostScope = readonly Filter[];

type Days = Pick<Window, 'start' | 'end'>;

/** Rollups have the workflow of a cost. Its branch and labels are only in the columns of the day. */
export function needsColumns(scope: CostScope): boolean {
  return scope.some(({ dimension }) => dimension !== 'repository' && dimension !== 'workflowId');
}

/** Call it before the transaction that reads the scopes, which then only rebuilds what has changed since. */
export async function prepareScopes(
  keeper: Pick<ColumnContext, 'db' | 'log'> & { providers: Providers },
  orgId: string,
  scopes: readonly CostScope[],
  days: Days,
): Promise<void> {
  if (scopes.some(needsColumns)) await makeColumns(keeper, orgId, 'jobs', [days]);
  else await prepareTime(keeper, orgId, [days]);
}

/** A scope and what to add up of it. */
export type Watched = { scope: CostScope; measure: CostMeasure };

export type WatchedJobs = Watched & { measure: JobMeasure };

export type CostHistory = {
  /** Has no entries for days without cost. In billionths of a dollar, or of a percent for included usage. */
  costs: ReadonlyMap<Day, Nanos>;
  /** The first day that was ever recorded. Of a part of the costs, the first of these days that cost something. */
  firstDay: Day | null;
};

/** Adds up data that was already read. It does not use the database, so it can run after the transaction. */
export type Sum<Of> = () => Promise<(of: Of) => CostHistory>;

export type OverTimeLimit = { jobs: number; costNanos: Nanos };

/** With `until`, the last day of each window counts only up to that time of day. No two windows share a day. */
type UseWindows = { windows: readonly Window[]; until: Date | null };

export type RunnerUse = Use & {
  workflowId: string;
  workflowName: string;
  repository: string;
  runnerKind: string;
};

export type ScopeReader = {
  /** The daily costs of each scope. The number of statements does not grow with the number of scopes. */
  costs: (watched: readonly Watched[], days: Days) => Promise<Sum<Watched>>;
  /** What each day had cost by the time of day of `at`. It reads individual jobs, so pass only a few days. */
  costsByTime: (scope: CostScope, days: readonly Day[], at: Date) => Promise<ReadonlyMap<Day, Nanos>>;
  /** The jobs that took longer than their provider lets jobs run. */
  overTimeLimit: (scope: CostScope, window: Window) => Promise<OverTimeLimit>;
  /** Usage by runner kind and workflow, once for each of the given windows. */
  use: (watched: WatchedJobs, asked: readonly UseWindows[]) => Promise<RunnerUse[][]>;
  /** The repositories with the largest shares of what the plan includes of the measure's product. */
  productUse: (measure: CostMeasure, window: Window) => Promise<{ repository: string; nanos: Nanos }[]>;
};

const useColumns = ['workflowId', 'runner', 'minutes'] as const;

/** Reads workflow names and ownership rules only once, for all scopes of the transaction. */
export function createScopeReader(tx: Transaction, orgId: string, providers: Providers): ScopeReader {
  let names: Promise<WorkflowNames> | null = null;
  let mappings: Promise<Mapping[]> | null = null;
  const source: Source = {
    tx,
    orgId,
    readMeasure: (measure, days) => readMeasure({ tx, orgId, providers }, measure, days),
    findNames: () => (names ??= findWorkflowNames(tx, orgId)),
    findMappings: () => (mappings ??= listMappings(tx, orgId)),
  };

  return {
    costs: async (watched, days) => {
      const distinct = new Map(watched.map((each) => [keyOf(each), each]));
      const read: { summed: SummedScope[]; rows: DayRows[] }[] = [];
      const ofJobs = [...distinct.values()].filter(isOfJobs);
      const isBilled = distinct.size > ofJobs.length;
      const shares = isBilled ? await readShares({ db: tx, orgId, providers }, days) : null;
      for (const same of Map.groupBy(ofJobs, (each) => grainOf(each, 'day')).values()) {
        const plan = await planRows(source, same, 'day', days);
        read.push({ summed: plan.summed, rows: await plan.read(days) });
      }
      const isWhole = watched.some(({ scope }) => scope.length === 0);
      const firstDay = isWhole ? await findFirstDay(tx, orgId) : null;
      return async () => {
        for (const { rows, summed } of read) await addCosts(rows, summed);
        const all = read.flatMap(({ summed }) => summed);
        const histories = new Map(all.map((each) => [keyOf(each), historyOf(each, firstDay)]));
        return (each) => {
          const product = productOf(each.measure);
          if (product === null) return histories.get(keyOf(each))!;
          return { costs: shares!.ofDays(product), firstDay: shares!.firstDay(product) };
        };
      };
    },
    costsByTime: async (scope, days, at) => {
      if (days.length === 0) return new Map();
      const within = covering(days.map((day) => ({ start: day, end: day })));
      const plan = await planRows(source, [atListPrice(scope)], 'day', within);
      await addCosts(await plan.readParts(days.map((day) => partUntil(day, at))), plan.summed);
      return plan.summed[0]!.sums;
    },
    overTimeLimit: async (scope, window) => {
      const plan = await planRows(source, [atListPrice(scope)], 'day', window);
      const rows = await plan.readParts(wholeDays(window), 'over_time_limit');
      const [sum] = await sumUse(rows, plan.summed[0]!, [], window.end);
      return { jobs: Number(sum?.jobs ?? 0n), costNanos: sum?.costNanos ?? 0n };
    },
    use: async (watched, asked) => {
      const days = covering(asked.flatMap(({ windows }) => windows));
      const plan = await planRows(source, [watched], 'workflow', days, useColumns);
      const uses: RunnerUse[][] = [];
      for (const { windows, parts } of asked.map(cutWindows)) {
        const rows = parts.length > 0 ? await plan.readParts(parts) : [];
        for (const window of windows) rows.push(...(await plan.read(window)));
        const { end } = windows.length > 0 ? covering(windows) : days;
        const sums = await sumUse(rows, plan.summed[0]!, ['workflowId', 'runner'], end);
        uses.push(sums.map((sum) => runnerUseOf(sum, plan.workflows)));
      }
      return uses;
    },
    productUse: async (measure, window) => {
      const shares = await readShares({ db: tx, orgId, providers }, window);
      return shares.repositories(productOf(measure)!);
    },
  };
}

export function isOfJobs(watched: Watched): watched is WatchedJobs {
  return isJobMeasure(watched.measure);
}

type SummedScope = WatchedJobs & { read: ReadMeasure; sums: Map<Day, bigint> } & ScopeTests;

/** `workflowIds` is null if the rows of all workflows are needed. */
type ScopeTests = { tests: readonly RowTest[]; workflowIds: readonly string[] | null };

function keyOf({ scope, measure }: Watched): string {
  return JSON.stringify([measure, scope]);
}

function atListPrice(scope: CostScope): WatchedJobs {
  return { scope, measure: 'list_cost' };
}

/** The coarsest rollup that answers; null if only single jobs do. `coarsest` is what the question allows. */
function grainOf({ scope, measure }: WatchedJobs, coarsest: Grain): Grain | null {
  if (needsColumns(scope) || countsTime(measure)) return null;
  return scope.length === 0 ? coarsest : 'workflow';
}

/** In rollups, a cost has the repository of its workflow. */
export function testsOf(scope: CostScope, grain: Grain | null, workflows: WorkflowNames): ScopeTests {
  const tests = scope.map((filter) => testOf(filter, workflows));
  if (grain === null || scope.length === 0) return { tests, workflowIds: null };
  const isOfScope = ([workflowId, { repository }]: [string, { repository: string }]) =>
    tests.every(({ dimension, accepts }) => accepts(dimension === 'repository' ? repository : workflowId));
  const ids = new Set([...workflows].filter(isOfScope).map(([id]) => id));
  return { tests: [{ dimension: 'workflowId', accepts: (id) => ids.has(id!) }], workflowIds: [...ids] };
}

function historyOf({ scope, read, sums }: SummedScope, firstDay: Day | null): CostHistory {
  const costs = read.ofDays(sums);
  return { costs, firstDay: scope.length === 0 ? firstDay : ([...costs.keys()].toSorted()[0] ?? null) };
}

type Source = {
  tx: Transaction;
  orgId: string;
  readMeasure: (measure: JobMeasure, days: Days) => Promise<ReadMeasure>;
  findNames: () => Promise<WorkflowNames>;
  findMappings: () => Promise<Mapping[]>;
};

/** How to read the rows that scopes of the same grain add up. */
async function planRows(
  source: Source,
  watched: readonly WatchedJobs[],
  coarsest: Grain,
  days: Days,
  more: readonly (ColumnName & RollupName)[] = [],
) {
  const { tx, orgId, findNames, findMappings } = source;
  const grain = grainOf(watched[0]!, coarsest);
  const workflows: WorkflowNames = grain === 'day' ? new Map() : await findNames();
  const measures = [...new Set(watched.map(({ measure }) => measure))];
  const read = new Map<JobMeasure, ReadMeasure>();
  for (const measure of measures) read.set(measure, await source.readMeasure(measure, days));
  const summed = watched.map((each): SummedScope => ({
    ...each,
    read: read.get(each.measure)!,
    sums: new Map(),
    ...testsOf(each.scope, grain, workflows),
  }));
  const tested = [...new Set(summed.flatMap(({ tests }) => tests.map(({ dimension }) => dimension)))];
  const owned = tested.filter(isOwnerDimension);
  const deriving: Deriving = {
    owners: owned.length > 0 ? ownersFor(owned, await findMappings(), days) : new Map(),
    actorKinds: await findActorKinds(tx, orgId, tested),
  };
  const stored = tested.filter(isStoredDimension);
  const columns = measures.flatMap((measure) => columnsOfMeasure(measure, { isSummed: grain !== null }));
  const names = [...new Set([...stored, ...columnsToDerive(deriving), ...columns, ...more])];
  const ids = summed.flatMap(({ workflowIds }) => workflowIds ?? []);
  // A net cost depends on the other workflows of its day.
  const isOfSome = grain === 'workflow' && watched[0]!.scope.length > 0 && !read.has('net_cost');
  const workflowIds = isOfSome ? [...new Set(ids)] : null;
  const withRules = (rows: Parameters<typeof withDerived>[0]) =>
    withDerived(rows, { ...deriving, workflows, on: undefined });
  return {
    summed,
    workflows,
    read: async (window: Days): Promise<DayRows[]> => {
      if (!grain) {
        const ofDays = names as ColumnName[];
        return (await readDays(tx, orgId, { rowKind: 'jobs', names: ofDays, window })).map(withRules);
      }
      const ofRollups = names as RollupName[];
      return readRollups(tx, orgId, { rowKind: 'jobs', grain, names: ofRollups, workflowIds, window });
    },
    readParts: async (parts: readonly PartOfDay[], which?: 'over_time_limit'): Promise<DayRows[]> =>
      (await readParts(tx, orgId, { parts, names: names as ColumnName[], which })).map(withRules),
  };
}

async function addCosts(days: readonly DayRows[], scopes: readonly SummedScope[]): Promise<void> {
  const ofDimensions = Map.groupBy(scopes, ({ measure, tests }) =>
    [measure, ...tests.map(({ dimension }) => dimension)].join(),
  );
  const adders = [...ofDimensions.values()].map(createAdder);
  for (const day of days) {
    for (const addDay of adders) addDay(day);
    await yieldToRequests();
  }
}

/**
 * Adds days to scopes of one measure that filter the same dimensions. It tests each group of equal values once and sums up its rows
 * by the set of scopes that accept them, so 500 scopes take little longer than one.
 */
function createAdder(scopes: readonly SummedScope[]): (day: DayRows) => void {
  const dimensions = scopes[0]!.tests.map(({ dimension }) => dimension);
  const index = createGroupIndex(dimensions);
  const sets: SummedScope[][] = [];
  const numbers = new Map<string, number>();
  const setOfGroup: number[] = [];

  function setOf(group: number): number {
    const values = index.valuesOf(group);
    const accepting = scopes.filter(({ tests }) =>
      tests.every(({ accepts }, place) => accepts(values[place]!)),
    );
    if (accepting.length === 0) return -1;
    const key = accepting.map((scope) => scopes.indexOf(scope)).join();
    if (!numbers.has(key)) numbers.set(key, sets.push(accepting) - 1);
    return numbers.get(key)!;
  }

  return (day) => {
    const groups = index.groupsOf(day, passingRows(day, []));
    while (setOfGroup.length < index.size) setOfGroup.push(setOf(setOfGroup.length));
    const sums = scopes[0]!.read.createSums();
    sums.add(
      day,
      groups.map((group) => setOfGroup[group]!),
    );
    for (const [set, amount] of sums.values().entries()) {
      if (amount === 0n) continue;
      for (const { sums: ofScope } of sets[set]!) ofScope.set(day.day, (ofScope.get(day.day) ?? 0n) + amount);
    }
  };
}

type Use = { jobs: bigint; minutes: bigint; costNanos: bigint };

async function sumUse(
  days: readonly DayRows[],
  { tests, read }: SummedScope,
  dimensions: readonly Dimension[],
  lastDay: Day,
): Promise<(Use & { values: Values })[]> {
  const index = createGroupIndex(dimensions);
  const sums = { jobs: createSums(), minutes: createSums(), costs: read.createSums() };
  for (const day of days) {
    const groups = index.groupsOf(day, passingRows(day, tests));
    sums.jobs.add(groups, amountsOf(day, null));
    sums.minutes.add(groups, amountsOf(day, 'minutes'));
    sums.costs.add(day, groups);
    await yieldToRequests();
  }
  const [minutes, costs] = [sums.minutes.values(), read.ofParts(sums.costs.values(), lastDay)];
  return sums.jobs.values().map((jobs, group) => ({
    values: index.valuesOf(group),
    jobs,
    minutes: minutes[group]!,
    costNanos: costs[group] ?? 0n,
  }));
}

function runnerUseOf({ values, ...use }: Use & { values: Values }, workflows: WorkflowNames): RunnerUse {
  const [workflowId, runner] = values as [string, string | null];
  const { name: workflowName, repository } = workflows.get(workflowId)!;
  return { workflowId, workflowName, repository, runnerKind: runner ?? 'unpriced', ...use };
}

function cutWindows({ windows, until }: UseWindows): { windows: readonly Window[]; parts: PartOfDay[] } {
  if (until === null) return { windows, parts: [] };
  return {
    windows: windows
      .filter(({ days }) => days > 1)
      .map(({ end, days }) => windowEnding(addDays(end, -1), days - 1)),
    parts: windows.map(({ end }) => partUntil(end, until)),
  };
}

function wholeDays(window: Window): PartOfDay[] {
  const lastInstantOf = (day: Day) => new Date(startOfDay(addDays(day, 1)).getTime() - 1);
  return daysOf(window).map((day) => ({ day, until: lastInstantOf(day) }));
}

function partUntil(day: Day, at: Date): PartOfDay {
  const sinceMidnight = at.getTime() - startOfDay(dayOf(at)).getTime();
  return { day, until: new Date(startOfDay(day).getTime() + sinceMidnight) };
}
