import { createReadStream } from 'node:fs';
import type { Context } from '../../context.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { addDays, dayOf, type Day } from '../../platform/lib/days.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockOrganization } from '../../tenancy/organizations/locks.ts';
import { addLine, busiestYear, nothingCollected, skipLine, type Collected } from './collectLines.ts';
import { coveragesOf, daysTaken, periodOf } from './coverage.ts';
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
import { readLine, type DateOrder, type Dates } from './readLine.ts';
import { readLines, type CsvLine } from './readLines.ts';
import { findCoverages } from './reconciliation.queries.ts';
import { clearReport, leftSince } from './reports.ts';
import { requireOrder, requireSender, surveyReport, unreadable, type Survey } from './surveyReport.ts';

export type ImportContext = Pick<Context, 'db' | 'clock' | 'actor' | 'vault' | 'egress'>;

export type Imported = {
  report: ReportRow;
  /** False where the same file had been imported before. */
  isNew: boolean;
  /** The reports that counted until then on days on which this one counts now, and how many those days are. */
  replaced: { id: string; fileName: string; days: number }[];
};

type Options = {
  /** How dates with slashes are read; a file that does not show it needs this. */
  dateOrder?: DateOrder | undefined;
  onProgress?: (bytes: number) => void;
  /** Whoever sent the file has left: nothing is to be imported for them. */
  signal?: AbortSignal;
};

type File = { path: string; name: string };

const linesAStatement = 2_000;

/**
 * Imports a usage report from a file. All of it counts from one moment on, and nothing of it if that fails; the same
 * bytes are the same report, which does not become the latest again. Throws `PublicError` for a file that is no usage
 * report or not all of one, or holds no line that can be read.
 */
export async function importReport(
  ctx: ImportContext,
  file: File,
  { dateOrder, onProgress = () => {}, signal }: Options = {},
): Promise<Imported> {
  const { db, clock, actor } = ctx;
  const survey = await surveyReport(file.path, { dateOrder, signal });
  const { sha256, bytes, header } = survey;
  const known = await findReportByContent(db, actor.orgId, sha256);
  if (known) return importedBefore(known, survey);
  requireOrder(survey);
  const key = { orgId: actor.orgId, id: randomId('bill'), sha256 };
  const now = clock.now();
  await insertReport(db, {
    ...{ ...key, fileName: file.name, bytes: BigInt(bytes), format: header.format },
    dateOrder: survey.dateOrder,
    ...{ createdAt: now, touchedAt: now, importedAt: null },
  });
  try {
    const collected = await storeLines(ctx, key, survey, readBody(file.path, onProgress), signal);
    requireSender(signal);
    return await complete(ctx, key, survey, collected, file);
  } catch (error) {
    await clearReport(db, key);
    throw error;
  }
}

/** The file was read with this order then; reports from before it was kept were read as month/day. */
function importedBefore(known: ReportRow, { dateOrder }: Survey): Imported {
  const { id, dateOrder: before } = known;
  if (dateOrder && dateOrder !== (before ?? 'mdy')) {
    throw new PublicError(
      'conflict',
      'imported_in_other_order',
      `The file was imported before, with the other order of dates, as report ${id}. Delete that one, then import it again.`,
    );
  }
  return { report: known, isNew: false, replaced: [] };
}

/** A mistyped year would make the report cover all days up to it. */
function datesOf({ days, dateOrder }: Survey, today: Day): Dates {
  // Where the sender's clock is ahead of ours, it is tomorrow already.
  const latest = addDays(today, 1);
  return {
    order: dateOrder ?? 'mdy',
    latest,
    year: busiestYear(new Map([...days].filter(([day]) => day <= latest))),
  };
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

async function storeLines(
  { db, clock }: ImportContext,
  key: { orgId: string; id: string },
  survey: Survey,
  batches: AsyncGenerator<CsvLine[]>,
  signal: AbortSignal | undefined,
): Promise<Collected> {
  const collected = nothingCollected();
  const limits = sumLimits();
  const dates = datesOf(survey, dayOf(clock.now()));
  const store = async (): Promise<void> => {
    await addLines(db, key, [...collected.pending.values()]);
    collected.pending.clear();
    await goOn(db, key, clock.now());
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
  survey: Survey,
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
    await lockOrganization(tx, key.orgId); // two that have read the same file wait for each other here
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
  return importedBefore(known, survey);
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
