import type { Transaction } from '../../platform/db/database.ts';
import { covering, type Day, type Window } from '../../platform/lib/days.ts';
import { getOrCreate, sumOf } from '../../platform/lib/lists.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import type { Mapping } from '../ownership/owners.ts';
import { listMappings } from '../ownership/rules.ts';
import { labelsIn, type ColumnName } from './columns/dayColumns.queries.ts';
import { columnsForOwners, ownersFor, withOwners, type OwnersOf } from './columns/ownerColumns.ts';
import { makeColumns, readDays, type Reader } from './columns/readDays.ts';
import {
  amountsOf,
  createGroupIndex,
  createSums,
  passingRows,
  type DayFacts,
  type RowTest,
} from './columns/sumRows.ts';
import { isOwnerDimension, type Dimension, type Filter } from './costQuestion.ts';
import { testOf, type WorkflowNames } from './filters.ts';
import {
  cutWindows,
  getRunnerUse,
  partUntil,
  wholeDays,
  type CostHistory,
  type UseWindows,
} from './overview.ts';
import { findPartUse, findWorkflowCosts, type PartOfDay, type PartUse, type RunnerUse } from './queries.ts';
import { findWorkflowNames } from './workflows.queries.ts';

export type { RunnerUse };

/** A part of the organization's costs: the jobs that pass all filters. */
export type CostScope = readonly Filter[];

type Days = Pick<Window, 'start' | 'end'>;

/** Rollups have the workflow of a cost. Its branch and labels are only in the columns of the day. */
export function needsColumns(scope: CostScope): boolean {
  return scope.some(({ dimension }) => dimension !== 'repository' && dimension !== 'workflowId');
}

/** Call it before the transaction that reads the scopes, which then only rebuilds what has changed since. */
export async function prepareScopes(
  keeper: Pick<Reader, 'db' | 'log'>,
  orgId: string,
  scopes: readonly CostScope[],
  days: Days,
): Promise<void> {
  if (scopes.some(needsColumns)) await makeColumns(keeper, orgId, 'jobs', [days]);
}

/** Adds up data that was already read. It does not use the database, so it can run after the transaction. */
export type Sum<Of> = () => Promise<(of: Of) => CostHistory>;

export type OverTimeLimit = { jobs: number; costNanos: Nanos };

export type ScopeReader = {
  /**
   * The daily costs of each scope. `firstDay` is the first of these days that cost something. The number of
   * statements does not grow with the number of scopes.
   */
  costs: (scopes: readonly CostScope[], days: Days) => Promise<Sum<CostScope>>;
  /** What each day had cost by the time of day of `at`. It reads individual jobs, so pass only a few days. */
  costsByTime: (scope: CostScope, days: readonly Day[], at: Date) => Promise<ReadonlyMap<Day, Nanos>>;
  /** The jobs that took longer than their provider lets jobs run. */
  overTimeLimit: (scope: CostScope, window: Window) => Promise<OverTimeLimit>;
  /** Usage by runner kind and workflow, once for each of the given windows. */
  use: (scope: CostScope, asked: readonly UseWindows[]) => Promise<RunnerUse[][]>;
};

