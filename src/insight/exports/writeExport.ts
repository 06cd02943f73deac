import { createHash } from 'node:crypto';
import { recordEvent } from '../../events/outbox.ts';
import { type DoPiece, removeEndedTasks, taskPoller } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import type { Cell } from './columns.ts';
import { type Dataset, datasets, type ExportInput } from './datasets.ts';
import {
  type Export,
  exportKind,
  type ExportProgram,
  type ExportState,
  readFile,
  readyEvent,
} from './exports.ts';
import { type Format, formats } from './formats.ts';
import {
  findExportsWithFile,
  findOutlived,
  findRowGroups,
  insertChunks,
  removeLastChunks,
} from './queries.ts';
import type { Cursor } from './rows.queries.ts';

type Piece = DoPiece<ExportInput, ExportState>;

type Save = Parameters<Piece>[1];

/** Writes exports, a page of rows at a time, and removes their files when their time is over. */
export function exportPollers(program: ExportProgram): Poller[] {
  return [
    exportPoller(program),
    { name: 'prune exports', everyMilliseconds: 60_000, run: () => pruneExports(program) },
    {
      name: 'forget exports',
      everyMilliseconds: 3_600_000,
      run: async () => {
        await forgetExports(program);
        return false;
      },
    },
  ];
}

/** Writes exports; `rowsAPiece` for tests of what depends on it. */
export function exportPoller(program: ExportProgram, rowsAPiece?: number): Poller {
  return taskPoller(program, exportKind, writeExport(program, rowsAPiece));
}

/**
 * Takes an export on by a page of its rows, or by the digest of its file when all are written. A page's bytes and where
 * it ended are one transaction, so that a file goes on where it was whatever happened to its last writer.
 */
export function writeExport(program: ExportProgram, rowsAPiece?: number): Piece {
  return async (task, save, signal) => {
    if (task.state.phase === 'digest') return complete(program, task, save, signal);
    const dataset = datasets[task.input.dataset];
    const format = formats[task.input.format];
    const rows = await nextRows(program, task, dataset, rowsAPiece ?? format.rowsAPiece);
    await append(program, task, save, { ...rows, columns: dataset.columns, format });
  };
}

/** So few that the embedded database, which does one thing at a time, is soon there for others again. */
const rowsAQuery = 2_000;

async function nextRows(
  program: ExportProgram,
  { orgId, input, state }: Export,
  { read }: Dataset,
  most: number,
): Promise<Pick<NextRows, 'records' | 'cursor' | 'isLast'>> {
  const scope = { orgId, from: new Date(input.from), to: new Date(input.to) };
  const records: Cell[][] = [];
  let cursor = state.cursor;
  while (records.length < most) {
    const limit = Math.min(rowsAQuery, most - records.length);
    const page = await read(program, scope, cursor, limit);
    records.push(...page.records);
    cursor = page.cursor ?? cursor;
    if (page.records.length < limit) return { records, cursor, isLast: true };
  }
  return { records, cursor, isLast: false };
}

type NextRows = {
  columns: Dataset['columns'];
  format: Format;
  records: Cell[][];
  cursor: Cursor | null;
  isLast: boolean;
};

async function append({ db }: ExportProgram, task: Export, save: Save, next: NextRows): Promise<void> {
  const { state } = task;
  const parts = await partsOf(db, task, next);
  const chunks = chunksOf(task, parts);
  const rows = Number(task.done) + next.records.length;
  await db.transaction().execute(async (tx) => {
    // First, for it holds whoever has lost the task back from writing.
    await save(tx, {
      state: {
        phase: next.isLast ? 'digest' : 'rows',
        cursor: next.cursor,
        bytes: chunks.reduce((sum, { bytes }) => sum + bytes.length, state.bytes),
        chunks: state.chunks + chunks.length,
      },
      done: rows,
      ...(next.isLast && { total: rows }),
    });
    await insertChunks(tx, chunks);
  });
}

type Part = { bytes: Buffer; rowGroup: Buffer | null };

/** What a page adds to the file: what comes before the first row, the rows, and what comes after the last. */
async function partsOf(db: ExportProgram['db'], task: Export, next: NextRows): Promise<Part[]> {
  const { columns, format, records, isLast } = next;
  const parts: Part[] = [];
  const position = () => parts.reduce((sum, { bytes }) => sum + bytes.length, task.state.bytes);
  if (task.state.chunks === 0) parts.push({ bytes: format.begin(columns), rowGroup: null });
  if (records.length > 0) parts.push(format.rows(columns, records, position()));
  if (isLast && format.end) {
    const groups = [
      ...(await findRowGroups(db, task)),
      ...parts.flatMap(({ rowGroup }) => (rowGroup ? [rowGroup] : [])),
    ];
    const rows = Number(task.done) + records.length;
    parts.push({ bytes: format.end(columns, groups, rows), rowGroup: null });
  }
  return parts;
}

/** So small that what is read of them, twice as long as text, is soon forgotten by the garbage collector. */
const largestChunk = 48 * 1024;

function chunksOf({ orgId, id, state }: Export, parts: Part[]) {
  let startByte = state.bytes;
  let number = state.chunks;
  return parts.flatMap(({ bytes, rowGroup }) =>
    slices(bytes).map((slice, index) => {
      const chunk = {
        orgId,
        exportId: id,
        number,
        startByte: BigInt(startByte),
        bytes: slice,
        rowGroup: index === 0 ? rowGroup : null,
      };
      number += 1;
      startByte += slice.length;
      return chunk;
    }),
  );
}

function slices(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / largestChunk);
  return Array.from({ length: count }, (_, index) =>
    bytes.subarray(index * largestChunk, (index + 1) * largestChunk),
  );
}

/** Reads the file once more for its digest, and tells that it is there. */
async function complete(
  { db, clock, publicUrl, subscribers }: ExportProgram,
  task: Export,
  save: Save,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  for await (const bytes of readFile(db, task, { first: 0, last: task.state.bytes - 1 })) {
    signal.throwIfAborted();
    hash.update(bytes);
  }
  await db.transaction().execute(async (tx) => {
    const now = clock.now();
    const sha256 = hash.digest('hex');
    const expiresAt = new Date(now.getTime() + keptMilliseconds);
    const state: ExportState = { ...task.state, phase: 'ready', sha256, expiresAt: expiresAt.toISOString() };
    await save(tx, { state, isDone: true });
    const event = readyEvent(task, { sha256, expiresAt, publicUrl: publicUrl() });
    await recordEvent(tx, { orgId: task.orgId, now, subscribers }, 'export.ready', event);
  });
}

/** How long a file is kept. */
const keptMilliseconds = 24 * 60 * 60 * 1_000;

const exportsATime = 10;

const chunksATime = 200;

const keptDays = 90;

/**
 * Removes the files that nobody can fetch any more, some parts at a time and each file's from its end. Answers whether
 * there may be more.
 */
async function pruneExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<boolean> {
  const outlived = await findOutlived(db, clock.now(), exportsATime);
  for (const key of outlived) await removeLastChunks(db, key, chunksATime);
  return outlived.length > 0;
}

/** Forgets exports themselves, a while after their files. */
async function forgetExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await removeEndedTasks(db, exportKind, { before, except: await findExportsWithFile(db) });
}
