import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { startLine } from '../../config.ts';
import { PublicError } from '../lib/errors.ts';
import type { WorkerInput, WorkerMessage } from './embeddedWorker.ts';

export type Embedded = {
  socketDirectory: string;
  failed: Promise<never>;
  countFsyncs: () => number;
  announce: (publicUrl: string) => void;
  close: () => Promise<void>;
};

// Contains PostgreSQL's major version, because another one cannot read the folder.
const databaseFolder = 'postgres-18';

/**
 * Opens the PostgreSQL in `dataDir` for this process, and creates it at the first start if it may. Throws
 * `DirectoryInUse`.
 */
export async function openEmbedded(dataDir: string, command: string, mayCreate: boolean): Promise<Embedded> {
  const hasDatabase = () => existsSync(join(dataDir, databaseFolder));
  // Leaves a mistyped folder alone. Where a lock is, another process may be creating the database now.
  if (!mayCreate && !hasDatabase() && !hasLock(dataDir)) throw noDatabase(dataDir);
  const socketDirectory = newSocketDirectory();
  const holder: Holder = { pid: process.pid, command, socketDirectory };
  const unlock = lockDirectory(dataDir, holder);
  const release = (): void => {
    unlock();
    rmSync(socketDirectory, { recursive: true, force: true });
  };
  try {
    mkdirSync(socketDirectory, { mode: 0o700 });
    if (!mayCreate && !hasDatabase()) throw noDatabase(dataDir);
    await initialize(dataDir);
    const thread = await startThread(join(dataDir, databaseFolder), join(socketDirectory, socketName));
    const announce = (publicUrl: string) => writeHolder(dataDir, { ...holder, publicUrl });
    return { ...handleOf(thread, release), socketDirectory, announce };
  } catch (error) {
    release();
    throw error;
  }
}

function noDatabase(dataDir: string): PublicError {
  const message =
    `There is no database in DATA_DIR ${dataDir}. Set DATA_DIR to the folder of your server. To create a database ` +
    `there: ${startLine(dataDir)}`;
  return new PublicError('not_found', 'no_database', message);
}

/** Creates a new database under another name first, so that nobody opens a half-made one. */
async function initialize(dataDir: string): Promise<void> {
  const complete = join(dataDir, databaseFolder);
  if (existsSync(complete)) return;
  const unfinished = `${complete}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  await stopThread(await startThread(unfinished, null));
  syncAll(unfinished);
  renameSync(unfinished, complete);
  sync(dataDir);
}

/** PGlite copies a new database into place without fsync. */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, entry));
  sync(folder);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

type Thread = { worker: Worker; ended: Promise<string>; fsyncs: Uint32Array };

async function startThread(databaseDir: string, socketPath: string | null): Promise<Thread> {
  const fsyncs = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT));
  const workerData: WorkerInput = { databaseDir, socketPath, fsyncs };
  const worker = new Worker(new URL('./embeddedWorker.ts', import.meta.url), { workerData });
  const ready = Promise.withResolvers<void>();
  let reason = '';
  worker.on('error', (error) => (reason = String(error)));
  worker.on('message', (message: WorkerMessage) => {
    if (message.type === 'ready') ready.resolve();
    else reason = message.reason;
  });
  const ended = new Promise<string>((resolve) => worker.once('exit', () => resolve(reason)));
  const refused = ended.then(() => {
    throw databaseFailed(`The database in ${databaseDir} cannot be opened: ${reason}`);
  });
  await Promise.race([ready.promise, refused]);
  return { worker, ended, fsyncs };
}

async function stopThread({ worker, ended }: Thread): Promise<void> {
  worker.postMessage('stop');
  await ended;
}

function handleOf(thread: Thread, release: () => void): Pick<Embedded, 'failed' | 'countFsyncs' | 'close'> {
  let closing: Promise<void> | null = null;
  const failed = thread.ended.then((reason) => {
    if (closing) return new Promise<never>(() => {});
    throw databaseFailed(`The embedded database failed: ${reason}`);
  });
  // Nobody may be waiting for it, which is no error.
  failed.catch(() => {});
  return {
    failed,
    countFsyncs: () => Atomics.load(thread.fsyncs, 0),
    close: () => (closing ??= stopThread(thread).finally(release)),
  };
}

function databaseFailed(message: string): PublicError {
  return new PublicError('unavailable', 'database_failed', message);
}

const socketName = '.s.PGSQL.5432';
const maxSocketPathLength = 100;

/**
 * A new name for a folder that does not exist yet. Socket paths are limited (104 bytes on macOS), and macOS's own
 * temporary folder is long.
 */
function newSocketDirectory(): string {
  const name = `runcost-${randomBytes(8).toString('hex')}`;
  const folder = join(tmpdir(), name);
  return join(folder, socketName).length < maxSocketPathLength ? folder : join('/tmp', name);
}

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

  /** Whether the holder will end, as every command does. A holder that is not named yet may be one. */
  get isTemporary(): boolean {
    return this.holder?.command !== serverCommand;
  }
}

function hasLock(dataDir: string): boolean {
  return existsSync(join(dataDir, lockName));
}

const lockName = 'lock';

/**
 * Locks the folder for this process and creates it if needed. The operating system holds the lock on a SQLite file: it
 * ends with the process, and a reused process id cannot hold it. Throws `DirectoryInUse`. Returns the release.
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

// Processes that start at the same moment can block each other; a short random wait resolves it.
const maxWaitMilliseconds = 20;

/** Node's recursive `mkdir` never returns where the system allows no folders, as below /proc. */
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

function writeHolder(dataDir: string, holder: Holder): void {
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
