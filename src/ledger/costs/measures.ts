import type { Transaction } from '../../platform/db/database.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import type { Nanos } from '../../platform/lib/money.ts';
import { findDeductions } from '../pricing/netCost.ts';
import type { Providers } from '../pricing/provider.ts';
import { listTerms } from '../pricing/terms.ts';
import type { ColumnName } from './columns/dayColumns.queries.ts';
import type { RollupName } from './columns/rollups.queries.ts';
import { amountsOf, createSums, type Amounts, type DayRows } from './columns/sumRows.ts';
import { allowanceProviders, type JobMeasure } from './costMeasures.ts';
import {
  allowanceIn,
  createIncludedSums,
  includedColumnsOf,
  sharesByMonth,
  sharesOf,
  type CellSums,
} from './includedUse.ts';
import { netAmountsOf, netColumnsOf } from './netAmounts.ts';
import { readTimeUsed } from './timeUsed.ts';

export type ReadMeasure = {
  createSums: () => CellSums;
  /** Sums of days, in billionths of a dollar or of a percent. */
  ofDays: (sums: ReadonlyMap<Day, bigint>) => ReadonlyMap<Day, Nanos>;
  /** Sums of parts of days that end on this day of a month, in the same unit. */
  ofParts: (sums: readonly bigint[], lastDay: Day) => bigint[];
};

export function columnsOfMeasure(
  measure: JobMeasure,
  rows: { isSummed: boolean },
): readonly (ColumnName | RollupName)[] {
  if (measure === 'list_cost') return ['costNanos'];
  return measure === 'net_cost' ? netColumnsOf(rows) : includedColumnsOf(rows);
}

/** Reads what the measure needs beside its rows. The result needs no database. */
export async function readMeasure(
  { tx: db, orgId, providers }: { tx: Transaction; orgId: string; providers: Providers },
  measure: JobMeasure,
  days: Pick<Window, 'start' | 'end'>,
): Promise<ReadMeasure> {
  const actor = { orgId };
  if (measure === 'list_cost') return ofAmounts((day) => amountsOf(day, 'costNanos'));
  if (measure === 'net_cost') {
    const readTime = (of: Pick<Window, 'start' | 'end'>) => readTimeUsed(db, { orgId, providers }, of);
    const deductions = await findDeductions({ db, actor, providers }, days, readTime);
    return ofAmounts((day) => netAmountsOf(day, deductions, providers));
  }
  const provider = allowanceProviders[measure];
  const facts = { provider, terms: await listTerms({ db, actor }), providers };
  const allowanceOf = (month: string) => allowanceIn(month, facts, days.end);
  return {
    createSums: () => createIncludedSums(facts),
    ofDays: (sums) => sharesByMonth(sums, allowanceOf),
    ofParts: (sums, lastDay) => sharesOf(sums, allowanceOf(lastDay.slice(0, 7))),
  };
}

function ofAmounts(amountsIn: (day: DayRows) => Amounts): ReadMeasure {
  return {
    createSums: () => {
      const sums = createSums();
      return { add: (day, cells) => sums.add(cells, amountsIn(day)), values: sums.values };
    },
    ofDays: (sums) => sums,
    ofParts: (sums) => [...sums],
  };
}
