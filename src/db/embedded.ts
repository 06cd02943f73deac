import { once } from 'node:events';
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { lockDirectory } from './directoryLock.ts';
import type { WorkerInput, WorkerMessage } from './embeddedWorker.ts';

/** A running embedded PostgreSQL. */
export type Embedded = {
  /** For `pg` as its `host`. */
  socketDirectory: string;
  /** Rejects when the database ends without having been asked to; never resolves. */
  failed: Promise<never>;
  /** How often the database has made the disk keep what it wrote. */
  countFsyncs: () => Promise<number>;
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
  let unlock: (() => void) | null = null;
  const release = (): void => {
    unlock?.();
    rmSync(socketDirectory, { recursive: true, force: true });
  };
  try {
    unlock = lockDirectory(dataDir, { pid: process.pid, command, socketDirectory });
    await initialize(dataDir, socketDirectory);
    const worker = await startWorker(join(dataDir, databaseFolder), socketDirectory);
    return handleOf(worker, socketDirectory, release);
  } catch (error) {
    release();
    throw error;
  }
}

/** A new database is made under another name first, so that one left half-made is never opened. */
async function initialize(dataDir: string, socketDirectory: string): Promise<void> {
  const complete = join(dataDir, databaseFolder);
  if (existsSync(complete)) return;
  const unfinished = `${complete}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  await closeWorker(await startWorker(unfinished, socketDirectory));
  renameSync(unfinished, complete);
}

async function startWorker(databaseDir: string, socketDirectory: string): Promise<Worker> {
  const workerData: WorkerInput = { databaseDir, socketPath: join(socketDirectory, '.s.PGSQL.5432') };
  const worker = new Worker(new URL('./embeddedWorker.ts', import.meta.url), {
    workerData,
    stdout: true,
    stderr: true,
  });
  let output = '';
  for (const stream of [worker.stdout, worker.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output = (output + text).slice(-2_000)));
  }
  await Promise.race([
    once(worker, 'message'),
    once(worker, 'exit').then(() => {
      throw new Error(`The embedded database in ${databaseDir} did not start.\n${output}`.trim());
    }),
  ]);
  return worker;
}

function handleOf(worker: Worker, socketDirectory: string, release: () => void): Embedded {
  let closing: Promise<void> | null = null;
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', (cause) => reject(new Error('The embedded database failed.', { cause })));
    worker.once('exit', () => {
      if (!closing) reject(new Error('The embedded database ended by itself.'));
    });
  });
  // Whoever cares waits for it; nobody caring is no fault of its own.
  failed.catch(() => {});
  return {
    socketDirectory,
    failed,
    countFsyncs: async () => {
      worker.postMessage('fsyncs');
      const [message] = (await once(worker, 'message')) as [WorkerMessage];
      return message.type === 'fsyncs' ? message.count : 0;
    },
    close: () => (closing ??= closeWorker(worker).finally(release)),
  };
}

async function closeWorker(worker: Worker): Promise<void> {
  if (worker.threadId === -1) return;
  const ended = once(worker, 'exit');
  worker.postMessage('close');
  await ended;
}

const longestSocketPath = 100;

/** Socket paths are short by nature (104 bytes on macOS), and macOS's own temporary folder is long. */
function socketParent(): string {
  return join(tmpdir(), 'runcost-XXXXXX', '.s.PGSQL.5432').length < longestSocketPath ? tmpdir() : '/tmp';
}
