import { constants, existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatabaseAddress, type OpenDatabase, openDatabase } from '../db/database.ts';
import { databaseFolder, removeDeadSnapshots, snapshotFolder } from '../db/embedded.ts';
import { PublicError } from '../lib/errors.ts';
import { refuseHalfMoved } from './moved.queries.ts';
import { writeOutBuffers } from './rows.queries.ts';

/**
 * Opens the database as it is now, for long reads that block nobody. If another process has the embedded
 * database, which has only one session, this copies its files; `close` removes the copy.
 */
export async function openSnapshot(
  address: DatabaseAddress,
  command: string,
  { hasAmcheck = false }: { hasAmcheck?: boolean } = {},
): Promise<OpenDatabase> {
  const { dataDir } = address;
  const database = await openDatabase(address, { command, mayJoin: true, mayCreate: false, hasAmcheck });
  if (!database.isJoined) {
    await refuseHalfMoved(database.db).catch(async (error: unknown) => {
      await database.close();
      throw error;
    });
    return database;
  }
  const folder = snapshotFolder(dataDir);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    removeDeadSnapshots(dataDir);
    await mkdir(folder, { mode: 0o700 });
    const files = (of: string) => join(of, databaseFolder);
    await writeOutBuffers(database.db, () => copyFiles(files(dataDir), files(folder)));
    const copy = await openDatabase(
      { databaseUrl: null, dataDir: folder },
      { command, mayJoin: false, mayCreate: false, hasAmcheck },
    );
    const close = async (): Promise<void> => {
      try {
        await copy.close();
      } finally {
        await remove();
      }
    };
    return { ...copy, close };
  } catch (error) {
    await remove();
    const { syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new PublicError(
      'unavailable',
      'no_snapshot',
      `The data in ${dataDir} cannot be copied: ${message}`,
    );
  } finally {
    await database.close();
  }
}

/** Shares blocks on file systems that support it. */
function copyFiles(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, databaseFolder));
}
