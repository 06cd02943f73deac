import { windowEnding, type Day } from '../../platform/lib/days.ts';
import type { ProductRow, StoredLine } from './queries.ts';
import type { BillLine } from './readLine.ts';

/** What a report's lines come to, while they are read. */
export type Collected = {
  linesRead: number;
  linesKept: number;
  linesSkipped: number;
  linesRounded: number;
  badLines: { line: number; reason: string }[];
  firstDay: Day | null;
  lastDay: Day | null;
  products: Map<string, ProductRow>;
  /** Not stored yet, by key. */
  pending: Map<string, StoredLine>;
};

const mostBadLines = 100;

export function nothingCollected(): Collected {
  return {
    ...{ linesRead: 0, linesKept: 0, linesSkipped: 0, linesRounded: 0, badLines: [] },
    ...{ firstDay: null, lastDay: null, products: new Map(), pending: new Map() },
  };
}

/** Notes a line that is left out. */
export function skipLine(collected: Collected, line: number, reason: string): void {
  collected.linesSkipped++;
  if (collected.badLines.length < mostBadLines) collected.badLines.push({ line, reason });
}

/** Adds a line to those of the same day, SKU and repository. */
export function addLine(collected: Collected, { isRounded, ...line }: BillLine): void {
  collected.linesKept++;
  if (isRounded) collected.linesRounded++;
  if (collected.firstDay === null || line.day < collected.firstDay) collected.firstDay = line.day;
  if (collected.lastDay === null || line.day > collected.lastDay) collected.lastDay = line.day;
  addProduct(collected.products, line);
  const { day, product, sku, unit, organization, repository } = line;
  const key = JSON.stringify([day, product, sku, unit, organization, repository]);
  const known = collected.pending.get(key);
  if (!known) return void collected.pending.set(key, { ...line, lines: 1 });
  known.lines++;
  known.quantityNanos += line.quantityNanos;
  known.listNanos += line.listNanos;
  known.grossNanos += line.grossNanos;
  known.discountNanos += line.discountNanos;
  known.netNanos += line.netNanos;
}

function addProduct(products: Collected['products'], line: Omit<BillLine, 'isRounded'>): void {
  const { day, organization, product, unit, quantityNanos, grossNanos, discountNanos, netNanos } = line;
  const key = JSON.stringify([organization, product, unit]);
  const known = products.get(key);
  if (!known) {
    const amounts = { quantityNanos, grossNanos, discountNanos, netNanos };
    return void products.set(key, {
      ...{ organization, product, unit, lines: 1, firstDay: day, lastDay: day },
      ...amounts,
    });
  }
  known.lines++;
  if (day < known.firstDay) known.firstDay = day;
  if (day > known.lastDay) known.lastDay = day;
  known.quantityNanos += quantityNanos;
  known.grossNanos += grossNanos;
  known.discountNanos += discountNanos;
  known.netNanos += netNanos;
}

type Year = { start: Day; end: Day };

/** GitHub's reports are of a year at most. */
const longestReportDays = 366;

/** The days of one report: of all years that could be meant, the one with most lines, and of such the latest. */
export function busiestYear(lines: ReadonlyMap<Day, number>): Year | null {
  const days = [...lines].toSorted(([a], [b]) => (a < b ? -1 : 1));
  let best: Year | null = null;
  let [first, inYear, most] = [0, 0, 0];
  for (const [end, count] of days) {
    const { start } = windowEnding(end, longestReportDays);
    inYear += count;
    for (; days[first]![0] < start; first++) inYear -= days[first]![1];
    if (inYear < most) continue;
    best = { start: days[first]![0], end };
    most = inYear;
  }
  return best;
}
