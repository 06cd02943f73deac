import type { Transaction } from '../../platform/db/database.ts';
import { addDays, sliceOfDays, type Day } from '../../platform/lib/days.ts';
import { isFreeRun } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { measureNames, unpricedRunner } from './contributions.ts';
import {
  findExtent,
  findRemovedDays,
  findRollupRows,
  sumJobs,
  sumRuns,
  sumUnpricedJobs,
  type RollupName,
} from './verification.queries.ts';

type Difference = {
  table: string;
  day: Day;
  of: string;
  measure: string;
  stored: bigint;
  summed: bigint;
};

const amounts = ['jobs', 'minutes', 'costNanos'];

const rollups: Record<RollupName, { keys: string[]; measures: readonly string[] }> = {
  organizationDays: { keys: ['day'], measures: measureNames },
  workflowDays: { keys: ['day', 'workflowId'], measures: measureNames },
  runnerDays: { keys: ['day', 'workflowId', 'provider', 'runnerKind', 'isFree'], measures: amounts },
  chargeDays: { keys: ['day', 'provider', 'runnerKind', 'isFree'], measures: amounts },
  unpricedDays: { keys: ['day', 'runner'], measures: ['jobs', 'minutes'] },
};

const names = Object.keys(rollups) as RollupName[];
const daysAtOnce = 31;

/** Days from which retention removed rows cannot be compared, because their sums stay. */
type Verified = { days: number; removedDays: number; differences: Difference[]; jobsWithoutRun: bigint };

/** Sums up an organization's runs and jobs again, a month at a time, and compares the sums with every rollup. */
export async function verifyRollups(
  tx: Transaction,
  orgId: string,
  { providers, report }: { providers: Providers; report: (days: number) => void },
): Promise<Verified> {
  const extent = await findExtent(tx, orgId);
  const verified: Verified = { days: 0, removedDays: 0, differences: [], jobsWithoutRun: 0n };
  if (!extent) return verified;
  for (let { first } = extent; first <= extent.last; first = addDays(first, daysAtOnce)) {
    const last = addDays(first, daysAtOnce - 1);
    const { sums, jobsWithoutRun } = await addUp(tx, orgId, { first, last }, providers);
    verified.jobsWithoutRun += jobsWithoutRun;
    const removed = new Set(await findRemovedDays(tx, orgId, { first, last }));
    verified.removedDays += removed.size;
    for (const name of names) {
      for (const row of await findRollupRows(tx, name, orgId, { first, last })) sums[name].addStored(row);
      verified.differences.push(...sums[name].differences().filter(({ day }) => !removed.has(day)));
    }
    verified.days += sums.organizationDays.size();
    report(verified.days);
  }
  return verified;
}

type Row = Record<string, unknown>;
type Pair = { key: Row; stored: Map<string, bigint>; summed: Map<string, bigint> };

class Comparison {
  readonly #name: RollupName;
  readonly #pairs = new Map<string, Pair>();

  constructor(name: RollupName) {
    this.#name = name;
  }

  addStored(row: Row): void {
    this.#add(row, 'stored');
  }

  addSummed(row: Row): void {
    this.#add(row, 'summed');
  }

  size(): number {
    return this.#pairs.size;
  }

  #add(row: Row, side: 'stored' | 'summed'): void {
    const { keys, measures } = rollups[this.#name];
    const key = Object.fromEntries(keys.map((name) => [name, row[name]]));
    const text = JSON.stringify(key);
    const pair = this.#pairs.get(text) ?? { key, stored: new Map(), summed: new Map() };
    this.#pairs.set(text, pair);
    for (const name of measures) {
      const value = (row[name] as bigint | undefined) ?? 0n;
      pair[side].set(name, (pair[side].get(name) ?? 0n) + value);
    }
  }

  differences(): Difference[] {
    const table = this.#name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return [...this.#pairs.values()].flatMap(({ key, stored, summed }) => {
      const { day, ...of } = key;
      return rollups[this.#name].measures
        .map((measure) => ({
          table,
          day: day as Day,
          of: Object.values(of).join(' '),
          measure,
          stored: stored.get(measure) ?? 0n,
          summed: summed.get(measure) ?? 0n,
        }))
        .filter((each) => each.stored !== each.summed);
    });
  }
}

type Sums = Record<RollupName, Comparison>;

async function addUp(
  tx: Transaction,
  orgId: string,
  { first, last }: { first: Day; last: Day },
  providers: Providers,
): Promise<{ sums: Sums; jobsWithoutRun: bigint }> {
  const slice = sliceOfDays(first, last);
  const sums = Object.fromEntries(names.map((name) => [name, new Comparison(name)])) as Sums;
  let jobsWithoutRun = 0n;
  for (const run of await sumRuns(tx, orgId, slice)) {
    sums.workflowDays.addSummed(run);
    sums.organizationDays.addSummed(run);
  }
  for (const group of await sumJobs(tx, orgId, slice)) {
    const { workflowId, provider, minutes, isUnpriced } = group;
    if (workflowId === null || provider === null) {
      jobsWithoutRun += group.jobs;
      continue;
    }
    const day = { ...group, billedMinutes: minutes, unpricedMinutes: isUnpriced ? minutes : 0n };
    sums.workflowDays.addSummed(day);
    sums.organizationDays.addSummed(day);
    const isFree = isFreeRun({ ...group, provider }, group.day, providers);
    const runner = { ...group, isFree };
    sums.runnerDays.addSummed(runner);
    sums.chargeDays.addSummed(runner);
  }
  for (const group of await sumUnpricedJobs(tx, orgId, slice)) {
    sums.unpricedDays.addSummed({ ...group, runner: unpricedRunner(group).runner });
  }
  return { sums, jobsWithoutRun };
}
