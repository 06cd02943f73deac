import { statusRank } from './history.ts';
import type { Status } from './report.ts';

/** Negative where the first report comes before the second. */
export type Order<Report> = (first: Report, second: Report) => number;

/** How a field is decided: by the first report that says it, in an order without ties. */
export type Decision<Report> = { order: Order<Report>; says: (report: Report) => boolean };

/** The report that decides; null where no report says the field. */
export function deciding<Report>(
  reports: readonly Report[],
  { order, says }: Decision<Report>,
): Report | null {
  let first: Report | null = null;
  for (const report of reports) {
    if (says(report) && (first === null || order(report, first) < 0)) first = report;
  }
  return first;
}

/**
 * Keeps the reports that decide something. The first of a set is also the first of the firsts of its parts, so any
 * order, repetition and grouping of reports keeps the same ones.
 */
export function keepDeciding<Report>(
  reports: readonly Report[],
  decisions: readonly Decision<Report>[],
  order: Order<Report>,
): Report[] {
  if (reports.length === 1) return [...reports];
  const kept = new Set(decisions.map((decision) => deciding(reports, decision)));
  return reports.filter((report) => kept.has(report)).toSorted(order);
}

export function inTurn<Report>(...orders: Order<Report>[]): Order<Report> {
  return (first, second) => {
    for (const order of orders) {
      const difference = order(first, second);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

type Value = string | number | boolean | null | readonly string[];

/** The greater value first, null last. */
export function greatest<Report>(valueOf: (report: Report) => Value): Order<Report> {
  return (first, second) => {
    const [a, b] = [valueOf(first), valueOf(second)];
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    if (typeof a !== 'object' || typeof b !== 'object') return a > b ? -1 : 1;
    const [aText, bText] = [JSON.stringify(a), JSON.stringify(b)];
    return aText === bText ? 0 : aText > bText ? -1 : 1;
  };
}

export function byFields<Report extends Record<keyof Report, Value>>(
  ...fields: (keyof Report)[]
): Order<Report> {
  return inTurn(...fields.map((field) => greatest<Report>((report) => report[field])));
}

export const byStatus = greatest<{ status: Status }>(({ status }) => statusRank[status]);
export const byProvider = greatest<{ isTrace: boolean }>(({ isTrace }) => !isTrace);

export function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
