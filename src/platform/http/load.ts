import { getHeapStatistics } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { PublicError } from '../lib/errors.ts';
import { enterShort } from '../lib/turns.ts';

const { heap_size_limit: heapBytes } = getHeapStatistics();

/** A parsed body takes about ten times its size, and so does what we make of it. */
export const defaultBodyBytes = Math.round(heapBytes / 32);

const smallBytes = 1024 * 1024;

/** Before reading a body, if there is no memory for it beside the others. A single one is accepted. */
export function limitBodyMemory(server: FastifyInstance, maxBytes: number): void {
  let held = 0;
  const bytesOf = new WeakMap<object, number>();
  const handled = new WeakSet<object>();
  const release = (request: object): void => {
    held -= bytesOf.get(request) ?? 0;
    bytesOf.delete(request);
  };
  server.addHook('onRequest', (request, reply, done) => {
    const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
    // A longer body is refused, or streamed to a file.
    const { bodyLimit, config } = request.routeOptions;
    const most = encoding === undefined ? Math.min(Number(length ?? 0), bodyLimit) : bodyLimit;
    // Otherwise anybody could announce small bodies to public routes, send none, and keep others out.
    const bytes = config.access === 'public' && bodyLimit <= smallBytes ? 0 : most;
    if (bytes > 0 && held > 0 && held + bytes > maxBytes) {
      const detail = 'The server is at its memory limit for request bodies. Try again in a few seconds.';
      return done(new PublicError('unavailable', 'too_much_at_once', detail));
    }
    if (bytes === 0) return done();
    held += bytes;
    bytesOf.set(request, bytes);
    // If the caller leaves, the handler still has the body.
    reply.raw.once('close', () => handled.has(request) || release(request));
    done();
  });
  server.addHook('preHandler', (request, _reply, done) => {
    handled.add(request);
    done();
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    release(request);
    done();
  });
}

const shortBytes = 64 * 1024;

/** Makes long loops wait while short requests are being answered. */
export function yieldToShortRequests(server: FastifyInstance): void {
  server.addHook('onRequest', ({ headers }, reply, done) => {
    const isShort =
      headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= shortBytes;
    if (isShort) reply.raw.once('close', enterShort());
    done();
  });
}

const maxWaitMilliseconds = 10_000;

/** Of one organization, at most `limit` at once, so that others find a free connection. */
export function limitConnections(server: FastifyInstance, limit: number): void {
  const queues = new Map<string, { running: number; waiting: (() => void)[] }>();

  async function enter(orgId: string): Promise<void> {
    const queue = queues.get(orgId) ?? { running: 0, waiting: [] };
    queues.set(orgId, queue);
    if (queue.running < limit) {
      queue.running++;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    queue.waiting.push(resolve);
    const timer = setTimeout(() => {
      queue.waiting = queue.waiting.filter((each) => each !== resolve);
      const detail = 'Too many requests of this organization are running. Try again in a few seconds.';
      reject(new PublicError('unavailable', 'organization_busy', detail));
    }, maxWaitMilliseconds);
    await promise.finally(() => clearTimeout(timer));
  }

  function leave(orgId: string): void {
    const queue = queues.get(orgId)!;
    const next = queue.waiting.shift();
    if (next) return next();
    queue.running--;
    if (queue.running === 0) queues.delete(orgId);
  }

  const entered = new WeakMap<object, string>();
  server.addHook('preHandler', async (request) => {
    if (!request.actor) return;
    await enter(request.actor.orgId);
    entered.set(request, request.actor.orgId);
  });
  server.addHook('onSend', (request, _reply, _payload, done) => {
    const orgId = entered.get(request);
    entered.delete(request);
    if (orgId !== undefined) leave(orgId);
    done();
  });
}
