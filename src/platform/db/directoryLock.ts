import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PublicError } from '../lib/errors.ts';

/** Who works on a data folder, where its database can be reached, and where the server, once it listens. */
export type Holder = { pid: number; command: string; socketDirectory: string; publicUrl?: string };

/** Somebody else works on this data folder. */
export class DirectoryInUse extends PublicError {
  readonly holder: Holder | null;

  constructor(dataDir: string, holder: Holder | null) {
    const who = holder ? `by process ${holder.pid} (runcost ${holder.command})` : 'by another process';
    const message = `DATA_DIR ${dataDir} is in use ${who}. Stop it, or choose another DATA_DIR and PORT.`;
    super('unavailable', 'data_folder_in_use', message);
    this.holder = holder;
  }
}

/**
 * Takes the folder for this process alone, making it where it is missing. The lock is the operating system's, on a
 * SQLite file: it ends with the process however that ends, and no recycled process id can be taken for its holder.
 * Throws `DirectoryInUse`. Answers the release.
 */
export function lockDirectory(dataDir: string, holder: Holder): () => void {
  const lock = openLock(dataDir);
  try {
    lock.exec('begin exclusive');
    writeHolder(dataDir, holder);
  } catch (error) {
    lock.close();
    throw isBusy(error)
      ? new DirectoryInUse(dataDir, readHolder(dataDir))
      : unusable(dataDir, 'written', error);
  }
  return () => {
    rmSync(holderFile(dataDir), { force: true });
    lock.close();
  };
}

// Of several who come at the same moment each can be in the way of all others; those who wait a little sort it out.
const longestWaitMilliseconds = 20;

/** Node's own recursive `mkdir` never ends where the system takes no folders, as below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts at the same moment may have made it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

function openLock(dataDir: string): DatabaseSync {
  try {
    makeFolder(dataDir);
  } catch (error) {
    throw unusable(dataDir, 'made', error);
  }
  try {
    return new DatabaseSync(join(dataDir, 'lock'), { timeout: longestWaitMilliseconds });
  } catch (error) {
    throw unusable(dataDir, 'written', error);
  }
}

function unusable(dataDir: string, act: 'made' | 'written', cause: unknown): PublicError {
  const message = `DATA_DIR ${dataDir} cannot be ${act}: ${(cause as Error).message}`;
  return new PublicError('unavailable', 'data_folder', message);
}

/** Tells those who find the folder taken who has it; for its holder. */
export function writeHolder(dataDir: string, holder: Holder): void {
  writeFileSync(holderFile(dataDir), JSON.stringify(holder), { mode: 0o600 });
}

/** Who wrote that it holds the folder; null where nobody did. */
function readHolder(dataDir: string): Holder | null {
  try {
    return JSON.parse(readFileSync(holderFile(dataDir), 'utf8')) as Holder;
  } catch {
    return null;
  }
}

function holderFile(dataDir: string): string {
  return join(dataDir, 'holder.json');
}

const sqliteBusy = 5;

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy;
}
