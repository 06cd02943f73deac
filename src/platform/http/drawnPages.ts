import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

export type PageAsked = { id: number; address: string; nonce: string; maxWaitMilliseconds: number };
type Answer = { status: number; contentType: string; body: string };
export type DrawMessage = ({ type: 'draw' } & PageAsked) | ({ type: 'answer'; request: number } & Answer);
export type WorkerMessage =
  | { type: 'ready' }
  | { type: 'ask'; id: number; request: number; method: string; path: string }
  | { type: 'drawn'; id: number; page: DrawnPage | null }
  /** The page is still drawn: the browser draws the broken part again. */
  | { type: 'broken'; reason: string }
  | { type: 'failed'; id: number; reason: string };

/** The HTML of a page, and the answers it was drawn from as JSON. */
export type DrawnPage = { html: string; answers: string };

type PageRequest = {
  address: string;
  nonce: string;
  /** Answers a request of the page as if the reader's browser had sent it. */
  ask: (path: string) => Promise<Answer>;
};
type Drawing = {
  /** Null after the page has missed its deadline. */
  ask: PageRequest['ask'] | null;
  resolve: (page: DrawnPage | null) => void;
  since: number;
};

export type PageDrawer = {
  /** Returns null if the page would be late. Then the browser draws it. */
  draw: (request: PageRequest) => Promise<DrawnPage | null>;
  close: () => Promise<void>;
};

const maxWaitMilliseconds = 150;
const maxMilliseconds = 400;
const stuckMilliseconds = 10_000;
const pauseMilliseconds = 60_000;
const maxOldGenerationSizeMb = 512;
const maxWaiting = 4;
const idleMilliseconds = 10 * 60_000;

/** The thread ends after ten idle minutes, and starts again after a failure. */
export function createPageDrawer(file: string, onFailure: (reason: string) => void): PageDrawer {
  /** The pages that the thread has not drawn yet. */
  const drawings = new Map<number, Drawing>();
  let thread: { worker: Worker; isReady: boolean } | null = null;
  let pages = 0;
  let pausedUntil = 0;
  let idle: NodeJS.Timeout | undefined;

  function finish(id: number, page: DrawnPage | null): void {
    drawings.get(id)?.resolve(page);
    drawings.delete(id);
  }

  function start(): void {
    const worker = new Worker(new URL(`./drawWorker${extname(import.meta.url)}`, import.meta.url), {
      workerData: file,
      resourceLimits: { maxOldGenerationSizeMb },
    });
    const started = { worker, isReady: false };
    thread = started;
    worker.unref();
    worker.on('message', (message: WorkerMessage) => {
      if (message.type === 'ready') started.isReady = true;
      else if (message.type === 'drawn') finish(message.id, message.page);
      else if (message.type === 'broken') onFailure(message.reason);
      else if (message.type === 'failed') {
        onFailure(message.reason);
        finish(message.id, null);
      } else {
        const answer = (given: Answer) =>
          worker.postMessage({ type: 'answer', request: message.request, ...given } satisfies DrawMessage);
        const unavailable = { status: 503, contentType: 'application/json', body: '{}' };
        const asked = message.method === 'GET' ? drawings.get(message.id)?.ask?.(message.path) : undefined;
        (asked ?? Promise.resolve(unavailable)).then(answer, () => answer(unavailable));
      }
    });
    worker.on('error', (error) => onFailure(String(error)));
    worker.once('exit', () => {
      if (thread === started) thread = null;
      if (!started.isReady) pausedUntil = performance.now() + pauseMilliseconds;
      for (const id of drawings.keys()) finish(id, null);
    });
  }

  async function stop(): Promise<void> {
    clearTimeout(idle);
    await thread?.worker.terminate();
  }

  function post(message: PageAsked): void {
    thread!.worker.postMessage({ type: 'draw', ...message } satisfies DrawMessage);
  }

  return {
    draw: async ({ address, nonce, ask }) => {
      clearTimeout(idle);
      idle = setTimeout(() => void stop(), idleMilliseconds).unref();
      const [oldest] = drawings.values();
      if (oldest && performance.now() - oldest.since > stuckMilliseconds) await thread?.worker.terminate();
      if (!thread && performance.now() >= pausedUntil) start();
      if (!thread?.isReady || drawings.size >= maxWaiting) return null;
      const id = ++pages;
      const { promise, resolve } = Promise.withResolvers<DrawnPage | null>();
      const drawing: Drawing = { ask, resolve, since: performance.now() };
      drawings.set(id, drawing);
      const late = setTimeout(() => {
        drawing.ask = null;
        resolve(null);
      }, maxMilliseconds);
      post({ id, address, nonce, maxWaitMilliseconds });
      return promise.finally(() => clearTimeout(late));
    },
    close: stop,
  };
}
