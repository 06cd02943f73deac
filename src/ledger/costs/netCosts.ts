import type { Context } from '../../context.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { yieldToRequests } from '../../platform/lib/turns.ts';
import {
  chargeOf,
  deductedOn,
  deductedUpTo,
  findDeductions,
  type ChargeSums,
  type Deduction,
  type Deductions,
} from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { findChargedWorkflows, findDayVersions, type ChargedWorkflows } from './queries.ts';

type NetContext = Pick<Context, 'db' | 'actor' | 'providers'>;

export function deductedIn(deductions: Deductions, window: Window): Nanos {
  return daysWithin(deductions, window).reduce((sum, day) => sum + deductedOn(deductions, day), 0n);
}

function daysWithin(deductions: Deductions, { start, end }: Window): Day[] {
  return [...deductions.keys()].filter((day) => start <= day && day <= end);
}

/**
 * The total deductions of these workflows. `netAmountsOf` goes through a day's jobs in order of their workflows,
 * so sums by workflow are enough here. Call it within a snapshot.
 */
export async function findDeductedByWorkflow(
  { db, actor, providers }: NetContext,
  window: Window,
  workflowIds: readonly string[],
): Promise<ReadonlyMap<string, Nanos>> {
  const deductions = await findDeductions({ db, actor, providers }, window);
  const days = daysWithin(deductions, window);
  const deducted = new Map(workflowIds.map((id) => [id, 0n]));
  if (days.length === 0 || workflowIds.length === 0) return deducted;
  for await (const { day, charges } of readCharges({ db, actor, providers }, days)) {
    for (const [provider, deduction] of deductions.get(day)!) {
      const ofProvider = charges.get(provider);
      if (!ofProvider) continue;
      for (const id of workflowIds)
        deducted.set(id, deducted.get(id)! + deductedOf(id, ofProvider, deduction));
    }
    await yieldToRequests();
  }
  return deducted;
}

/** Running totals of the workflows of a day, in order of their ids. The first entry of each total is 0. */
type ChargesUpTo = { ids: string[]; sums: Record<keyof ChargeSums, BigInt64Array> };

type DayCharges = ReadonlyMap<string, ChargesUpTo>;

function deductedOf(id: string, { ids, sums }: ChargesUpTo, deduction: Deduction): Nanos {
  let [low, high] = [0, ids.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ids[middle]! < id) low = middle + 1;
    else high = middle;
  }
  if (ids[low] !== id) return 0n;
  const upTo = (index: number) =>
    deductedUpTo(
      { free: sums.free[index]!, included: sums.included[index]!, charged: sums.charged[index]! },
      deduction,
    );
  return upTo(low + 1) - upTo(low);
}

/** An LRU cache by version of the day, because most days never change again. The most recently used entry is last. */
const kept = new Map<string, DayCharges>();
/** Each workflow takes about 60 bytes: an id and three sums. */
const maxWorkflowsKept = 500_000;
let workflowsKept = 0;

function keep(key: string, charges: DayCharges): void {
  drop(key);
  kept.set(key, charges);
  workflowsKept += sizeOf(charges);
  for (const oldest of kept.keys()) {
    if (workflowsKept <= maxWorkflowsKept) break;
    drop(oldest);
  }
}

function drop(key: string): void {
  const charges = kept.get(key);
  if (charges && kept.delete(key)) workflowsKept -= sizeOf(charges);
}

function sizeOf(charges: DayCharges): number {
  return [...charges.values()].reduce((size, { ids }) => size + ids.length, 1);
}

/** Few days at once, because a large organization has thousands of workflows a day. */
const maxDaysRead = 30;

async function* readCharges(
  { db, actor, providers }: NetContext,
  days: readonly Day[],
): AsyncGenerator<{ day: Day; charges: DayCharges }> {
  const changed: { day: Day; key: string }[] = [];
  for (const [day, version] of await findDayVersions(db, actor.orgId, days)) {
    const key = `${version} ${day}`;
    const charges = kept.get(key);
    if (charges) {
      keep(key, charges);
      yield { day, charges };
    } else changed.push({ day, key });
  }
  for (let start = 0; start < changed.length; start += maxDaysRead) {
    const read = changed.slice(start, start + maxDaysRead);
    const found = await findChargedWorkflows(
      db,
      actor.orgId,
      read.map(({ day }) => day),
    );
    const ofDay = Map.groupBy(found, ({ day }) => day);
    for (const { day, key } of read) {
      const charges = addUp(ofDay.get(day) ?? [], providers);
      keep(key, charges);
      yield { day, charges };
    }
  }
}

function addUp(charged: readonly ChargedWorkflows[], providers: Providers): DayCharges {
  const byProvider = new Map<string, Map<string, ChargeSums>>();
  for (const { workflowIds, costs, ...kind } of charged) {
    const charge = chargeOf(kind, providers);
    if (!charge) continue;
    const workflows = byProvider.get(charge.provider) ?? new Map<string, ChargeSums>();
    byProvider.set(charge.provider, workflows);
    for (const [index, id] of workflowIds.entries()) {
      const sums = workflows.get(id) ?? { free: 0n, included: 0n, charged: 0n };
      sums[charge.class] += BigInt(costs[index]!);
      workflows.set(id, sums);
    }
  }
  return new Map([...byProvider].map(([provider, workflows]) => [provider, inOrder(workflows)]));
}

function inOrder(workflows: ReadonlyMap<string, ChargeSums>): ChargesUpTo {
  const ids = [...workflows.keys()].toSorted();
  const sumsOf = (name: keyof ChargeSums) => {
    const sums = new BigInt64Array(ids.length + 1);
    for (const [index, id] of ids.entries()) sums[index + 1] = sums[index]! + workflows.get(id)![name];
    return sums;
  };
  return { ids, sums: { free: sumsOf('free'), included: sumsOf('included'), charged: sumsOf('charged') } };
}
