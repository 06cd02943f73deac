import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { PublicError } from '../lib/errors.ts';
import { lockDirectory, writeHolder, type Holder } from './directoryLock.ts';
import type { WorkerInput, WorkerMessage } from './embeddedWorker.ts';

/** A running embedded PostgreSQL. */
export type Embedded = {
  /** For `pg` as its `host`. */
  socketDirectory: string;
  /** Rejects when the database ends without having been asked to; never resolves. */
  failed: Promise<never>;
  /** How often the database has made the disk keep what it wrote. */
  countFsyncs: () => number;
  /** Tells those who find the folder taken where the server is reached. */
  announce: (publicUrl: string) => void;
  /** Ends the database cleanly and frees the folder. */
  close: () => Promise<void>;
};

// The folder names PostgreSQL's major version: another one could not read it.
const databaseFolder = 'postgres-18';

/**
 * Opens the PostgreSQL that lives in `dataDir`, making it at the first start, for this process alone. Throws
 * `DirectoryInUse` while another process has it.
 */
export async function openEmbedded(dataDir: string, command: string): Promise<Embedded> {
  const socketDirectory = mkdtempSync(join(socketParent(), 'runcost-'));
  const holder: Holder = { pid: process.pid, command, socketDirectory };
  let unlock: (() => void) | null = null;
  const release = (): void => {
    unlock?.();
    rmSync(socketDirectory, { recursive: true, force: true });
  };
  try {
    unlock = lockDirectory(dataDir, holder);
    await initialize(dataDir);
    const thread = await startThread(join(dataDir, databaseFolder), join(socketDirectory, socketName));
    const announce = (publicUrl: string) => writeHolder(dataDir, { ...holder, publicUrl });
    return { ...handleOf(thread, release), socketDirectory, announce };
  } catch (error) {
    release();
    throw error;
  }
}

/** A new database is made under another name first, so that one left half-made is never opened. */
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

/** PGlite copies a new database into place without making the disk keep it. */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) sync(join(folder, entry));
  sync(folder);
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

/** The thread in which the database runs, and its end, with the reason where it failed. */
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
  // Whoever cares waits for it; nobody caring is no fault of its own.
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
const longestSocketPath = 100;

/** Socket paths are short by nature (104 bytes on macOS), and macOS's own temporary folder is long. */
function socketParent(): string {
  return join(tmpdir(), 'runcost-XXXXXX', socketName).length < longestSocketPath ? tmpdir() : '/tmp';
}
