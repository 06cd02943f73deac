import type { FastifyReply } from 'fastify';

/** Aborts when the caller disconnects, and after the answer. */
export function leavingOf({ raw }: FastifyReply): AbortSignal {
  const left = new AbortController();
  raw.once('close', () => left.abort());
  return left.signal;
}
