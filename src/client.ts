import createFetchClient, {
  defaultPathSerializer,
  type FetchOptions,
  type ParseAs,
  type ParseAsResponse,
} from 'openapi-fetch';
import { createCalls, type Calls, type JsonOf } from './clientCalls.ts';
import type { paths } from './clientTypes.d.ts';

export type ClientOptions = {
  /** Address of the server, such as `https://runcost.example.com`. */
  url: string;
  /** A token of your organization. Pages of the server need none: they have the session cookie. */
  token?: string | undefined;
  /** Replaces the global `fetch`, for a proxy. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
  /** How often a request is sent again at most, 2 by default. A POST never is, because it could act twice. */
  retries?: number | undefined;
};

type Method = 'get' | 'put' | 'post' | 'delete';
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Name in M]: object } ? Path : never;
}[keyof paths];
type Options<M extends Method, Path extends PathWith<M>, As> = FetchOptions<paths[Path][M]> & {
  /** For files: `text`, `blob`, `arrayBuffer` or `stream`. */
  parseAs?: As;
};

/** The response of a path, as in `Answer<'get', '/api/v1/costs'>`. */
export type Answer<
  M extends Method,
  Path extends PathWith<M>,
  As extends ParseAs = 'json',
> = As extends 'json' ? JsonOf<paths[Path][M]> : ParseAsResponse<unknown, { parseAs: As }>;

type Send<M extends Method> = <Path extends PathWith<M>, As extends ParseAs = 'json'>(
  path: Path,
  ...options: object extends Options<M, Path, As>
    ? [options?: Options<M, Path, As>]
    : [options: Options<M, Path, As>]
) => Promise<{ data: Answer<M, Path, As>; response: Response }>;

/**
 * Each verb is a function that takes its fields and returns its answer, and the methods take a path of the API. All throw a `RuncostError` if the server refuses or cannot be reached,
 * and the error of `fetch` or `JSON.parse` if the connection breaks during the response.
 */
export type RuncostClient = Calls & {
  GET: Send<'get'>;
  PUT: Send<'put'>;
  POST: Send<'post'>;
  DELETE: Send<'delete'>;
};

type Ask = (method: string, path: string, options: object) => Promise<{ response: Response }>;

type Problem = {
  title?: string;
  detail?: string;
  code?: string;
  errors?: { path: string; message: string }[];
  request_id?: string;
};

/** Has the fields of the response's `application/problem+json`. */
export class RuncostError extends Error {
  override readonly name = 'RuncostError';
  /** HTTP status; 0 if there was no response. */
  readonly status: number;
  /** A stable code such as `not_found`; `unreachable` without a response, `unknown` if it is not Runcost's. */
  readonly code: string;
  readonly detail: string;
  /** The refused fields, each with the reason. */
  readonly errors: readonly { path: string; message: string }[];
  /** Identifies the request in the server's log. */
  readonly request_id: string | null;

  constructor(status: number, problem: Problem, options?: ErrorOptions) {
    const detail = problem.detail ?? problem.title ?? `The server answered ${status}.`;
    super(detail, options);
    this.status = status;
    this.code = problem.code ?? 'unknown';
    this.detail = detail;
    this.errors = problem.errors ?? [];
    this.request_id = problem.request_id ?? null;
  }
}

