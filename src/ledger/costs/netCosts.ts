import { setImmediate } from 'node:timers/promises';
import type { Context } from '../../context.ts';
import { inSnapshot, type Transaction } from '../../platform/db/database.ts';
import { windowBetween, type Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { deductedOn, findDeductions, type Deductions } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { netAmountsOf, netColumns } from './netAmounts.ts';
import { noOwners, withOwners } from './ownerColumns.ts';
import { makeColumns, readDays, type DayFacts, type Reader } from './readDays.ts';
import { amountsOf, createGroupIndex, createSums } from './sumRows.ts';

/** What is taken off the list cost of the window's days. */
export function deductedIn(deductions: Deductions, { start, end }: Window): Nanos {
  const days = [...deductions.keys()].filter((day) => start <= day && day <= end);
  return days.reduce((sum, day) => sum + deductedOn(deductions, day), 0n);
}

/**
 * What is taken off each workflow's list cost, with what else is to be read, from one snapshot. Reads columns only of
 * days on which something is taken off.
 */
export async function findDeductedByWorkflow<T>(
  reader: Reader & Pick<Context, 'providers'>,
  window: Window,
  readAlso: (tx: Transaction) => Promise<T>,
): Promise<{ also: T; deducted: ReadonlyMap<string, Nanos> }> {
  const { db, actor, providers } = reader;
  const expected = deductedWindow(await findDeductions(reader, window), window);
  if (expected) await makeColumns(reader, actor.orgId, 'jobs', [expected]);
  const found = await inSnapshot(db, async (tx) => {
    const deductions = await findDeductions({ db: tx, actor, providers }, window);
    const deducted = deductedWindow(deductions, window);
    const names = ['workflowId' as const, ...netColumns];
    return {
      deductions,
      days: deducted ? await readDays(tx, actor.orgId, { facts: 'jobs', names, window: deducted }) : [],
      also: await readAlso(tx),
    };
  });
  return { also: found.also, deducted: await sumDeducted(found, providers) };
}

/** From the first to the last day in the window on which something is taken off. */
function deductedWindow(deductions: Deductions, { start, end }: Window): Window | null {
  const days = [...deductions.keys()].filter((day) => start <= day && day <= end).toSorted();
  return days.length === 0 ? null : windowBetween(days[0]!, days.at(-1)!);
}

async function sumDeducted(
  { days, deductions }: { days: readonly DayFacts[]; deductions: Deductions },
  providers: Providers,
): Promise<Map<string, Nanos>> {
  const index = createGroupIndex(['workflowId']);
  const [list, net] = [createSums(), createSums()];
  for (const day of days) {
    const groups = index.groupsOf(withOwners(day, noOwners), new Uint8Array(day.rows).fill(1));
    list.add(groups, amountsOf(day, 'costNanos'));
    net.add(groups, netAmountsOf(day, deductions, providers));
    await setImmediate(); // Others are served between two days.
  }
  const nets = net.values();
  return new Map(list.values().map((nanos, group) => [index.valuesOf(group)[0]!, nanos - nets[group]!]));
}
