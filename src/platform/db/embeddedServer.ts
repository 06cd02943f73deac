import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { PGlite } from '@electric-sql/pglite';

/** Our own clients connect with this `application_name`. */
export const ownApplication = 'runcost';

/**
 * Serves the embedded database on a unix socket, until the returned function stops it. Clients share one
 * session and take turns. Other programs are refused, because their settings would affect everybody.
 */
export async function serveEmbedded(db: PGlite, socketPath: string): Promise<() => Promise<void>> {
  const takeTurn = createTurns();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    // An error here comes from the database, not the client: uncaught, it ends the thread, and the process notices.
    void converse(db, socket, takeTurn);
  });
  server.listen(socketPath);
  await once(server, 'listening');
  return async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await takeTurn();
  };
}

type TakeTurn = () => Promise<() => void>;

function createTurns(): TakeTurn {
  let lastEnds: Promise<void> = Promise.resolve();
  return async () => {
    const before = lastEnds;
    const { promise, resolve } = Promise.withResolvers<void>();
    lastEnds = promise;
    await before;
    return resolve;
  };
}

// A client that stops inside a transaction blocks all others.
const maxPauseMilliseconds = 30_000;

async function converse(db: PGlite, socket: Socket, takeTurn: TakeTurn): Promise<void> {
  let endTurn: (() => void) | null = null;
  let isStarted = false;
  socket.on('timeout', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  for await (const request of readRequests(socket)) {
    if (!isStarted && parameterOf(request, 'application_name') !== ownApplication) return refuse(socket);
    isStarted = true;
    endTurn ??= await takeTurn();
    if (socket.destroyed) break;
    await answer(db, request, socket);
    const isInTransaction = db.isInTransaction();
    socket.setTimeout(isInTransaction ? maxPauseMilliseconds : 0);
    if (isInTransaction) continue;
    endTurn();
    endTurn = null;
  }
  if (!isStarted) return;
  endTurn ??= await takeTurn();
  if (db.isInTransaction()) await db.exec('rollback');
  // Otherwise the next client would get this one's settings, prepared statements and locks.
  await db.exec('discard all');
  endTurn();
}

function refuse(socket: Socket): void {
  const message =
    "The embedded database accepts only Runcost's own commands: other programs would change the session that all share. " +
    'Export data with `runcost export`.';
  const fields = ['SFATAL', 'VFATAL', 'C28000', `M${message}`].map((field) => `${field}\0`).join('');
  const body = Buffer.from(`${fields}\0`);
  const head = Buffer.alloc(5);
  head.write('E');
  head.writeUInt32BE(4 + body.length, 1);
  socket.end(Buffer.concat([head, body]));
}

/** A startup message has names and values in turn after its length and version. */
function parameterOf(startup: Buffer, name: string): string | undefined {
  const texts = startup.subarray(8).toString().split('\0');
  const index = texts.findIndex((text, at) => at % 2 === 0 && text === name);
  return index < 0 ? undefined : texts[index + 1];
}

async function answer(db: PGlite, request: Buffer, socket: Socket): Promise<void> {
  socket.cork();
  // Copies the bytes, which are in the database's own memory.
  await db.execProtocolRawStream(request, { onRawData: (bytes) => void socket.write(Buffer.from(bytes)) });
  socket.uncork();
}

/**
 * Yields each request once all its messages have arrived, so that clients' messages do not mix and a broken
 * connection leaves no partial request. https://www.postgresql.org/docs/18/protocol-message-formats.html
 */
async function* readRequests(socket: Socket): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = [];
  let size = 0;
  let wanted = 0;
  let isStarted = false;
  try {
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < wanted) continue; // Joining a large request again for each of its chunks would take too long.
      let input = Buffer.concat(chunks);
      for (;;) {
        wanted = isStarted ? requestLength(input) : startupLength(input);
        if (input.length < wanted) break;
        const bytes = input.subarray(0, wanted);
        input = input.subarray(wanted);
        if (isStarted || isStartup(bytes)) yield bytes;
        else if (bytes.length === encryptionRequestLength) socket.write('N');
        else return;
        isStarted ||= isStartup(bytes);
      }
      chunks = [input];
      size = input.length;
    }
  } catch {
    // A broken connection has ended, too.
  }
}

const encryptionRequestLength = 8;

/** The first messages of a connection have no type, and some only ask for encryption or cancel a query. */
function isStartup(message: Buffer): boolean {
  return message.length > encryptionRequestLength && message.readUInt16BE(4) === 3;
}

function startupLength(input: Buffer): number {
  return input.length < 4 ? 4 : input.readUInt32BE(0);
}

/**
 * The length of the first request, up to its Query or Sync message; if it is incomplete, the length known so
 * far.
 */
function requestLength(input: Buffer): number {
  let end = 0;
  while (end + 5 <= input.length) {
    const type = String.fromCharCode(input[end]!);
    end += 1 + input.readUInt32BE(end + 1);
    if (end > input.length || type === 'Q' || type === 'S') return end;
  }
  return end + 5;
}
