import { randomBytes } from 'node:crypto';
import { constants, existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatabaseAddress, type OpenDatabase, openDatabase } from '../db/database.ts';
import { isRunning } from '../db/directoryLock.ts';
import { databaseFolder } from '../db/embedded.ts';
import { PublicError } from '../lib/errors.ts';
import { writeOutBuffers } from './rows.queries.ts';

const prefix = 'snapshot-';

/**
 * The database as it is now, for long reads that nothing may wait for. A server serves them beside all else; the embedded
 * database has one session, so while another process has it, this is a copy of its files. `close` removes the copy.
 */
export async function openSnapshot(
  address: DatabaseAddress,
  command: string,
  { hasAmcheck = false }: { hasAmcheck?: boolean } = {},
): Promise<OpenDatabase> {
  const { dataDir } = address;
  const database = await openDatabase(address, { command, mayJoin: true, mayCreate: false, hasAmcheck });
  if (!database.isJoined) return database;
  const folder = join(dataDir, `${prefix}${process.pid}-${randomBytes(4).toString('hex')}`);
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    await removeLeftOvers(dataDir);
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

/** Shares the blocks where the file system can. */
function copyFiles(from: string, to: string): Promise<void> {
  return cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

/** Of commands that were killed. */
async function removeLeftOvers(dataDir: string): Promise<void> {
  for (const name of readdirSync(dataDir)) {
    if (!name.startsWith(prefix) || isRunning(Number.parseInt(name.slice(prefix.length), 10))) continue;
    await rm(join(dataDir, name), { recursive: true, force: true });
  }
}

export function hasDatabase(dataDir: string): boolean {
  return existsSync(join(dataDir, databaseFolder));
}
