import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { PublicError } from '../lib/errors.ts';

export type Holder = { pid: number; command: string; socketDirectory: string; publicUrl?: string };

export const serverCommand = 'server';

export class DirectoryInUse extends PublicError {
  readonly holder: Holder | null;

  constructor(dataDir: string, holder: Holder | null) {
    const who = holder ? `by process ${holder.pid} (runcost ${holder.command})` : 'by another process';
    const message = `DATA_DIR ${dataDir} is in use ${who}. Stop it, or choose another DATA_DIR and PORT.`;
    super('unavailable', 'data_folder_in_use', message);
    this.holder = holder;
  }

  /** Whether the holder is a command, which ends soon. A holder without a name may be one. */
  get isTemporary(): boolean {
    return this.holder?.command !== serverCommand;
  }
}

const lockName = 'lock';

export function hasLock(dataDir: string): boolean {
  return existsSync(join(dataDir, lockName));
}

/**
 * Locks the folder for this process and creates it if needed. The operating system holds the lock on a SQLite file: it
 * ends with the process, and a reused process id cannot hold it. Throws `DirectoryInUse`. Returns the release.
 */
export function lockDirectory(dataDir: string, holder: Holder): () => void {
  const lock = openLock(dataDir);
  try {
    lock.exec('begin exclusive');
    clearUpAfter(readHolder(dataDir));
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

/**
 * Removes the socket folder of a killed process. If that process still runs, its folder is another one, and
 * this is a copy.
 */
function clearUpAfter(former: Holder | null): void {
  if (!former || !socketFolderName.test(basename(former.socketDirectory)) || isRunning(former.pid)) return;
  rmSync(former.socketDirectory, { recursive: true, force: true });
}

/** No other folder may be removed, whatever the file names. */
const socketFolderName = /^runcost-[0-9a-f]{16}$/;

export function newSocketFolderName(): string {
  return `runcost-${randomBytes(8).toString('hex')}`;
}

export function isRunning(pid: number): boolean {
  // In a container, every start has the same process id.
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

// Processes that start at the same moment can block each other; a short random wait resolves it.
const maxWaitMilliseconds = 20;

/** Node's recursive `mkdir` never returns where the system allows no folders, such as below /proc. */
function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
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
    return new DatabaseSync(join(dataDir, lockName), { timeout: maxWaitMilliseconds });
  } catch (error) {
    throw unusable(dataDir, 'written', error);
  }
}

function unusable(dataDir: string, act: 'made' | 'written', cause: unknown): PublicError {
  const message = `DATA_DIR ${dataDir} cannot be ${act}: ${(cause as Error).message}`;
  return new PublicError('unavailable', 'data_folder', message);
}

export function writeHolder(dataDir: string, holder: Holder): void {
  writeFileSync(holderFile(dataDir), JSON.stringify(holder), { mode: 0o600 });
}

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
