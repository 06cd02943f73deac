/** The thread of `drawnPages.ts`. It draws one page at a time with the code of the pages. */
import { parentPort, workerData } from 'node:worker_threads';
import type { DrawMessage, PageAsked, WorkerMessage } from './drawnPages.ts';

type Draw = (
  asked: Omit<PageAsked, 'id'> & {
    send: (request: Request) => Promise<Response>;
    onBroken: (error: unknown) => void;
  },
) => Promise<{ html: string; answers: unknown } | null>;

const port = parentPort!;
const post = (message: WorkerMessage) => port.postMessage(message);
const waiting = new Map<number, (response: Response) => void>();
let requests = 0;
let last = Promise.resolve();

// The modules of the pages read their location when they are loaded.
Object.assign(globalThis, { location: new URL('http://localhost/') });
const { drawPage } = (await import(workerData as string)) as { drawPage: Draw };

async function draw({ id, ...asked }: PageAsked): Promise<void> {
  const send = ({ method, url }: Request) =>
    new Promise<Response>((resolve) => {
      waiting.set(++requests, resolve);
      const { pathname, search } = new URL(url);
      post({ type: 'ask', id, request: requests, method, path: pathname + search });
    });
  const onBroken = (error: unknown) => post({ type: 'broken', reason: reasonOf(error) });
  try {
    const drawn = await drawPage({ ...asked, send, onBroken });
    post({ type: 'drawn', id, page: drawn && { html: drawn.html, answers: JSON.stringify(drawn.answers) } });
  } catch (error) {
    post({ type: 'failed', id, reason: reasonOf(error) });
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

port.on('message', (message: DrawMessage) => {
  if (message.type === 'draw') {
    last = last.then(() => draw(message));
    return;
  }
  const { request, status, contentType, body } = message;
  const hasBody = status !== 204 && status !== 304;
  waiting.get(request)?.(
    new Response(hasBody ? body : null, { status, headers: { 'content-type': contentType } }),
  );
  waiting.delete(request);
});
post({ type: 'ready' });
