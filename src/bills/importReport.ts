import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { PublicError, type FieldError } from '../lib/errors.ts';
import { randomId } from '../lib/ids.ts';
import type { Context } from '../organizations/context.ts';
import { recordAudit } from '../organizations/recordAudit.ts';
import { addLine, nothingCollected, skipLine, type Collected } from './collectLines.ts';
import { readHeader, type Header } from './header.ts';
import {
  addLines,
  completeReport,
  findReportByContent,
  insertProducts,
  insertReport,
  touchReport,
  type ReportRow,
} from './queries.ts';
import { readLine } from './readLine.ts';
import { readLines, type CsvLine } from './readLines.ts';
import { clearLeftReports, clearReport } from './reports.ts';

export type ImportContext = Pick<Context, 'db' | 'clock' | 'actor' | 'vault' | 'egress'>;

export type Imported = {
  report: ReportRow;
  /** False where the same file had been imported before. */
  isNew: boolean;
};

type File = { path: string; name: string };

const linesAStatement = 2_000;

/**
 * Imports a usage report from a file. All of it counts from one moment on, and nothing of it if that fails; the same
 * bytes are the same report. Throws `PublicError` for a file that is no usage report, or holds no line that can be read.
 */
export async function importReport(
  ctx: ImportContext,
  file: File,
  onProgress: (bytes: number) => void = () => {},
): Promise<Imported> {
  const { db, clock, actor } = ctx;
  const { sha256, bytes } = await digestOf(file.path);
  const known = await findReportByContent(db, actor.orgId, sha256);
  if (known) return { report: known, isNew: false };
  await clearLeftReports(ctx);
  const header = await readHead(file.path);
  const key = { orgId: actor.orgId, id: randomId('bill'), sha256 };
  const now = clock.now();
  await insertReport(db, {
    ...{ ...key, fileName: file.name, bytes: BigInt(bytes), format: header.format },
    ...{ createdAt: now, touchedAt: now, importedAt: null },
  });
  try {
    const collected = await storeLines(ctx, key, header, readBody(file.path, onProgress));
    return await complete(ctx, key, collected, file);
  } catch (error) {
    await clearReport(db, key);
    throw error;
  }
}

async function digestOf(path: string): Promise<{ sha256: string; bytes: number }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { sha256: hash.digest('hex'), bytes };
}

/** Enough for the first line, however long it is. */
const headBytes = 256 * 1024;

async function readHead(path: string): Promise<Header> {
  for await (const [first] of readLines(createReadStream(path, { end: headBytes }))) return headerOf(first!);
  throw unreadable('is empty');
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
  header: Header,
  batches: AsyncGenerator<CsvLine[]>,
): Promise<Collected> {
  const collected = nothingCollected();
  const limits = sumLimits();
  const store = async (): Promise<void> => {
    await addLines(db, key, [...collected.pending.values()]);
    collected.pending.clear();
    if (!(await touchReport(db, key, clock.now()))) throw interrupted;
  };
  for await (const lines of batches) {
    for (const line of lines) {
      collected.linesRead++;
      const read = 'fault' in line ? line : readLine(header, line.cells);
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
  const report = await db.transaction().execute(async (tx) => {
    const completed = await completeReport(tx, key, { ...sums, importedAt: clock.now() }, badLines);
    if (!completed) return null;
    await insertProducts(tx, key, [...products.values()]);
    const { linesKept, linesSkipped, firstDay, lastDay } = sums;
    const details = { file_name: name, lines_kept: linesKept, lines_skipped: linesSkipped };
    await recordAudit(tx, ctx, 'bill_report.import', key.id, {
      ...details,
      first_day: firstDay,
      last_day: lastDay,
    });
    return completed;
  });
  if (report) return { report, isNew: true };
  // Somebody else was faster with the same file.
  await clearReport(db, key);
  const known = await findReportByContent(db, key.orgId, key.sha256);
  if (!known) throw interrupted;
  return { report: known, isNew: false };
}
