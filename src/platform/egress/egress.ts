import type { IncomingHttpHeaders } from 'node:http';
import type { Agent, Dispatcher } from 'undici';
import { checkUrl, formFault, type EgressPolicy } from './addresses.ts';
import {
  createLookup,
  EgressError,
  openSocket,
  type EgressErrorClass,
  type Lookup,
  type OpeningTimes,
} from './openSocket.ts';

export type EgressRequest = {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Time for everything from DNS to the last byte of the answer; at most a minute. */
  timeoutMilliseconds: number;
  signal?: AbortSignal;
  /** How much of the answer we keep; default 64 KiB. */
  maxBytes?: number;
};

export type EgressOutcome = { times: EgressTimes } & (EgressAnswer | EgressFailure);
type EgressAnswer = {
  kind: 'answer';
  statusCode: number;
  headers: IncomingHttpHeaders;
  /** The bytes we kept, as received, in any encoding. */
  body: Buffer;
  truncated: boolean;
  retryAfter: string | null;
  /** Host of a redirect's target. We do not follow redirects. */
  locationHost: string | null;
  /** Why the body is incomplete; null if it is complete or we cut it off on purpose. */
  note: string | null;
};
type EgressFailure = { kind: 'failure'; errorClass: EgressErrorClass; message: string };

/** Opening times are null on a reused connection. The wait for the first byte starts after opening. */
type EgressTimes = OpeningTimes & { firstByteMilliseconds: number | null; totalMilliseconds: number };

export type Egress = {
  faultOf: (url: string) => string | null;
  /** Throws only for a request that cannot be written, such as a header with a line break. */
  post: (request: EgressRequest) => Promise<EgressOutcome>;
  patch: (request: EgressRequest) => Promise<EgressOutcome>;
  get: (request: Omit<EgressRequest, 'body'>) => Promise<EgressOutcome>;
  put: (request: EgressRequest) => Promise<EgressOutcome>;
  delete: (request: EgressRequest) => Promise<EgressOutcome>;
  /** From now on, this machine may be called only if `allowedCidrs` includes it. */
  forbidLoopback: () => void;
  close: () => Promise<void>;
};

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

const keptBytes = 65_536;
const noBody = Buffer.alloc(0);
const openingMilliseconds = 60_000;

export function createEgress(
  initialPolicy: EgressPolicy,
  { lookup = createLookup() }: { lookup?: Lookup } = {},
): Egress {
  const policy = { ...initialPolicy };
  const agents = createAgents(policy, lookup);
  const send = async (method: Method, request: EgressRequest): Promise<EgressOutcome> => {
    const url = URL.parse(request.url);
    const fault = url ? formFault(url, policy) : 'cannot be read';
    if (!url || fault) {
      const times = { ...unopened, firstByteMilliseconds: null, totalMilliseconds: 0 };
      return { kind: 'failure', errorClass: 'refused_url', message: `the URL ${fault}`, times };
    }
    return exchange(await agents.current(), method, url, request, agents.handedOver);
  };
  return {
    faultOf: (url) => checkUrl(url, policy),
    post: (request) => send('POST', request),
    patch: (request) => send('PATCH', request),
    get: (request) => send('GET', { ...request, body: noBody }),
    put: (request) => send('PUT', request),
    delete: (request) => send('DELETE', request),
    forbidLoopback: () => {
      policy.allowLoopback = false;
      agents.retire();
    },
    close: agents.close,
  };
}

function createAgents(policy: EgressPolicy, lookup: Lookup) {
  const closing = new AbortController();
  const agents = new Set<Agent>();
  let current: Agent | undefined;
  // undici writes or fails the waiting request inside the callback that reports the connection.
  let handedOver: OpeningTimes = unopened;
  const connect: Agent.Options['connect'] = (target, callback) => {
    const times = { ...unopened };
    const stop = AbortSignal.any([closing.signal, AbortSignal.timeout(openingMilliseconds)]);
    const handOver: typeof callback = (...result) => {
      handedOver = times;
      callback(...result);
      handedOver = unopened;
    };
    openSocket(target, { policy, lookup, stop }, times).then(
      // undici would retry endlessly with a socket that is already closed.
      (socket) => (socket.destroyed ? handOver(closedAtOnce, null) : handOver(null, socket)),
      (error: Error) => handOver(error, null),
    );
  };
  const open = async (): Promise<Agent> => {
    // Imported late, so that commands without requests start fast.
    const undici = await import('undici');
    current ??= new undici.Agent({ allowH2: false, connect });
    agents.add(current);
    if (closing.signal.aborted) await current.destroy();
    return current;
  };
  return {
    current: async () => current ?? open(),
    handedOver: () => handedOver,
    /** Drops kept-alive connections, which may lead to this machine. Running requests still end normally. */
    retire: () => {
      current?.close().catch(() => {}); // already being destroyed
      current = undefined;
    },
    close: async () => {
      closing.abort();
      await Promise.all([...agents].map((opened) => opened.destroy()));
    },
  };
}

