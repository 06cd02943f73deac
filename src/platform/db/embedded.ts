import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { startLine } from '../../config.ts';
import { PublicError } from '../lib/errors.ts';
import {
  hasLock,
  isRunning,
  lockDirectory,
  newSocketFolderName,
  writeHolder,
  type Holder,
} from './directoryLock.ts';
import type { WorkerInput, WorkerMessage } from './embeddedWorker.ts';

export type Embedded = {
  socketDirectory: string;
  failed: Promise<never>;
  countFsyncs: () => number;
  announce: (publicUrl: string) => void;
  close: () => Promise<void>;
};

// The name contains PostgreSQL's major version, because other versions cannot read the folder.
export const databaseFolder = 'postgres-18';

/**
 * Opens the PostgreSQL in `dataDir` for this process. With `mayCreate`, the first start creates it. Throws
 * `DirectoryInUse`.
 */
export async function openEmbedded(
  dataDir: string,
  { command, mayCreate, hasAmcheck = false }: { command: string; mayCreate: boolean; hasAmcheck?: boolean },
): Promise<Embedded> {
  const hasDatabase = () => existsSync(join(dataDir, databaseFolder));
  // Does not fill a mistyped folder. If there is a lock, another process may be creating the database now.
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
    removeDeadSnapshots(dataDir);
    await initialize(dataDir);
    const thread = await startThread({
      databaseDir: join(dataDir, databaseFolder),
      socketPath: join(socketDirectory, socketName),
      hasAmcheck,
    });
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

/** A folder for a copy of the database that only this process uses. */
export function snapshotFolder(dataDir: string): string {
  return join(dataDir, `snapshot-${process.pid}-${randomBytes(4).toString('hex')}`);
}

export function removeDeadSnapshots(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    const owner = /^snapshot-(\d+)-/.exec(name)?.[1];
    if (!owner || isRunning(Number(owner))) continue;
    rmSync(join(dataDir, name), { recursive: true, force: true });
  }
}

/** Creates a new database under a temporary name first, so that nobody opens a half-made one. */
async function initialize(dataDir: string): Promise<void> {
  const complete = join(dataDir, databaseFolder);
  if (existsSync(complete)) return;
  const unfinished = `${complete}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { mode: 0o700 });
  await stopThread(await startThread({ databaseDir: unfinished, socketPath: null, hasAmcheck: false }));
  syncAll(unfinished);
  renameSync(unfinished, complete);
  sync(dataDir);
}

/** PGlite copies a new database into place without fsync. */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, entry));
  sync(folder);
}

export function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

type Thread = { worker: Worker; ended: Promise<string>; fsyncs: Uint32Array };

async function startThread(input: Omit<WorkerInput, 'fsyncs'>): Promise<Thread> {
  const { databaseDir } = input;
  const fsyncs = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT));
  const workerData: WorkerInput = { ...input, fsyncs };
  const file = new URL(`./embeddedWorker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(file, { workerData });
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
  // A failure that nobody waits for must not end the process.
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
 * Returns a new name for a folder. Socket paths are limited (104 bytes on macOS), and macOS's own temporary
 * folder is long.
 */
function newSocketDirectory(): string {
  const name = newSocketFolderName();
  const folder = join(tmpdir(), name);
  return join(folder, socketName).length < maxSocketPathLength ? folder : join('/tmp', name);
}
