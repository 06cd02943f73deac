import { createHash, type Hash } from 'node:crypto';
import { recordEvent } from '../../events/outbox.ts';
import { readActorKinds } from '../../ledger/actors/patterns.ts';
import { type DoPiece, prunePoller, taskPoller } from '../../platform/work/tasks.ts';
import type { Poller } from '../../platform/work/worker.ts';
import type { Cell } from './columns.ts';
import { datasets, type ExportInput } from './datasets.ts';
import {
  type Export,
  exportKind,
  type ExportProgram,
  type ExportState,
  readFile,
  readyEvent,
} from './exports.ts';
import { formats, type Part } from './formats.ts';
import { findLines } from './lines.queries.ts';
import { findOutlived, findRowGroups, insertChunks, removeLastChunks } from './queries.ts';
import type { Cursor } from './rows.queries.ts';

type Piece = DoPiece<ExportInput, ExportState>;

type Save = Parameters<Piece>[1];

export function exportPollers(program: ExportProgram): Poller[] {
  return [
    exportPoller(program),
    { name: 'prune exports', everyMilliseconds: 60_000, run: () => pruneExports(program) },
    prunePoller(program, 'forget exports', exportKind, keptDays),
  ];
}

export function exportPoller(program: ExportProgram, rowsPerPiece?: number): Poller {
  return taskPoller(program, exportKind, writeExport(program, rowsPerPiece));
}

/** Rows and position share a transaction, so any process can continue. */
export function writeExport(program: ExportProgram, rowsPerPiece?: number): Piece {
  const { writeRows, takeHash } = rowWriter(program, rowsPerPiece);
  return async (task, save, signal) => {
    if (task.state.phase === 'rows') return writeRows(task, save);
    await complete(program, task, { save, signal, known: takeHash(task) });
  };
}

/** What this process remembers about the first `bytes` of a file, so that it need not reread them for the digest. */
type Known = { bytes: number; hash: Hash | null; ahead: Promise<Written> | null };

/** Each entry holds a page of rows in memory. */
const maxKnown = 4;

/** `writeRows` writes the next rows. After the last ones, the file is complete and its phase is `digest`. */
export function rowWriter(program: Rows, rowsPerPiece?: number) {
  const files = new Map<string, Known>();

  function take({ id, state }: Pick<Export, 'id' | 'state'>): Known {
    const known = files.get(id);
    files.delete(id);
    if (known?.bytes === state.bytes) return known;
    return { bytes: state.bytes, hash: state.bytes === 0 ? createHash('sha256') : null, ahead: null };
  }

  function keep(id: string, known: Known): void {
    files.set(id, known);
    for (const oldest of [...files.keys()].slice(0, -maxKnown)) files.delete(oldest);
  }

  return {
    writeRows: async (task: Export, save: Save): Promise<void> => {
      const limit = rowsPerPiece ?? formats[task.input.format].rowsPerPiece;
      const { hash, ahead } = take(task);
      const next = await (ahead ?? readNext(program, task, task.state.cursor, limit));
      // Reads the next page while this one is written.
      const following = next.isLast ? null : readNext(program, task, next.cursor, limit);
      following?.catch(() => {});
      const chunks = await append(program, task, save, next);
      for (const { bytes } of chunks) hash?.update(bytes);
      keep(task.id, { bytes: endOf(task, chunks), hash, ahead: following });
    },
    takeHash: (task: Export) => take(task).hash,
  };
}

function endOf({ state }: Export, chunks: { bytes: Buffer }[]): number {
  return chunks.reduce((sum, { bytes }) => sum + bytes.length, state.bytes);
}

type Rows = Pick<ExportProgram, 'db' | 'providers'>;

/** Few, because two pages of rows are in memory. */
const rowsPerQuery = 2_000;

/** The next rows. Their bytes can depend on the offset at which they start. */
type Written = {
  rows: number;
  cursor: Cursor | null;
  isLast: boolean;
  writeAt: (byte: number) => Part | Promise<Part>;
};

async function readNext(
  program: Rows,
  { orgId, input }: Export,
  after: Cursor | null,
  limit: number,
): Promise<Written> {
  const { columns, lines, read } = datasets[input.dataset];
  const scope = { orgId, from: new Date(input.from), to: new Date(input.to) };
  if (input.format === 'csv' && lines) {
    const kinds = await readActorKinds(program.db, orgId);
    const { text, rows, cursor } = await findLines(program.db, lines(scope, after, limit), columns, kinds);
    const part = { bytes: Buffer.from(text), rowGroup: null };
    return { rows, cursor: cursor ?? after, isLast: rows < limit, writeAt: () => part };
  }
  const records: Cell[][] = [];
  let cursor = after;
  let isLast = false;
  while (records.length < limit && !isLast) {
    const most = Math.min(rowsPerQuery, limit - records.length);
    const page = await read(program, scope, cursor, most);
    records.push(...page.records);
    cursor = page.cursor ?? cursor;
    isLast = page.records.length < most;
  }
  const writeAt = (byte: number) => formats[input.format].rows(columns, records, byte);
  return { rows: records.length, cursor, isLast, writeAt };
}

async function append({ db }: Rows, task: Export, save: Save, next: Written) {
  const { state } = task;
  const parts = await partsOf(db, task, next);
  const chunks = chunksOf(task, parts);
  const rows = Number(task.done) + next.rows;
  await db.transaction().execute(async (tx) => {
    // First, because it stops a worker that has lost the task.
    await save(tx, {
      state: {
        phase: next.isLast ? 'digest' : 'rows',
        cursor: next.cursor,
        bytes: endOf(task, chunks),
        chunks: state.chunks + chunks.length,
      },
      done: rows,
      ...(next.isLast && { total: rows }),
    });
    await insertChunks(tx, chunks);
  });
  return chunks;
}

async function partsOf(db: Rows['db'], task: Export, { rows, writeAt, isLast }: Written): Promise<Part[]> {
  const { columns } = datasets[task.input.dataset];
  const format = formats[task.input.format];
  const parts: Part[] = [];
  const position = () => parts.reduce((sum, { bytes }) => sum + bytes.length, task.state.bytes);
  if (task.state.chunks === 0) parts.push({ bytes: format.begin(columns), rowGroup: null });
  if (rows > 0) parts.push(await writeAt(position()));
  if (isLast && format.end) {
    const groups = [
      ...(await findRowGroups(db, task)),
      ...parts.flatMap(({ rowGroup }) => (rowGroup ? [rowGroup] : [])),
    ];
    parts.push({ bytes: format.end(columns, groups, Number(task.done) + rows), rowGroup: null });
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

type Completed = { save: Save; signal: AbortSignal; known: Hash | null };

async function complete(
  { db, clock, publicUrl, subscribers }: ExportProgram,
  task: Export,
  { save, signal, known }: Completed,
): Promise<void> {
  const hash = known ?? createHash('sha256');
  if (!known) {
    for await (const bytes of readFile(db, task, { first: 0, last: task.state.bytes - 1 })) {
      signal.throwIfAborted();
      hash.update(bytes);
    }
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