const unopened: OpeningTimes = { dnsMilliseconds: null, connectMilliseconds: null, tlsMilliseconds: null };
const closedAtOnce = new EgressError('reset', 'the connection was closed at once');

async function exchange(
  agent: Agent,
  method: Method,
  url: URL,
  { headers, body, timeoutMilliseconds, signal, maxBytes = keptBytes }: EgressRequest,
  openingTimes: () => OpeningTimes,
): Promise<EgressOutcome> {
  const giveUp = new AbortController();
  const timer = setTimeout(() => {
    giveUp.abort(new EgressError('timeout', `not answered in full within ${timeoutMilliseconds} ms`));
  }, timeoutMilliseconds);
  const callOff = () => giveUp.abort(new EgressError('aborted', 'the request was cancelled'));
  signal?.addEventListener('abort', callOff);
  try {
    return await new Promise((resolve, reject) => {
      const handler = receiver(url, maxBytes, giveUp.signal, openingTimes, resolve, reject);
      if (signal?.aborted) return callOff();
      agent.dispatch(
        {
          origin: url.origin,
          path: url.pathname + url.search,
          method,
          headers: { ...headers, 'accept-encoding': 'identity' },
          body: method === 'GET' ? null : body,
        },
        handler,
      );
    });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', callOff);
  }
}

/** Only the first call of `end` counts. */
function receiver(
  url: URL,
  maxBytes: number,
  giveUp: AbortSignal,
  openingTimes: () => OpeningTimes,
  resolve: (outcome: EgressOutcome) => void,
  reject: (error: Error) => void,
): Dispatcher.DispatchHandler {
  const startedAt = performance.now();
  const times = { ...unopened, firstByteMilliseconds: null as number | null };
  const chunks: Buffer[] = [];
  let size = 0;
  let sentAt: number | null = null;
  let head: Pick<EgressAnswer, 'statusCode' | 'headers' | 'retryAfter' | 'locationHost'> | null = null;

  const end = (error: EgressError | null) => {
    const allTimes = { ...times, totalMilliseconds: millisecondsSince(startedAt) };
    if (head) {
      const body = Buffer.concat(chunks).subarray(0, maxBytes);
      const note = error?.message ?? null;
      resolve({ kind: 'answer', ...head, body, truncated: size > maxBytes, note, times: allTimes });
    } else if (error) {
      const { errorClass, message } = error;
      resolve({ kind: 'failure', errorClass, message, times: allTimes });
    }
  };
  giveUp.addEventListener('abort', () => end(giveUp.reason));
  return {
    onRequestStart: (controller) => {
      // The connection came too late and nobody waits any more, so do not send.
      if (giveUp.aborted) return controller.abort(giveUp.reason);
      giveUp.addEventListener('abort', () => controller.abort(giveUp.reason));
      Object.assign(times, openingTimes());
      sentAt = performance.now();
    },
    onResponseStart: (_controller, statusCode, headers) => {
      if (statusCode < 200 || sentAt === null) return;
      times.firstByteMilliseconds = millisecondsSince(sentAt);
      const location = statusCode >= 300 && statusCode < 400 ? first(headers['location']) : null;
      head = {
        statusCode,
        headers,
        retryAfter: first(headers['retry-after']),
        locationHost: location === null ? null : (URL.parse(location, url.href)?.host ?? null),
      };
    },
    onResponseData: (controller, chunk) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size <= maxBytes) return;
      end(null);
      controller.abort(new EgressError('aborted', 'the rest is not wanted'));
    },
    onResponseEnd: () => end(null),
    onResponseError: (_controller, error: Error & { code?: string }) => {
      if (sentAt === null) Object.assign(times, openingTimes());
      if (error.code === 'UND_ERR_INVALID_ARG') reject(error);
      else end(asEgressError(error));
    },
  };
}

function millisecondsSince(start: number): number {
  return Math.round(performance.now() - start);
}

function first(header: string | string[] | undefined): string | null {
  return [header].flat()[0] ?? null;
}

const errorClasses: Record<string, EgressErrorClass> = {
  UND_ERR_SOCKET: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'response_too_large',
  UND_ERR_DESTROYED: 'aborted',
};

/** Network errors on an open connection come from a system call. */
function asEgressError(error: Error & { code?: string; syscall?: string }): EgressError {
  if (error instanceof EgressError) return error;
  const { code = '', message, syscall } = error;
  return new EgressError(errorClasses[code] ?? (syscall ? 'reset' : 'protocol'), message);
}
