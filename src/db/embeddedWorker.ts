import { fsyncSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';

/** PostgreSQL in WebAssembly, in a thread of its own, so that a long query does not hold up the HTTP server. */

export type WorkerInput = { databaseDir: string; socketPath: string };
export type WorkerMessage = { type: 'ready' } | { type: 'closed' } | { type: 'fsyncs'; count: number };

const { databaseDir, socketPath } = workerData as WorkerInput;

// The application's own connection, a CLI's, and one to spare for the moment in which they change.
const mostConnections = 4;
let fsyncs = 0;

type Emscripten = { NODEFS: { stream_ops: { fsync?: (stream: { nfd: number }) => number } } };

/** Emscripten's file system drops fsync; without it a power cut could undo what had been acknowledged. */
class DurableNodeFS extends NodeFS {
  override async init(...[pg, options]: Parameters<NodeFS['init']>): ReturnType<NodeFS['init']> {
    const { emscriptenOpts } = await super.init(pg, options);
    const makeDurable = ({ NODEFS }: Emscripten): void => {
      NODEFS.stream_ops.fsync = ({ nfd }) => {
        fsyncs += 1;
        fsyncSync(nfd);
        return 0;
      };
    };
    return {
      emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), makeDurable as never] },
    };
  }
}

const db = await PGlite.create({
  fs: new DurableNodeFS(databaseDir),
  // PGlite's own start parameters without -F, which switches fsync off.
  startParams: [
    ...PGlite.defaultStartParams.filter((parameter) => parameter !== '-F'),
    ...['-c', 'fsync=on', '-c', 'wal_sync_method=fsync', '-c', 'shared_buffers=32MB'],
    ...['-c', 'jit=off', '-c', 'timezone=UTC'],
  ],
});
const server = new PGLiteSocketServer({ db, path: socketPath, maxConnections: mostConnections });

parentPort!.on('message', (request: 'close' | 'fsyncs') => {
  if (request === 'fsyncs') tell({ type: 'fsyncs', count: fsyncs });
  else void close();
});

async function close(): Promise<void> {
  await server.stop();
  await db.close();
  tell({ type: 'closed' });
  parentPort!.close();
}

await server.start();
tell({ type: 'ready' });

function tell(message: WorkerMessage): void {
  parentPort!.postMessage(message);
}
