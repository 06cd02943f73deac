import { statusRank } from './history.ts';
import type { Status } from './report.ts';

/** Negative where the first of two reports counts before the second. */
export type Order<Report> = (first: Report, second: Report) => number;

/** How one field is decided: by the first report, in an order that leaves no ties, of those that say it. */
export type Decision<Report> = { order: Order<Report>; says: (report: Report) => boolean };

/** The report that decides; null where none says it. */
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
 * Those of the reports that decide something, in the order given. The first of a set is the first of its parts' firsts:
 * so whatever the order, repetition and parts in which reports come, the same ones are kept, and they decide the same.
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

/** Compares by each order in turn, until one tells the reports apart. */
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

/** The greater value first; null, which says nothing, comes last. */
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

/** By the values of the fields, each the greater first: with all fields, it leaves no ties. */
export function byFields<Report extends Record<keyof Report, Value>>(
  ...fields: (keyof Report)[]
): Order<Report> {
  return inTurn(...fields.map((field) => greatest<Report>((report) => report[field])));
}

/** The one that is further on first. */
export const byStatus = greatest<{ status: Status }>(({ status }) => statusRank[status]);
/** What the provider itself reports before what a trace says. */
export const byProvider = greatest<{ isTrace: boolean }>(({ isTrace }) => !isTrace);

/** The instant that a kept report has as text. */
export function instantOf(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
