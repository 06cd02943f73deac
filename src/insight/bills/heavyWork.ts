import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

type Limit = { maxBytes: number; tooLarge: () => Error; senderLeft: () => Error };

/**
 * Runs `work` with the stream's bytes in a file of its own, which is gone afterwards. A report is received as fast as
 * its sender sends it, not as fast as it is imported. Throws `tooLarge` beyond so many bytes, and leaves the rest unread,
 * and `senderLeft` where the stream breaks off.
 */
export async function withSpooled<T>(
  stream: Readable,
  limit: Limit,
  work: (path: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'runcost-report-'));
  const path = join(folder, 'report.csv');
  try {
    await spool(stream, limit, path);
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function spool(
  stream: Readable,
  { maxBytes, tooLarge, senderLeft }: Limit,
  path: string,
): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    let bytes = 0;
    for await (const chunk of chunksOf(stream, senderLeft)) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw tooLarge();
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}

async function* chunksOf(stream: Readable, senderLeft: () => Error): AsyncGenerator<Buffer> {
  // A request that is destroyed could not be answered any more.
  const chunks: AsyncIterator<Buffer> = stream.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await chunks.next().catch(() => {
        throw senderLeft();
      });
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await chunks.return?.();
  }
}

const mostWaiting = 3;

/**
 * Has work of the same key done one after the other: what takes much memory is not done twice at a time. Answers null,
 * and does nothing, where some wait already.
 */
export function createTurns() {
  const queues = new Map<string, { members: number; last: Promise<unknown> }>();

  return async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T | null> {
    const queue = queues.get(key) ?? { members: 0, last: Promise.resolve() };
    if (queue.members > mostWaiting) return null;
    queues.set(key, queue);
    queue.members++;
    const mine = queue.last.then(work).finally(() => {
      if (--queue.members === 0) queues.delete(key);
    });
    queue.last = mine.catch(() => {});
    return mine;
  };
}

const keptMilliseconds = 60_000;

/**
 * Keeps what was worked out last, as somebody may turn its pages: under a key that says what it was made of, and for a
 * minute at most. No more than one, for it can be large.
 */
export function keepLatest<T>() {
  let kept: { key: string; result: T } | null = null;

  return async (key: string, work: () => Promise<T>): Promise<T> => {
    if (kept?.key === key) return kept.result;
    const latest = { key, result: await work() };
    kept = latest;
    setTimeout(() => {
      if (kept === latest) kept = null;
    }, keptMilliseconds).unref();
    return latest.result;
  };
}
