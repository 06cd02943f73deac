import createFetchClient, {
  defaultPathSerializer,
  type FetchOptions,
  type ParseAs,
  type ParseAsResponse,
} from 'openapi-fetch';
import type { paths } from './clientTypes.d.ts';

export type ClientOptions = {
  /** Address of the server, such as `https://runcost.example.com`. */
  url: string;
  /**
   * A token of your organization. Pages of the server itself need none, because they have the session cookie.
   */
  token?: string | undefined;
  /** Replaces the global `fetch`, for a proxy or for retries. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
};

type Method = 'get' | 'put' | 'post' | 'delete';
type PathWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { [Name in M]: object } ? Path : never;
}[keyof paths];
type Options<M extends Method, Path extends PathWith<M>, As> = FetchOptions<paths[Path][M]> & {
  /** For files: `text`, `blob`, `arrayBuffer` or `stream`. */
  parseAs?: As;
};

/** All responses in the types are successes. */
type JsonOf<Operation> = Operation extends { responses: infer Answers }
  ? {
      [Status in keyof Answers]: Answers[Status] extends { content: { 'application/json': infer Body } }
        ? Body
        : never;
    }[keyof Answers]
  : never;

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
 * Each method takes a path of the API. It throws a `RuncostError` if the server refuses or cannot be reached,
 * and the error of `fetch` or `JSON.parse` if the connection breaks during the response.
 */
export type RuncostClient = {
  GET: Send<'get'>;
  PUT: Send<'put'>;
  POST: Send<'post'>;
  DELETE: Send<'delete'>;
};

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
  /**
   * A stable code such as `not_found`; `unreachable` if there was no response, `unknown` if it is not from
   * Runcost.
   */
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
export function createClient({ url, token, fetch }: ClientOptions): RuncostClient {
  const address = addressOf(url);
  if (token !== undefined) requireHeader(token);
  const client = createFetchClient<paths>({
    baseUrl: address,
    headers: { ...(token && { authorization: `Bearer ${token}` }) },
    pathSerializer: (path, params) => {
      requireNames(path, params);
      return defaultPathSerializer(path, params);
    },
    // CSV reports are sent as they are.
    bodySerializer: (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body)),
    ...(fetch && { fetch }),
  });
  client.use({
    onResponse: async ({ response, options }) => {
      if (!response.ok) throw await refusal(response);
      if (options.parseAs === 'json') refuseOtherThanJson(response, address);
    },
    onError: ({ error }) => (isAbort(error) ? undefined : unreachable(error, address)),
  });
  return client as unknown as RuncostClient;
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
function requireNames(path: string, params: Record<string, unknown>): void {
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const value = params[name];
    if (value === undefined || value === null) throw new TypeError(`${name} is required`);
    if (/^\.{0,2}$/.test(String(value))) throw new TypeError(`${name} must not be '${String(value)}'`);
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
