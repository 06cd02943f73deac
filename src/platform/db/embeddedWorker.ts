import { fsyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { serveEmbedded } from './embeddedServer.ts';

/** Runs PostgreSQL in WebAssembly in its own thread, so that a long query does not block the HTTP server. */

export type WorkerInput = {
  databaseDir: string;
  /** Null means only to create the database. */
  socketPath: string | null;
  /** Whether to load amcheck, which compares indexes with tables. Loading it takes time. */
  hasAmcheck: boolean;
  fsyncs: Uint32Array;
};
export type WorkerMessage = { type: 'ready' } | { type: 'failed'; reason: string };

const { databaseDir, socketPath, hasAmcheck, fsyncs } = workerData as WorkerInput;

let lastLogged = '';
let lastSystemError = '';

type Emscripten = {
  NODEFS: {
    stream_ops: { fsync?: (stream: { nfd: number }) => number };
    convertNodeCode: (error: NodeJS.ErrnoException) => number;
  };
};

/** Emscripten's file system drops fsync; a power cut could then undo committed work. */
class DurableNodeFS extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const makeDurable = ({ NODEFS }: Emscripten): void => {
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        fsyncSync(nfd);
        Atomics.add(fsyncs, 0, 1);
        return 0;
      };
      // Emscripten keeps only the number of the operating system's error.
      const { convertNodeCode } = NODEFS;
      NODEFS.convertNodeCode = (error) => {
        lastSystemError = error.message;
        return convertNodeCode(error);
      };
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), makeDurable as never] },
    };
  }
}

const db = await PGlite.create({
  fs: new DurableNodeFS(databaseDir),
  extensions: hasAmcheck ? { amcheck: (await import('@electric-sql/pglite/contrib/amcheck')).amcheck } : {},
  // PGlite's own start parameters switch fsync off.
  startParams: [
    ...PGlite.defaultStartParams,
    '-c',
    'fsync=on',
    '-c',
    'wal_sync_method=fsync',
    '-c',
    'shared_buffers=32MB',
    '-c',
    'jit=off',
    '-c',
    'timezone=UTC',
  ],
  onStderr: (line) => {
    lastLogged = /(?:FATAL|PANIC):\s+(.+)/.exec(line)?.[1] ?? lastLogged;
    return true;
  },
}).catch(fail);
failOnPanic();

const stopServing = socketPath ? await serveEmbedded(db, socketPath) : null;
parentPort!.once('message', () => void stop());
post({ type: 'ready' });

async function stop(): Promise<void> {
  await stopServing?.();
  await db.close();
  process.exit();
}

/**
 * PGlite hides whatever ends PostgreSQL (a full disk, a failing fsync) and would answer as if nothing had
 * happened. Only this status is an SQL error for the client.
 */
function failOnPanic(): void {
  const sqlErrorStatus = 100;
  const step = '_PostgresMainLoopOnce';
  const run = db.Module[step];
  db.Module[step] = () => {
    try {
      run();
    } catch (error) {
      if ((error as { status?: number }).status !== sqlErrorStatus) fail(error);
      throw error;
    }
  };
}

/** Ends this thread at once, so that it acknowledges nothing more. */
function fail(error: unknown): never {
  const thrown = error instanceof Error ? error.message : lastSystemError;
  post({ type: 'failed', reason: lastLogged || thrown });
  process.exit(1);
}

function post(message: WorkerMessage): void {
  parentPort!.postMessage(message);
}
