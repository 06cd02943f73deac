import { createReadStream } from 'node:fs';
import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { addDays, type Day, dayOf, windowEnding } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { addLines, type ProductRow, type StoredLine, touchReport } from './queries.ts';
import { type BillLine, type Dates, readLine } from './readLine.ts';
import { type CsvLine, readLines } from './readLines.ts';
import { leftSince } from './reports.ts';
import { requireSender, type Survey, unreadable } from './surveyReport.ts';

export type ImportContext = Pick<Context, 'db' | 'clock' | 'subscribers'> & {
  actor: Pick<Context['actor'], 'orgId' | 'name'>;
};

export type Collected = {
  linesRead: number;
  linesKept: number;
  linesSkipped: number;
  linesRounded: number;
  badLines: { line: number; reason: string }[];
  firstDay: Day | null;
  lastDay: Day | null;
  products: Map<string, ProductRow>;
  pending: Map<string, StoredLine>;
};

/** Stores nothing if `key` is null. */
export async function storeLines(
  { db, clock }: ImportContext,
  key: { orgId: string; id: string } | null,
  survey: Survey,
  batches: AsyncGenerator<CsvLine[]>,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const collected = nothingCollected();
  const limits = sumLimits();
  const dates = datesOf(survey, dayOf(clock.now()));
  const store = async (): Promise<void> => {
    const lines = [...collected.pending.values()];
    collected.pending.clear();
    if (!key) return;
    for (let at = 0; at < lines.length; at += linesPerStatement) {
      await addLines(db, key, lines.slice(at, at + linesPerStatement));
      await touch(db, key, clock.now());
    }
  };
  for await (const lines of batches) {
    requireSender(signal);
    for (const line of lines) {
      collected.linesRead++;
      const read = 'fault' in line ? line : readLine(survey.header, line.cells, dates);
      if ('fault' in read) {
        skipLine(collected, line.number, read.fault);
        continue;
      }
      limits.add(read);
      addLine(collected, read);
    }
    requireFew(collected);
    if (collected.pending.size >= maxPending) await store();
  }
  if (collected.pending.size > 0) await store();
  requireLines(collected);
  return collected;
}

/** Few, because other requests wait while a statement is made. */
const linesPerStatement = 2_000;

/** Enough for a day of a large company, so that each of its rows is written once. They take about 15 MB. */
const maxPending = 20_000;

export async function touch(
  db: Database | Transaction,
  key: { orgId: string; id: string },
  now: Date,
): Promise<void> {
  if (!(await touchReport(db, key, { now, left: leftSince(now) }))) throw interrupted;
}

export const interrupted = new PublicError(
  'conflict',
  'report_gone',
  'The report was removed during the import.',
);

export async function* readBody(
  path: string,
  onProgress: (bytes: number) => void,
): AsyncGenerator<CsvLine[]> {
  const file = createReadStream(path);
  let isBelowHead = false;
  for await (const lines of readLines(file)) {
    yield isBelowHead ? lines : lines.slice(1);
    isBelowHead = true;
    onProgress(file.bytesRead);
  }
}

/** A mistyped year would make the report cover all days up to it. */
function datesOf({ days, dateOrder }: Survey, today: Day): Dates {
  // The sender's clock may be ahead of ours.
  const latest = addDays(today, 1);
  return {
    order: dateOrder ?? 'mdy',
    latest,
    year: busiestYear(new Map([...days].filter(([day]) => day <= latest))),
  };
}

function requireLines({ linesRead, linesKept, badLines }: Collected): void {
  if (linesRead === 0) throw unreadable('has a heading but no lines');
  if (linesKept > 0) return;
  throw unreadable('has no readable line', badLines);
}

const maxBadLines = 100;

function nothingCollected(): Collected {
  return {
    linesRead: 0,
    linesKept: 0,
    linesSkipped: 0,
    linesRounded: 0,
    badLines: [],
    firstDay: null,
    lastDay: null,
    products: new Map(),
    pending: new Map(),
  };
}

function skipLine(collected: Collected, line: number, reason: string): void {
  collected.linesSkipped++;
  if (collected.badLines.length < maxBadLines) collected.badLines.push({ line, reason });
}

function addLine(collected: Collected, { isRounded, ...line }: BillLine): void {
  collected.linesKept++;
  if (isRounded) collected.linesRounded++;
  if (collected.firstDay === null || line.day < collected.firstDay) collected.firstDay = line.day;
  if (collected.lastDay === null || line.day > collected.lastDay) collected.lastDay = line.day;
  addProduct(collected.products, line);
  const { day, product, sku, unit, organization, repository } = line;
  const key = keyOf([day, product, sku, unit, organization, repository]);
  const known = collected.pending.get(key);
  if (!known) return void collected.pending.set(key, { ...line, lines: 1 });
  known.lines++;
  known.quantityNanos += line.quantityNanos;
  known.listNanos += line.listNanos;
  known.grossNanos += line.grossNanos;
  known.discountNanos += line.discountNanos;
  known.netNanos += line.netNanos;
}

/** No line has a null character. */
function keyOf(names: readonly string[]): string {
  return names.join('\0');
}

function addProduct(products: Collected['products'], line: Omit<BillLine, 'isRounded'>): void {
  const { day, organization, product, unit, quantityNanos, grossNanos, discountNanos, netNanos } = line;
  const key = keyOf([organization, product, unit]);
  const known = products.get(key);
  if (!known) {
    const amounts = { quantityNanos, grossNanos, discountNanos, netNanos };
    return void products.set(key, {
      organization,
      product,
      unit,
      lines: 1,
      firstDay: day,
      lastDay: day,
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

const longestReportDays = 366;

/** The year with the most lines, starting on any day. If several have as many, the latest. */
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

/** More than any enterprise has. They are kept in memory. */
const maxProducts = 5_000;

function requireFew({ products }: Collected): void {
  if (products.size <= maxProducts) return;
  throw unreadable(`names more than ${maxProducts} organizations and products`);
}

const highestSum = 9_000_000_000n * 1_000_000_000n;

function sumLimits() {
  const sums = { quantityNanos: 0n, grossNanos: 0n, discountNanos: 0n, netNanos: 0n };
  return {
    add: (line: typeof sums): void => {
      for (const name of Object.keys(sums) as (keyof typeof sums)[]) {
        sums[name] += line[name] < 0n ? -line[name] : line[name];
        if (sums[name] > highestSum) throw unreadable('adds up to more than nine billion');
      }
    },
  };
}
