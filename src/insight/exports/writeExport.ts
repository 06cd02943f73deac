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

export function exportPoller(program: ExportProgram, rowsPerPiece?: number): Poller {
  return taskPoller(program, exportKind, writeExport(program, rowsPerPiece));
}

/**
 * Writes the next rows of an export, or its digest after the last row. Rows and position share a transaction, so that
 * any process can continue.
 */
export function writeExport(program: ExportProgram, rowsPerPiece?: number): Piece {
  return async (task, save, signal) => {
    if (task.state.phase === 'digest') return complete(program, task, save, signal);
    await writeRows(program, task, save, rowsPerPiece);
  };
}

/** Writes the next rows. After the last ones, the phase is `digest`, and the file is complete. */
export async function writeRows(
  program: Rows,
  task: Export,
  save: Save,
  rowsPerPiece?: number,
): Promise<void> {
  const dataset = datasets[task.input.dataset];
  const format = formats[task.input.format];
  const rows = await nextRows(program, task, dataset, rowsPerPiece ?? format.rowsPerPiece);
  await append(program, task, save, { ...rows, columns: dataset.columns, format });
}

type Rows = Pick<ExportProgram, 'db' | 'providers'>;

/** Few, because the embedded database does one thing at a time. */
const rowsPerQuery = 2_000;

async function nextRows(
  program: Rows,
  { orgId, input, state }: Export,
  { read }: Dataset,
  most: number,
): Promise<Pick<NextRows, 'records' | 'cursor' | 'isLast'>> {
  const scope = { orgId, from: new Date(input.from), to: new Date(input.to) };
  const records: Cell[][] = [];
  let cursor = state.cursor;
  while (records.length < most) {
    const limit = Math.min(rowsPerQuery, most - records.length);
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

async function append({ db }: Rows, task: Export, save: Save, next: NextRows): Promise<void> {
  const { state } = task;
  const parts = await partsOf(db, task, next);
  const chunks = chunksOf(task, parts);
  const rows = Number(task.done) + next.records.length;
  await db.transaction().execute(async (tx) => {
    // First, because it stops a worker that has lost the task.
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

async function partsOf(db: Rows['db'], task: Export, next: NextRows): Promise<Part[]> {
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

/** Small, so that the garbage collector frees it soon: as text it is twice as long. */
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

const keptMilliseconds = 24 * 60 * 60 * 1_000;

const exportsPerPrune = 10;

const chunksPerPrune = 200;

export const keptDays = 90;

async function pruneExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<boolean> {
  const outlived = await findOutlived(db, clock.now(), exportsPerPrune);
  for (const key of outlived) await removeLastChunks(db, key, chunksPerPrune);
  return outlived.length > 0;
}

async function forgetExports({ db, clock }: Pick<ExportProgram, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now().getTime() - keptDays * 86_400_000);
  await removeEndedTasks(db, exportKind, { before, except: await findExportsWithFile(db) });
}