/** Reads workflow names and ownership rules only once, for all scopes of the transaction. */
export function createScopeReader(tx: Transaction, orgId: string): ScopeReader {
  let names: Promise<WorkflowNames> | null = null;
  const findNames = () => (names ??= findWorkflowNames(tx, orgId));
  let mappings: Promise<Mapping[]> | null = null;
  const findOwners = async (tests: readonly RowTest[], days: Days): Promise<OwnersOf> => {
    const owned = [...new Set(tests.map(({ dimension }) => dimension).filter(isOwnerDimension))];
    return owned.length === 0
      ? new Map()
      : ownersFor(owned, await (mappings ??= listMappings(tx, orgId)), days);
  };

  return {
    costs: async (scopes, days) => {
      const summed = new Map<string, SummedScope>();
      let read: DayFacts[] = [];
      const workflows: WorkflowNames = scopes.length > 0 ? await findNames() : new Map();
      for (const scope of scopes) {
        summed.set(keyOf(scope), { scope, tests: testsOf(scope, workflows), costs: new Map() });
      }
      const [byColumns, byWorkflow] = partition([...summed.values()], ({ scope }) => needsColumns(scope));
      if (byWorkflow.length > 0) await addByWorkflow(tx, orgId, { scopes: byWorkflow, days, workflows });
      if (byColumns.length > 0) {
        const tests = byColumns.flatMap((scope) => scope.tests);
        const source = { tx, orgId, workflows, owners: await findOwners(tests, days) };
        read = await readFacts(source, tests, ['costNanos'], days);
      }
      return async () => {
        await addByColumns(read, byColumns);
        return (scope) => historyOf(summed.get(keyOf(scope))!);
      };
    },
    costsByTime: async (scope, days, at) => {
      const costs = new Map<Day, Nanos>();
      if (days.length === 0) return costs;
      const workflows = await findNames();
      const tests = testsOf(scope, workflows);
      const owners = await findOwners(tests, covering(days.map((day) => ({ start: day, end: day }))));
      const parts = days.map((day) => partUntil(day, at));
      for (const { day, costNanos } of await findUseIn({ tx, orgId, workflows, owners }, parts, tests)) {
        costs.set(day, (costs.get(day) ?? 0n) + costNanos);
      }
      return costs;
    },
    overTimeLimit: async (scope, window) => {
      const workflows = await findNames();
      const tests = testsOf(scope, workflows);
      const owners = await findOwners(tests, window);
      const source = { tx, orgId, workflows, owners };
      const uses = await findUseIn(source, wholeDays(window), tests, 'over_time_limit');
      return { jobs: Number(sumOf(uses, 'jobs')), costNanos: sumOf(uses, 'costNanos') };
    },
    use: async (scope, asked) => {
      const workflows = await findNames();
      const tests = testsOf(scope, workflows);
      if (needsColumns(scope)) {
        const days = covering(asked.flatMap(({ windows }) => windows));
        const owners = await findOwners(tests, days);
        return readUse({ tx, orgId, workflows, owners }, { tests, asked, days });
      }
      const ids = workflowsIn(tests, workflows);
      const uses: RunnerUse[][] = [];
      for (const windows of asked) uses.push(await getRunnerUse(tx, orgId, windows, ids));
      return uses;
    },
  };
}

type SummedScope = { scope: CostScope; tests: RowTest[]; costs: Map<Day, Nanos> };

function keyOf(scope: CostScope): string {
  return JSON.stringify(scope);
}

function testsOf(scope: CostScope, workflows: WorkflowNames): RowTest[] {
  return scope.map((filter) => testOf(filter, workflows));
}

type Facts = { [Name in Dimension]?: string | null };

