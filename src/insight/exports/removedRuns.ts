import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Acted } from '../../ledger/actors/actorKinds.ts';
import { addActorKinds } from '../../ledger/actors/patterns.ts';
import { type ExportRemoved, ExportFailed } from '../../ledger/retention/removeRuns.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { jobColumns, runColumns, type ColumnOf, type OfKind } from './columns.ts';
import { formats } from './formats.ts';
import { findJobsOfRuns, findRunsById } from './rows.queries.ts';

/** Few, because each run is in memory with its jobs. */
const runsAtOnce = 20;

/** Each removal step has its own files, on disk when it returns. A repeated step replaces its files. */
export function exportRemovedTo(folder: string): ExportRemoved {
  const fileOf = ({ orgId, removal, step }: StepName, dataset: string) =>
    join(folder, orgId, removal, `${dataset}-${String(step).padStart(9, '0')}.jsonl.gz`);
  return {
    read: async (tx, step, runIds) => {
      const { orgId } = step;
      const runs = await linesOf(runColumns, findRunsById, { tx, orgId, runIds });
      const jobs = await linesOf(jobColumns, findJobsOfRuns, { tx, orgId, runIds });
      return (requireTask) =>
        failing(async () => {
          const into = dirname(fileOf(step, 'runs'));
          for (const each of [folder, dirname(into), into]) await makeFolder(each);
          await writePart(fileOf(step, 'runs'), runs);
          await writePart(fileOf(step, 'jobs'), jobs);
          await requireTask();
          for (const dataset of ['runs', 'jobs']) {
            const file = fileOf(step, dataset);
            await rename(partOf(file), file);
          }
          for (const each of [into, dirname(into), folder]) await syncFolder(each);
        });
    },
    discard: (step) =>
      failing(async () => {
        for (const dataset of ['runs', 'jobs']) await rm(fileOf(step, dataset), { force: true });
      }),
  };
}

async function failing(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { syscall, message } = error as NodeJS.ErrnoException;
    throw syscall === undefined ? error : new ExportFailed(message);
  }
}

type StepName = { orgId: string; removal: string; step: number };
type Step = { tx: Transaction; orgId: string; runIds: readonly string[] };

/** Compressed, because a run may have thousands of jobs. */
async function linesOf<Row extends Acted>(
  columns: readonly ColumnOf<Row & OfKind>[],
  find: (tx: Transaction, orgId: string, runIds: readonly string[]) => Promise<Row[]>,
  { tx, orgId, runIds }: Step,
): Promise<Buffer> {
  async function* lines() {
    for (let at = 0; at < runIds.length; at += runsAtOnce) {
      const found = await find(tx, orgId, runIds.slice(at, at + runsAtOnce));
      const rows = await addActorKinds(tx, orgId, found);
      const records = rows.map((row) => columns.map(({ cellOf }) => cellOf(row)));
      yield (await formats.jsonl.rows(columns, records, 0)).bytes;
    }
  }
  return pipeline(Readable.from(lines()), createGzip(), buffer);
}

function partOf(file: string): string {
  return `${file}.part`;
}

/** The file gets its final name only once it is completely on disk. */
async function writePart(file: string, bytes: Buffer): Promise<void> {
  const unfinished = partOf(file);
  const handle = await open(unfinished, 'w', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  } finally {
    await handle.close();
  }
}

/** Asynchronous, because a hung folder would block the program. */
async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** One folder at a time: on some file systems, Node's recursive mkdir tries forever. */
async function makeFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
}
