import { mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { isRunning } from '../../platform/lib/processes.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { coveragesOf, daysTaken, periodOf } from './coverage.ts';
import {
  completeReport,
  findCoverages,
  findFileNames,
  findReportByContent,
  hideFetched,
  insertProducts,
  type ProductRow,
  type ReportRow,
  reportRows,
} from './queries.ts';
import type { DateOrder } from './readLine.ts';
import { clearReport, type Imported, type Report } from './reports.ts';
import {
  interrupted,
  readBody,
  storeLines,
  touch,
  type Collected,
  type ImportContext,
} from './storeLines.ts';
import {
  createHeadCheck,
  notUnpacked,
  requireOrder,
  requireSender,
  senderLeft,
  surveyReport,
  type Survey,
} from './surveyReport.ts';

type Options = {
  dateOrder?: DateOrder | undefined;
  onProgress?: (bytes: number) => void;
  signal?: AbortSignal;
};

/** The result of a dry run. */
export type Tried = Omit<Imported, 'report'> & { report: Omit<Report, 'id' | 'importedAt'> };

/** `fetched` names what a fetched file is of, such as `organization acme 2026-03`. The latest of a name replaces the others. */
type File = { path: string; name: string; fetched?: string };

/** Imports a report completely or not at all. Files with the same bytes are the same report. */
export async function importReport(
  ctx: ImportContext,
  file: File,
  { dateOrder, onProgress = () => {}, signal }: Options = {},
): Promise<Imported> {
  const { db, clock, actor } = ctx;
  const survey = await surveyReport(file.path, { dateOrder, signal });
  const known = await findReportByContent(db, actor.orgId, survey.sha256);
  if (known) return importedBefore(known, survey);
  requireOrder(survey);
  const key = { orgId: actor.orgId, id: randomId('bill') };
  await reportRows.insert(db, { ...newRow(file, survey, clock.now()), ...key, importedAt: null });
  try {
    const collected = await storeLines(ctx, key, survey, readBody(file.path, onProgress), signal);
    requireSender(signal);
    return await complete(ctx, { ...key, sha256: survey.sha256 }, survey, collected, file);
  } catch (error) {
    await clearReport(db, key);
    throw error;
  }
}

export async function tryImport(
  ctx: ImportContext,
  file: File,
  { dateOrder, signal }: Pick<Options, 'dateOrder' | 'signal'> = {},
): Promise<Imported | Tried> {
  const { db, clock, actor } = ctx;
  const survey = await surveyReport(file.path, { dateOrder, signal });
  const known = await findReportByContent(db, actor.orgId, survey.sha256);
  if (known) return importedBefore(known, survey);
  requireOrder(survey);
  const body = readBody(file.path, () => {});
  const { products, pending: _, ...sums } = await storeLines(ctx, null, survey, body, signal);
  const stored = [...products.values()];
  return {
    report: { ...newRow(file, survey, clock.now()), ...sums, orgId: actor.orgId, products: stored },
    isNew: true,
    replaced: await findReplaced(db, { orgId: actor.orgId, id: '' }, stored),
  };
}

function newRow(file: File, { sha256, bytes, header, dateOrder }: Survey, now: Date) {
  return {
    sha256,
    fileName: file.name,
    bytes: BigInt(bytes),
    format: file.fetched === undefined ? header.format : ('api' as const),
    fetched: file.fetched ?? null,
    dateOrder,
    createdAt: now,
    touchedAt: now,
  };
}

/** Before we stored the order, dates were read as month/day. */
function importedBefore(known: ReportRow, { dateOrder }: Survey): Imported {
  const { id, dateOrder: before } = known;
  if (dateOrder && dateOrder !== (before ?? 'mdy')) {
    throw new PublicError(
      'conflict',
      'imported_in_other_order',
      `The file was imported before as report ${id}, with the other date order. Delete that report, ` +
        'then import the file again.',
    );
  }
  return { report: known, isNew: false, replaced: [] };
}

async function complete(
  ctx: ImportContext,
  key: { orgId: string; id: string; sha256: string },
  survey: Survey,
  { products, pending: _, badLines, ...sums }: Collected,
  { name, fetched }: File,
): Promise<Imported> {
  const { db, clock } = ctx;
  let former: string | null = null;
  const imported = await db.transaction().execute(async (tx) => {
    await touch(tx, key, clock.now());
    await lockCosts(tx, key.orgId);
    former = fetched === undefined ? null : await hideFetched(tx, { orgId: key.orgId, fetched }, clock.now());
    const completed = await completeReport(tx, key, { ...sums, importedAt: clock.now() }, badLines);
    if (!completed) return null;
    const replaced = await findReplaced(tx, key, [...products.values()]);
    await insertProducts(tx, key, [...products.values()]);
    // The log has the start of a fetch.
    if (fetched !== undefined) return { report: completed, isNew: true, replaced };
    const { linesKept, linesSkipped, firstDay, lastDay } = sums;
    const details = { file_name: name, lines_kept: linesKept, lines_skipped: linesSkipped };
    await recordAudit(tx, ctx, 'bill_report.import', key.id, {
      ...details,
      first_day: firstDay,
      last_day: lastDay,
    });
    return { report: completed, isNew: true, replaced };
  });
  if (former !== null) await clearReport(db, { orgId: key.orgId, id: former });
  if (imported) return imported;
  await clearReport(db, key);
  const known = await findReportByContent(db, key.orgId, key.sha256);
  if (!known) throw interrupted;
  return importedBefore(known, survey);
}

async function findReplaced(
  db: Database | Transaction,
  { orgId, id }: { orgId: string; id: string },
  products: readonly ProductRow[],
): Promise<Imported['replaced']> {
  const added = coveragesOf(id, products);
  const taken = daysTaken(await findCoverages(db, orgId, periodOf(added)), added);
  const names = await findFileNames(db, orgId, [...taken.keys()]);
  return [...taken].map(([report, days]) => ({ id: report, fileName: names.get(report)!, days }));
}

/** The compression plugin marks all errors of its stream. Only those of the data have a number. */
function isDamaged(error: unknown): boolean {
  const { decompressError, errno } = error as { decompressError?: unknown; errno?: number };
  return decompressError !== undefined && errno !== undefined;
}

const spoolPrefix = 'runcost-report-';

/** A killed process leaves its file. Call it before anything is imported: another process may have had our id. */
export async function removeLeftSpools(): Promise<void> {
  const names = (await readdir(tmpdir())).filter((name) => name.startsWith(spoolPrefix));
  for (const name of names) {
    const pid = Number(/^\d+(?=-)/.exec(name.slice(spoolPrefix.length))?.[0] ?? 0);
    if (pid > 0 && !isRunning(pid)) await rm(join(tmpdir(), name), { recursive: true, force: true });
  }
}

type Limit = { maxBytes: number; tooLarge: () => Error };

/** Saves the stream to a temporary file first, so that a slow import does not slow the sender. */
export async function withSpooled<T>(
  stream: Readable,
  limit: Limit,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), `${spoolPrefix}${process.pid}-`));
  const path = join(folder, 'report.csv');
  try {
    await spool(stream, limit, path);
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(stream: Readable, { maxBytes, tooLarge }: Limit, path: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    const checkHead = createHeadCheck();
    for await (const chunk of chunksOf(stream)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      await checkHead(chunk);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}

async function* chunksOf(stream: Readable): AsyncGenerator<Buffer> {
  // Keeps the request open, because a destroyed one cannot be answered.
  const chunks: AsyncIterator<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await chunks.next().catch((error: unknown) => {
        throw isDamaged(error) ? notUnpacked() : senderLeft();
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}
