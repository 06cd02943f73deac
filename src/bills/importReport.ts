import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Database, Transaction } from '../db/database.ts';
import { addDays, dayOf, type Day } from '../lib/days.ts';
import { PublicError, type FieldError } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import type { Context } from '../organizations/context.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { busiestYear } from './busiestYear.ts';
import { addLine, nothingCollected, skipLine, type Collected } from './collectLines.ts';
import { coveragesOf, daysTaken, periodOf } from './coverage.ts';
import { readHeader, type Header } from './header.ts';
import {
  addLines,
  completeReport,
  findFileNames,
  findReportByContent,
  insertProducts,
  insertReport,
  touchReport,
  type ProductRow,
  type ReportRow,
} from './queries.ts';
import { findCoverages } from './reconciliation.queries.ts';
import { readDay } from './readDay.ts';
import { readLine, type Possible } from './readLine.ts';
import { readLines, type CsvLine } from './readLines.ts';
import { clearReport, leftSince } from './reports.ts';

export type ImportContext = Pick<Context, 'db' | 'clock' | 'actor' | 'vault' | 'egress'>;

export type Imported = {
  report: ReportRow;
  /** False where the same file had been imported before. */
  isNew: boolean;
  /** The reports that counted until then on days on which this one counts now, and how many those days are. */
  replaced: { id: string; fileName: string; days: number }[];
};

type Options = {
  onProgress?: (bytes: number) => void;
  /** Whoever sent the file has left: nothing is to be imported for them. */
  signal?: AbortSignal;
};

type File = { path: string; name: string };

const linesAStatement = 2_000;

/**
 * Imports a usage report from a file. All of it counts from one moment on, and nothing of it if that fails; the same
 * bytes are the same report, which does not become the latest again. Throws `PublicError` for a file that is no usage
 * report, or holds no line that can be read.
 */
export async function importReport(
  ctx: ImportContext,
  file: File,
  { onProgress = () => {}, signal }: Options = {},
): Promise<Imported> {
  const { db, clock, actor } = ctx;
  const survey = await surveyOf(file.path, signal);
  const { sha256, bytes, header } = survey;
  const known = await findReportByContent(db, actor.orgId, sha256);
  if (known) return { report: known, isNew: false, replaced: [] };
  const key = { orgId: actor.orgId, id: randomId('bill'), sha256 };
  const now = clock.now();
  await insertReport(db, {
    ...{ ...key, fileName: file.name, bytes: BigInt(bytes), format: header.format },
    ...{ createdAt: now, touchedAt: now, importedAt: null },
  });
  try {
    const collected = await storeLines(ctx, key, survey, readBody(file.path, onProgress), signal);
    requireSender(signal);
    return await complete(ctx, key, collected, file);
  } catch (error) {
    await clearReport(db, key);
    throw error;
  }
}

/** What is known of a file before its lines are stored: how many have each date, too. */
type Survey = { sha256: string; bytes: number; header: Header; days: Map<Day, number> };

async function surveyOf(path: string, signal: AbortSignal | undefined): Promise<Survey> {
  const hash = createHash('sha256');
  let bytes = 0;
  const file = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(path)) {
      hash.update(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  };
  let header: Header | null = null;
  const days = new Map<Day, number>();
  for await (const lines of readLines(file())) {
    requireSender(signal);
    header ??= headerOf(lines[0]!);
    for (const line of lines) {
      const day = 'cells' in line ? readDay(line.cells[header.at.date!] ?? '') : null;
      if (day) days.set(day, (days.get(day) ?? 0) + 1);
    }
  }
  if (!header) throw unreadable('is empty');
  return { sha256: hash.digest('hex'), bytes, header, days };
}

/** A mistyped year would make the report cover all days up to it. */
function possibleDays(days: Survey['days'], today: Day): Possible {
  // Where the sender's clock is ahead of ours, it is tomorrow already.
  const latest = addDays(today, 1);
  return { latest, year: busiestYear(new Map([...days].filter(([day]) => day <= latest))) };
}

/** The lines below the heading, many at a time. */
async function* readBody(path: string, onProgress: (bytes: number) => void): AsyncGenerator<CsvLine[]> {
  const file = createReadStream(path);
  let isBelowHead = false;
  for await (const lines of readLines(file)) {
    yield isBelowHead ? lines : lines.slice(1);
    isBelowHead = true;
    onProgress(file.bytesRead);
  }
}

