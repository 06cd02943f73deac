import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type DatabaseAddress, openDatabase } from '../db/database.ts';
import type { Transaction } from '../db/database.ts';
import { lockDirectory } from '../db/directoryLock.ts';
import { databaseFolder, sync } from '../db/embedded.ts';
import { forgetFolder, setHold } from '../db/installation.ts';
import { findPending, runMigrations } from '../db/migrate.ts';
import { PublicError } from '../lib/errors.ts';
import { type Archive, damaged, keyName, type Manifest, readParts, tooNew } from './format.ts';
import {
  analyze,
  clearTable,
  digestOf,
  isEmptyDatabase,
  listTables,
  loadLines,
  prepareLongWork,
  type Table,
} from './rows.queries.ts';
import { hasDatabase } from './snapshot.ts';
import { ownTables } from './writeBackup.ts';

type RestoreOptions = { now: Date; signal: AbortSignal; report: (rows: number) => void };

/** Restores into an empty database or data folder, all or nothing, and puts the result on hold. */
export async function restoreBackup(
  archive: Archive,
  address: DatabaseAddress,
  options: RestoreOptions,
): Promise<void> {
  await refuseNewer(archive.manifest);
  if (address.databaseUrl) return restoreToServer(archive, address, options);
  return restoreToFolder(archive, address.dataDir, options);
}

async function refuseNewer({ migrations, program }: Manifest): Promise<void> {
  try {
    await findPending(migrations);
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== 'database_too_new') throw error;
    throw tooNew(`was written by Runcost ${program}, whose tables are newer than this version's`);
  }
}

const command = 'restore';

async function restoreToServer(
  archive: Archive,
  address: DatabaseAddress,
  options: RestoreOptions,
): Promise<void> {
  const database = await openDatabase(address, { command, mayJoin: false, mayCreate: false });
  try {
    if (!(await isEmptyDatabase(database.db))) throw notEmpty('The database at DATABASE_URL has tables');
    await load(database.db, archive, options);
  } finally {
    await database.close();
  }
}

function notEmpty(what: string): PublicError {
  return new PublicError('conflict', 'not_empty', `${what}. Restore into an empty one; nothing was changed.`);
}

function refuseDatabase(dataDir: string): void {
  if (hasDatabase(dataDir)) throw notEmpty(`DATA_DIR ${dataDir} has a database`);
}

/** Restores under a temporary name first, so that a server never finds half of a database. */
async function restoreToFolder(archive: Archive, dataDir: string, options: RestoreOptions): Promise<void> {
  refuseDatabase(dataDir);
  const unlock = lockDirectory(dataDir, { pid: process.pid, command, socketDirectory: '' });
  const unfinished = join(dataDir, 'restore.unfinished');
  try {
    refuseDatabase(dataDir);
    const key = await keyToWrite(archive, dataDir);
    rmSync(unfinished, { recursive: true, force: true });
    const database = await openDatabase(
      { databaseUrl: null, dataDir: unfinished },
      { command, mayJoin: false, mayCreate: true },
    );
    try {
      await Promise.race([load(database.db, archive, options), database.failed]);
    } finally {
      await database.close().catch(() => {}); // The reason is known by now.
    }
    if (key !== null) writeFileSync(join(dataDir, keyName), key, { mode: 0o600, flush: true });
    renameSync(join(unfinished, databaseFolder), join(dataDir, databaseFolder));
    sync(dataDir);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
    unlock();
  }
}

async function keyToWrite({ entries }: Archive, dataDir: string): Promise<string | null> {
  const key = (await entries.get(keyName)?.read())?.toString() ?? null;
  const path = join(dataDir, keyName);
  if (key === null || !existsSync(path)) return key;
  if (readFileSync(path, 'utf8').trim() === key.trim()) return null;
  throw notEmpty(`${path} is another key than the backup's`);
}

async function load(db: Database, archive: Archive, options: RestoreOptions): Promise<void> {
  const { migrations } = archive.manifest;
  await db.transaction().execute(async (tx) => {
    await prepareLongWork(tx);
    await runMigrations(
      tx,
      migrations.map(({ name }) => name),
    );
    const known = await listTables(tx, ownTables);
    let rows = 0;
    for (const table of archive.manifest.tables) {
      refuseOtherColumns(table, known);
      await clearTable(tx, table);
      for await (const lines of readParts(archive, table)) {
        options.signal.throwIfAborted();
        await loadLines(tx, table, lines);
        options.report((rows += lines.length));
      }
      const { rows: stored, sum } = await digestOf(tx, table);
      if (stored !== table.rows || sum !== table.sum)
        throw damaged(`table ${table.name} reads back with other rows`);
    }
    await finish(tx, archive.manifest, options);
  });
  await analyze(db);
}

/** Column types become part of SQL statements, so a file must not choose them. */
function refuseOtherColumns({ name, columns }: Table, known: readonly Table[]): void {
  const textOf = (of: Table['columns']) =>
    of
      .map((column) => JSON.stringify([column.name, column.type]))
      .toSorted()
      .join();
  const own = known.find((table) => table.name === name);
  if (own && textOf(own.columns) === textOf(columns)) return;
  throw damaged(`table ${name} has other columns than its migrations make`);
}

async function finish(tx: Transaction, manifest: Manifest, { now }: RestoreOptions): Promise<void> {
  await runMigrations(tx, await findPending(manifest.migrations));
  await forgetFolder(tx);
  await setHold(tx, { reason: 'restored', detail: manifest.createdAt, since: now });
}