function passes(tests: readonly RowTest[], facts: Facts): boolean {
  return tests.every(({ dimension, accepts }) => accepts(facts[dimension]!));
}

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [T[], T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

function historyOf({ costs }: SummedScope): CostHistory {
  return { costs, firstDay: [...costs.keys()].toSorted()[0] ?? null };
}

function addCost({ costs }: SummedScope, day: Day, nanos: Nanos): void {
  costs.set(day, (costs.get(day) ?? 0n) + nanos);
}

function workflowsIn(tests: readonly RowTest[], workflows: WorkflowNames): string[] {
  const ofScope = [...workflows].filter(([workflowId, { repository }]) =>
    passes(tests, { workflowId, repository }),
  );
  return ofScope.map(([id]) => id);
}

async function addByWorkflow(
  tx: Transaction,
  orgId: string,
  { scopes, days, workflows }: { scopes: readonly SummedScope[]; days: Days; workflows: WorkflowNames },
): Promise<void> {
  const scopesOf = new Map<string, SummedScope[]>();
  for (const scope of scopes) {
    for (const id of workflowsIn(scope.tests, workflows)) {
      getOrCreate(scopesOf, id, () => []).push(scope);
    }
  }
  for (const { workflowId, day, costNanos } of await findWorkflowCosts(
    tx,
    orgId,
    [...scopesOf.keys()],
    days,
  )) {
    for (const scope of scopesOf.get(workflowId)!) addCost(scope, day, costNanos);
  }
}

type Source = { tx: Transaction; orgId: string; workflows: WorkflowNames; owners: OwnersOf };

async function readFacts(
  { tx, orgId, workflows, owners }: Source,
  tests: readonly RowTest[],
  names: readonly ColumnName[],
  window: Days,
): Promise<DayFacts[]> {
  const tested = tests.map(({ dimension }) => dimension).filter((name) => !isOwnerDimension(name));
  const all = new Set([...(tested as ColumnName[]), ...columnsForOwners(owners), ...names]);
  const days = await readDays(tx, orgId, { facts: 'jobs', names: [...all], window });
  return days.map((day) => withOwners(day, { owners, workflows, on: undefined }));
}

async function addByColumns(days: readonly DayFacts[], scopes: readonly SummedScope[]): Promise<void> {
  const ofDimensions = Map.groupBy(scopes, ({ tests }) => tests.map(({ dimension }) => dimension).join());
  const adders = [...ofDimensions.values()].map(createAdder);
  for (const day of days) {
    for (const addDay of adders) addDay(day);
    await yieldToRequests();
  }
}

/**
 * Adds days to scopes that filter the same dimensions. It tests each group of equal values once and sums up its rows
 * by the set of scopes that accept them, so 500 scopes take little longer than one.
 */
function createAdder(scopes: readonly SummedScope[]): (day: DayFacts) => void {
  const dimensions = scopes[0]!.tests.map(({ dimension }) => dimension);
  const index = createGroupIndex(dimensions);
  const sets: SummedScope[][] = [];
  const numbers = new Map<string, number>();
  const setOfGroup: number[] = [];

  function setOf(group: number): number {
    const values = index.valuesOf(group);
    const facts: Facts = Object.fromEntries(
      dimensions.map((dimension, place) => [dimension, values[place]!]),
    );
    const accepting = scopes.filter(({ tests }) => passes(tests, facts));
    if (accepting.length === 0) return -1;
    const key = accepting.map((scope) => scopes.indexOf(scope)).join();
    if (!numbers.has(key)) numbers.set(key, sets.push(accepting) - 1);
    return numbers.get(key)!;
  }

  return (day) => {
    const groups = index.groupsOf(day, passingRows(day, []));
    while (setOfGroup.length < index.size) setOfGroup.push(setOf(setOfGroup.length));
    const sums = createSums();
    sums.add(
      groups.map((group) => setOfGroup[group]!),
      amountsOf(day, 'costNanos'),
    );
    for (const [set, nanos] of sums.values().entries()) {
      if (nanos > 0n) for (const scope of sets[set]!) addCost(scope, day.day, nanos);
    }
  };
}

type AskedUse = { tests: readonly RowTest[]; asked: readonly UseWindows[]; days: Days };

async function readUse(source: Source, { tests, asked, days }: AskedUse): Promise<RunnerUse[][]> {
  const read = await readFacts(source, tests, ['workflowId', 'runner', 'costNanos', 'minutes'], days);
  const uses: RunnerUse[][] = [];
  for (const { windows, parts } of asked.map(cutWindows)) {
    const within = read.filter(({ day }) => windows.some(({ start, end }) => start <= day && day <= end));
    const whole = await useOfDays(within, tests);
    const ofParts = parts.length === 0 ? [] : await findUseIn(source, parts, tests);
    uses.push(together([...whole, ...ofParts], source.workflows));
  }
  return uses;
}

async function findUseIn(
  { tx, orgId, workflows, owners }: Source,
  parts: readonly PartOfDay[],
  tests: readonly RowTest[],
  which?: 'over_time_limit',
): Promise<PartUse[]> {
  const uses = await findPartUse(tx, orgId, parts, which);
  return uses.filter((use) => {
    const owned = {
      ...use,
      workflowName: workflows.get(use.workflowId)?.name ?? use.workflowId,
      labels: labelsIn(use.label),
    };
    const ofOwners = Object.fromEntries([...owners].map(([name, { of }]) => [name, of(owned)]));
    return passes(tests, { ...use, ...ofOwners });
  });
}

type Use = Pick<PartUse, 'workflowId' | 'runnerKind' | 'jobs' | 'minutes' | 'costNanos'>;

async function useOfDays(days: readonly DayFacts[], tests: readonly RowTest[]): Promise<Use[]> {
  const index = createGroupIndex(['workflowId', 'runner']);
  const [jobs, minutes, costs] = [createSums(), createSums(), createSums()];
  for (const day of days) {
    const groups = index.groupsOf(day, passingRows(day, tests));
    jobs.add(groups, null);
    minutes.add(groups, amountsOf(day, 'minutes'));
    costs.add(groups, amountsOf(day, 'costNanos'));
    await yieldToRequests();
  }
  const [minuteSums, costSums] = [minutes.values(), costs.values()];
  return jobs.values().map((count, group) => {
    const [workflowId, runner] = index.valuesOf(group);
    const sums = { jobs: count, minutes: minuteSums[group]!, costNanos: costSums[group]! };
    return { workflowId: workflowId!, runnerKind: runner ?? 'unpriced', ...sums };
  });
}

function together(uses: readonly Use[], workflows: WorkflowNames): RunnerUse[] {
  const sums = new Map<string, RunnerUse>();
  for (const { workflowId, runnerKind, jobs, minutes, costNanos } of uses) {
    const key = `${workflowId} ${runnerKind}`;
    const { name: workflowName, repository } = workflows.get(workflowId)!;
    const sum = sums.get(key) ?? { workflowId, workflowName, repository, runnerKind, ...nothing };
    sums.set(key, {
      ...sum,
      jobs: sum.jobs + jobs,
      minutes: sum.minutes + minutes,
      costNanos: sum.costNanos + costNanos,
    });
  }
  return [...sums.values()];
}

const nothing = { jobs: 0n, minutes: 0n, costNanos: 0n };