function headerOf(first: CsvLine): Header {
  if ('fault' in first) {
    // Spreadsheets' "Unicode text" begins with bytes that no UTF-8 text has.
    throw unreadable(`has a line ${first.number} that ${first.fault}; save it as CSV in UTF-8`);
  }
  const header = readHeader(first.cells);
  if ('fault' in header) throw unreadable(header.fault);
  return header;
}

function unreadable(fault: string, errors: FieldError[] = []): PublicError {
  return new PublicError('invalid', 'no_usage_report', `The file ${fault}.`, [
    { path: 'body', message: fault },
    ...errors,
  ]);
}

async function storeLines(
  { db, clock }: ImportContext,
  key: { orgId: string; id: string },
  { header, days }: Survey,
  batches: AsyncGenerator<CsvLine[]>,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const collected = nothingCollected();
  const limits = sumLimits();
  const possible = possibleDays(days, dayOf(clock.now()));
  const store = async (): Promise<void> => {
    await addLines(db, key, [...collected.pending.values()]);
    collected.pending.clear();
    await goOn(db, key, clock.now());
  };
  for await (const lines of batches) {
    requireSender(signal);
    for (const line of lines) {
      collected.linesRead++;
      const read = 'fault' in line ? line : readLine(header, line.cells, possible);
      if ('fault' in read) {
        skipLine(collected, line.number, read.fault);
        continue;
      }
      limits.add(read);
      addLine(collected, read);
    }
    requireFew(collected);
    if (collected.pending.size >= linesAStatement) await store();
  }
  if (collected.pending.size > 0) await store();
  return collected;
}

async function goOn(
  db: Database | Transaction,
  key: { orgId: string; id: string },
  now: Date,
): Promise<void> {
  if (!(await touchReport(db, key, { now, left: leftSince(now) }))) throw interrupted;
}

function requireSender(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw senderLeft();
}

/** Whoever sent a report has left before it was imported; nobody reads this. */
export function senderLeft(): PublicError {
  return new PublicError('invalid', 'sender_left', 'The sender left before the report was imported.');
}

/** More of them than any enterprise has; they are held in memory. */
const mostProducts = 5_000;

function requireFew({ products }: Collected): void {
  if (products.size <= mostProducts) return;
  throw unreadable(`names more than ${mostProducts} organizations and products`);
}

const interrupted = new PublicError(
  'conflict',
  'report_gone',
  'The report was cleared away while it was read.',
);

/** What columns of the database hold of sums, in billionths. */
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

async function complete(
  ctx: ImportContext,
  key: { orgId: string; id: string; sha256: string },
  { products, pending: _, badLines, ...sums }: Collected,
  { name }: File,
): Promise<Imported> {
  const { db, clock } = ctx;
  if (sums.linesRead === 0) throw unreadable('has a heading and no lines');
  if (sums.linesKept === 0) {
    const errors = badLines.map(({ line, reason }) => ({ path: `body.line ${line}`, message: reason }));
    throw unreadable('has no line that can be read', errors);
  }
  const imported = await db.transaction().execute(async (tx) => {
    await goOn(tx, key, clock.now());
    const completed = await completeReport(tx, key, { ...sums, importedAt: clock.now() }, badLines);
    if (!completed) return null;
    const replaced = await findReplaced(tx, key, [...products.values()]);
    await insertProducts(tx, key, [...products.values()]);
    const { linesKept, linesSkipped, firstDay, lastDay } = sums;
    const details = { file_name: name, lines_kept: linesKept, lines_skipped: linesSkipped };
    await recordAudit(tx, ctx, 'bill_report.import', key.id, {
      ...details,
      first_day: firstDay,
      last_day: lastDay,
    });
    return { report: completed, isNew: true, replaced };
  });
  if (imported) return imported;
  // Somebody else was faster with the same file.
  await clearReport(db, key);
  const known = await findReportByContent(db, key.orgId, key.sha256);
  if (!known) throw interrupted;
  return { report: known, isNew: false, replaced: [] };
}

/** Which reports have counted on the days of one whose products are not stored yet. */
async function findReplaced(
  tx: Transaction,
  { orgId, id }: { orgId: string; id: string },
  products: readonly ProductRow[],
): Promise<Imported['replaced']> {
  const added = coveragesOf(id, products);
  const taken = daysTaken(await findCoverages(tx, orgId, periodOf(added)), added);
  const names = await findFileNames(tx, orgId, [...taken.keys()]);
  return [...taken].map(([report, days]) => ({ id: report, fileName: names.get(report)!, days }));
}