/** Creates a client for one organization of a Runcost server. */
export function createClient({ url, token, fetch, retries = 2 }: ClientOptions): RuncostClient {
  const address = addressOf(url);
  if (token !== undefined) requireHeader(token);
  const send = fetch ?? ((request: Request) => globalThis.fetch(request));
  const client = createFetchClient<paths>({
    baseUrl: address,
    headers: { ...(token && { authorization: `Bearer ${token}` }) },
    pathSerializer: (path, params) => {
      requireNames(path, params as Record<string, string>);
      return defaultPathSerializer(path, params);
    },
    // CSV reports are sent as they are.
    bodySerializer: (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body)),
    fetch: (request) => sendPatiently(request, send, retries),
  });
  client.use({
    onResponse: async ({ response, options }) => {
      if (!response.ok) throw await refusal(response);
      if (options.parseAs === 'json') refuseOtherThanJson(response, address);
    },
    onError: ({ error }) => (isAbort(error) ? undefined : unreachable(error, address)),
  });
  const calls = createCalls(async (method, path, options) => {
    const { request } = client as unknown as { request: Ask };
    const { response } = await request(method, path, { ...options, parseAs: 'stream' });
    if (/^text\/(csv|markdown)\b/.test(response.headers.get('content-type') ?? '')) return response.text();
    refuseOtherThanJson(response, address);
    return response.json();
  });
  return Object.assign(client, calls) as unknown as RuncostClient;
}

function addressOf(url: string): string {
  const [, address] = /^(https?:\/\/[^/?#\s][^?#\s]*?)\/*$/i.exec(url) ?? [];
  const { username, password } = URL.parse(address ?? '') ?? { username: '-' };
  if (!address || username || password)
    throw new TypeError('url must be the address of a server, such as https://runcost.example.com');
  return address;
}

/** Otherwise the error of `fetch` would contain the token. */
function requireHeader(token: string): void {
  if (/[\r\n]/.test(token)) throw new TypeError('the token has a line break');
  if (!/^[\x21-\x7e]*$/.test(token)) throw new TypeError('the token has a character that no token has');
}

/** A parser of URLs reads `.` and `..` as steps in the path even if they are encoded, and an empty name drops out. */
function requireNames(path: string, params: Record<string, string | undefined>): void {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = params[name];
    if (value === undefined) throw new TypeError(`${name} is required`);
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must not be '${value}'`);
  }
}

async function refusal(response: Response): Promise<RuncostError> {
  const requestId = response.headers.get('x-request-id');
  const body = (await response.json().catch(() => null)) as Problem | null;
  return new RuncostError(response.status, { ...(requestId && { request_id: requestId }), ...body });
}

function refuseOtherThanJson(response: Response, url: string): void {
  const type = response.headers.get('content-type');
  if (response.status === 204 || (type && /^application\/([\w.]+\+)?json\b/.test(type))) return;
  const detail = `${url} answered ${type ?? 'without a type'} in place of JSON. For a file, set parseAs; else check the address.`;
  throw new RuncostError(response.status, { detail });
}

const maxWaitMilliseconds = 60_000;

/** Sends a request again after a broken connection, or if the server asks for later. */
async function sendPatiently(
  request: Request,
  send: (request: Request) => Promise<Response>,
  retries: number,
): Promise<Response> {
  for (let sent = 0; sent < retries && request.method !== 'POST'; sent++) {
    const backOff = 500 * 2 ** sent * (1 + Math.random() / 2);
    let wait = backOff;
    try {
      const response = await send(request.clone());
      const asked = waitAfter(response, backOff);
      if (asked === null) return response;
      wait = asked;
      await response.body?.cancel();
    } catch (error) {
      if (isAbort(error)) throw error;
    }
    await pause(wait, request.signal);
  }
  return send(request);
}

/** Null if it is no use to wait. */
function waitAfter({ status, headers }: Response, backOff: number): number | null {
  if (status !== 429 && status !== 503) return null;
  const seconds = headers.get('retry-after');
  const wait = seconds && /^\d+$/.test(seconds) ? Number(seconds) * 1_000 : backOff;
  return wait <= maxWaitMilliseconds ? wait : null;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && ['AbortError', 'TimeoutError'].includes(error.name);
}

function unreachable(error: unknown, url: string): RuncostError {
  const { message, cause } = error as Error;
  const reason = cause instanceof Error && cause.message ? cause.message : message;
  return new RuncostError(
    0,
    { code: 'unreachable', detail: `Cannot reach ${url}: ${reason}` },
    { cause: error },
  );
}
