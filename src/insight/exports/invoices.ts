import { type BilledLine, openBill } from '../../ledger/bills/billed.ts';
import type { Coverage } from '../../ledger/bills/coverage.ts';
import { findImportTimes } from '../../ledger/bills/reports.ts';
import type { Database } from '../../platform/db/database.ts';
import { addMonths, type Day, dayOf, monthAround } from '../../platform/lib/days.ts';
import { compare, getOrCreate } from '../../platform/lib/lists.ts';
import type { ExportScope } from './rows.queries.ts';

/** When the first and the last of its reports were imported. */
type Times = { createdAt: Date; updatedAt: Date };
export type BillingPeriod = Times & { month: Day };

/** What is billed for a SKU in a month. An invoice has one line for all repositories. */
export type InvoiceDetail = BillingPeriod & Omit<BilledLine, 'day' | 'repository'> & { orgId: string };

/** Of the whole months that the window touches, from the reports that count. */
export async function findInvoiceDetails(
  db: Database,
  { orgId, from, to }: ExportScope,
): Promise<InvoiceDetail[]> {
  if (from >= to) return [];
  const days = {
    start: monthAround(dayOf(from)).start,
    end: monthAround(dayOf(new Date(to.getTime() - 1))).end,
  };
  const { decided, read } = await openBill(db, orgId, days);
  const times = timesBy(decided, await findImportTimes(db, orgId, [...reportsOf(decided)]));
  const details = new Map<string, InvoiceDetail>();
  // A month at a time, because each repository has its own lines.
  for (let month = days.start; month <= days.end; month = addMonths(month, 1)) {
    for (const { day: _, repository: __, ...line } of await read(db, monthAround(month), { per: 'month' })) {
      const key = [month, line.organization, line.product, line.sku, line.unit].join('\0');
      const known = details.get(key);
      if (known) add(known, line);
      else details.set(key, { ...line, orgId, month, ...times({ ...line, month }) });
    }
  }
  return [...details].toSorted(([a], [b]) => compare(a, b)).map(([, detail]) => detail);
}

function add(known: InvoiceDetail, line: Omit<BilledLine, 'day' | 'repository'>): void {
  for (const name of ['quantityNanos', 'listNanos', 'grossNanos', 'discountNanos', 'netNanos'] as const)
    known[name] += line[name];
}

const reportsOf = (decided: readonly Coverage[]) => new Set(decided.map(({ reportId }) => reportId));

function timesBy(decided: readonly Coverage[], imported: ReadonlyMap<string, Date>) {
  return ({ month, organization, product }: Pick<InvoiceDetail, 'month' | 'organization' | 'product'>) => {
    const { end } = monthAround(month);
    const reports = decided.filter(
      (each) =>
        each.organization === organization &&
        each.product === product &&
        each.firstDay <= end &&
        each.lastDay >= month,
    );
    return spanOf([...reportsOf(reports)].map((id) => imported.get(id)!));
  };
}

function spanOf(instants: readonly Date[]): Times {
  const times = instants.map((instant) => instant.getTime());
  return { createdAt: new Date(Math.min(...times)), updatedAt: new Date(Math.max(...times)) };
}

export function billingPeriodsOf(details: readonly InvoiceDetail[]): BillingPeriod[] {
  const periods = new Map<Day, Date[]>();
  for (const { month, createdAt, updatedAt } of details)
    getOrCreate(periods, month, () => []).push(createdAt, updatedAt);
  return [...periods].map(([month, instants]) => ({ month, ...spanOf(instants) }));
}
