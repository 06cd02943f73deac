import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, type DatabaseAddress, openDatabase } from '../db/database.ts';
import type { Transaction } from '../db/database.ts';
import { clearFolder, setHold } from '../db/installation.ts';
import { listTables, type Table } from '../db/listTables.ts';
import { findPending, lockEmpty, runMigrations } from '../db/migrate.ts';
import { PublicError } from '../lib/errors.ts';
import { countOf } from '../lib/text.ts';
import { type Archive, damaged, keyName, type Manifest, readParts, tooNew } from './format.ts';
import {
  analyze,
  clearTable,
  digestOf,
  isEmptyDatabase,
  loadLines,
  prepareLongWork,
} from './rows.queries.ts';
import { ownTables } from './writeBackup.ts';

type RestoreOptions = { now: Date; signal: AbortSignal; report: (rows: number) => void };

/** Restores into an empty database or data folder, all or nothing, and puts the result on hold. */
export async function restoreBackup(
  archive: Archive,
  address: DatabaseAddress,
  options: RestoreOptions,
): Promise<void> {
  await refuseNewer(archive.manifest);
  const { databaseUrl, dataDir } = address;
  if (!databaseUrl) refuseForeignFiles(dataDir);
  const key = databaseUrl ? null : await keyToWrite(archive, dataDir);
  const keyFile = join(dataDir, keyName);
  let wroteKey = false;
  const database = await openDatabase(address, { mayCreate: true });
  try {
    if (!(await isEmptyDatabase(database.db)))
      throw notEmpty(
        databaseUrl ? 'The database at DATABASE_URL has tables' : `DATA_DIR ${dataDir} has a database`,
      );
    await load(database.db, archive, {
      ...options,
      // Last, and before anybody sees the rows: a start that finds them must not make another key.
      beforeCommit: () => {
        if (key !== null) writeFileSync(keyFile, key, { mode: 0o600, flush: true, flag: 'wx' });
        wroteKey = key !== null;
      },
    });
  } catch (error) {
    if (wroteKey) rmSync(keyFile, { force: true });
    throw error;
  } finally {
    await database.close();
  }
}

/** What a data folder has, also after a failed restore, and what a mounted disk has. */
const ownNames =
  /^(encryption\.key|identity\.json|postgres-\d+(\.unfinished-\w+)?|postgres\.log|run|servers|address|lost\+found)$/;

/** A folder with other files is probably the wrong one. */
function refuseForeignFiles(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  const [first, ...others] = readdirSync(dataDir).filter((name) => !ownNames.test(name));
  if (first === undefined) return;
  const more = others.length > 0 ? ` and ${countOf(others.length, 'other file')}` : '';
  throw notEmpty(`DATA_DIR ${dataDir} has files that are not Runcost's: ${first}${more}`);
}

async function refuseNewer({ migrations, program }: Manifest): Promise<void> {
  try {
    await findPending(migrations);
  } catch (error) {
    if (!(error instanceof PublicError) || error.code !== 'database_too_new') throw error;
    throw tooNew(`was written by Runcost ${program}, whose tables are newer than this version's`);
  }
}

function notEmpty(what: string): PublicError {
  return new PublicError('conflict', 'not_empty', `${what}. Restore into an empty one; nothing was changed.`);
}

async function keyToWrite({ entries }: Archive, dataDir: string): Promise<string | null> {
  const key = (await entries.get(keyName)?.read())?.toString() ?? null;
  const path = join(dataDir, keyName);
  if (key === null || !existsSync(path)) return key;
  if (readFileSync(path, 'utf8').trim() === key.trim()) return null;
  throw notEmpty(`${path} is another key than the backup's`);
}

type LoadOptions = RestoreOptions & { beforeCommit: () => void };

async function load(db: Database, archive: Archive, options: LoadOptions): Promise<void> {
  const { migrations } = archive.manifest;
  await db.transaction().execute(async (tx) => {
    await prepareLongWork(tx);
    // A server that starts meanwhile waits for this lock, or has made its tables by now.
    if (!(await lockEmpty(tx))) throw notEmpty('Another process has made tables in the database');
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
    options.beforeCommit();
  });
  // The rows are stored; without this, PostgreSQL analyzes them a little later.
  await analyze(db).catch(() => {});
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
  await clearFolder(tx);
  await setHold(tx, { reason: 'restored', detail: manifest.createdAt, since: now });
}
