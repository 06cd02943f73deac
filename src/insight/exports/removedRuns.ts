import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { type ExportRemoved, ExportFailed } from '../../ledger/retention/removeRuns.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { sync } from '../../platform/db/embedded.ts';
import { jobColumns, runColumns, type ColumnOf } from './columns.ts';
import { formats } from './formats.ts';
import { findJobsOfRuns, findRunsById } from './rows.queries.ts';

/** Each with its jobs in memory. */
const runsAtOnce = 20;

/**
 * Writes the runs and jobs of each step of a removal to files of its own, which are on the disk when it returns. A step
 * that is repeated after a crash replaces its files.
 */
export function exportRemovedTo(folder: string): ExportRemoved {
  return async (tx, { orgId, removal, step }, runIds) => {
    const into = join(folder, orgId, removal);
    const file = (dataset: string) => join(into, `${dataset}-${String(step).padStart(9, '0')}.jsonl.gz`);
    try {
      for (const each of [folder, dirname(into), into]) await makeFolder(each);
      await writeWhole(file('runs'), linesOf(runColumns, findRunsById, { tx, orgId, runIds }));
      await writeWhole(file('jobs'), linesOf(jobColumns, findJobsOfRuns, { tx, orgId, runIds }));
      for (const each of [into, dirname(into), folder]) sync(each);
    } catch (error) {
      const { syscall, message } = error as NodeJS.ErrnoException;
      throw syscall === undefined ? error : new ExportFailed(message);
    }
  };
}

type Step = { tx: Transaction; orgId: string; runIds: readonly string[] };

async function* linesOf<Row>(
  columns: readonly ColumnOf<Row>[],
  find: (tx: Transaction, orgId: string, runIds: readonly string[]) => Promise<Row[]>,
  { tx, orgId, runIds }: Step,
): AsyncGenerator<Buffer> {
  for (let at = 0; at < runIds.length; at += runsAtOnce) {
    const rows = await find(tx, orgId, runIds.slice(at, at + runsAtOnce));
    const records = rows.map((row) => columns.map(({ cellOf }) => cellOf(row)));
    yield formats.jsonl.rows(columns, records, 0).bytes;
  }
}

/** The file gets its name once all of it is on the disk. */
async function writeWhole(file: string, parts: AsyncIterable<Buffer>): Promise<void> {
  const unfinished = `${file}.part`;
  const handle = await open(unfinished, 'w', 0o600);
  try {
    await pipeline(Readable.from(parts), createGzip(), async (compressed: AsyncIterable<Buffer>) => {
      for await (const bytes of compressed) await handle.writeFile(bytes);
    });
    await handle.sync();
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
}

/** Each by itself: on some file systems, Node's recursive mkdir tries for ever. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
