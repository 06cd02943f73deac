import type { Egress } from './egress.ts';

/** The other side cannot be reached, must not be called, or sent an incomplete answer. */
export class Unreachable extends Error {}

type Sent = { method: string; headers: Record<string, string>; body?: unknown; signal?: AbortSignal };

const maxBytes = 1024 * 1024;

/** For libraries: guarded egress, limited in time, up to 1 MiB, without redirects. */
export function createFetch(egress: Egress, timeoutMilliseconds: number) {
  return async (url: string, { method, headers, body, signal }: Sent): Promise<Response> => {
    const request = { url, headers, timeoutMilliseconds, maxBytes, ...(signal && { signal }) };
    const outcome = await (method === 'GET'
      ? egress.get(request)
      : egress.post({ ...request, body: bytesOf(body) }));
    const { host } = new URL(url);
    if (outcome.kind === 'failure') throw new Unreachable(`${host}: ${outcome.message}`);
    if (outcome.note !== null || outcome.truncated) throw new Unreachable(`${host}: the answer is not whole`);
    const { statusCode: status } = outcome;
    const sent = Object.entries(outcome.headers).flatMap(([name, value]) =>
      [value ?? []].flat().map((each): [string, string] => [name, each]),
    );
    const isEmpty = status === 204 || status === 205 || status === 304;
    return new Response(isEmpty ? null : new Uint8Array(outcome.body), { status, headers: sent });
  };
}

function bytesOf(body: unknown): Buffer {
  if (body === undefined || body === null) return Buffer.alloc(0);
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof URLSearchParams) return Buffer.from(body.toString());
  if (body instanceof Uint8Array) return Buffer.from(body);
  throw new TypeError('This kind of body is not supported.');
}
