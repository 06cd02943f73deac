import { readClientSettings } from '../config.ts';
import { type Field, type Operation, operationOf } from '../operations.ts';
import { commandPrefix } from '../platform/lib/commandLine.ts';
import { countOf } from '../platform/lib/text.ts';
import { CommandError, kindOf, TooSoon } from './faults.ts';
import { findTargets, type Target, type TargetOptions } from './target.ts';

export type Input = Record<string, unknown>;
// An answer's shape is the verb's; OpenAPI describes it.
// oxlint-disable-next-line typescript/no-explicit-any
export type Answer = any;

/** A connection to a server. */
export type Session = {
  target: () => Target;
  /** The answer without its `data`, unless the operation answers whole. */
  call: (name: string, input?: Input, options?: CallOptions) => Promise<Answer>;
  /** The answer as it came, for CSV, files and `api`. */
  send: (request: Request) => Promise<Response>;
};

export type CallOptions = { accept?: string; signal?: AbortSignal; optionOf?: (field: string) => string };
type Request = {
  method: string;
  /** Below the server's address, with the query. */
  path: string;
  /** A text or a CSV file, or the fields of JSON. */
  body?: unknown;
  accept?: string;
  signal?: AbortSignal | undefined;
  optionOf?: ((field: string) => string) | undefined;
};

export function openSession(options: TargetOptions): Session {
  const targets = findTargets(options);
  let organization: Promise<string> | undefined;
  const send = async (request: Request): Promise<Response> => {
    for (;;) {
      const [target, ...others] = targets;
      try {
        return await sendTo(target, request);
      } catch (error) {
        if (!(error instanceof Unreachable) || others.length === 0) throw error;
        // A server that was killed leaves its file.
        targets.shift();
      }
    }
  };
  const readOrganization = async (): Promise<string> => {
    const { data } = await readAnswer(await send({ method: 'GET', path: '/api/v1/session' }));
    return data.organization.id as string;
  };
  const call: Session['call'] = async (name, input = {}, { accept, ...more } = {}) => {
    const operation = operationOf(name);
    const orgId =
      targets[0].orgId ?? (operation.needsOrganization ? await (organization ??= readOrganization()) : null);
    const { path, body } = requestOf(operation, orgId === null ? input : { ...input, org_id: orgId });
    const response = await send({ method: operation.method, path, body, ...(accept && { accept }), ...more });
    if (accept || operation.isText) return textAnswer(response, accept);
    const answer = await readAnswer(response);
    return operation.isWhole ? answer : answer.data;
  };
  return { target: () => targets[0], call, send };
}

/** Puts each field in its place. The organization is always part of the query. */
function requestOf(operation: Operation, input: Input): { path: string; body?: Input } {
  const query = new URLSearchParams();
  const body: Input = {};
  let { path } = operation;
  const { org_id: orgId, ...fields } = input;
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const place = operation.fields.find((field) => field.name === name)?.in ?? placeOf(operation);
    if (place === 'params') path = path.replace(`:${name}`, segment(name, textOf(value)));
    else if (place === 'body') body[name] = value;
    else for (const each of [value].flat()) query.append(name, textOf(each));
  }
  if (orgId !== undefined) query.set('org_id', textOf(orgId));
  const asked = query.size === 0 ? '' : `?${query.toString()}`;
  return { path: `/api/v1${path}${asked}`, ...(operation.method !== 'GET' && { body }) };
}

/** Paging is no field of a command. */
function placeOf({ method }: Operation): Field['in'] {
  return method === 'GET' ? 'query' : 'body';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function segment(name: string, value: string): string {
  // A URL would lose them.
  if (/^\.{0,2}$/.test(value)) throw new CommandError(`<${name}> must not be '${value}'`, 'usage');
  return encodeURIComponent(value);
}

class Unreachable extends CommandError {}

export async function sendTo({ url, token }: Target, request: Request): Promise<Response> {
  const { method, path, body, accept = 'application/json', signal, optionOf } = request;
  const hasBody = body !== undefined;
  const isFile = typeof body === 'string' || body instanceof Blob;
  const { timeoutSeconds } = readClientSettings();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), timeoutSeconds * 1_000);
  let response: Response;
  try {
    response = await fetch(`${url}${path}`, {
      method,
      headers: {
        accept,
        ...(token && { authorization: `Bearer ${token}` }),
        ...(hasBody && { 'content-type': isFile ? 'text/csv' : 'application/json' }),
      },
      ...(hasBody && { body: isFile ? (body as NonNullable<RequestInit['body']>) : JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
      redirect: 'error',
    });
  } catch (error) {
    // Not tried at another server, because this one may still do it.
    if (late.signal.aborted)
      throw new CommandError(
        `${url} has not answered for ${countOf(timeoutSeconds, 'second')}. Check the address, or set RUNCOST_TIMEOUT to wait longer.`,
        'away',
      );
    if ((error as Error).name === 'AbortError') throw error;
    const { message, cause } = error as Error;
    const reason = cause instanceof Error && cause.message ? cause.message : message;
    throw new Unreachable(`${url} cannot be reached: ${reason}`, 'away', { cause: error });
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return response;
  throw await refusalOf(response, { where: `${method} ${url}${path.split('?')[0]}`, optionOf });
}

type Problem = {
  detail?: string;
  request_id?: string;
  errors?: { path: string; message: string }[];
};

const hints: Record<number, string> = {
  401: `Sign in: ${commandPrefix} login --url ADDRESS. Or set RUNCOST_TOKEN to a token of the organization.`,
  429: 'Try again later.',
  503: 'Try again in a moment.',
};

type Place = { where: string; optionOf: ((field: string) => string) | undefined };

async function refusalOf(response: Response, { where, optionOf }: Place): Promise<CommandError> {
  const { status } = response;
  const answered = (await response.json().catch(() => null)) as Problem | null;
  const problem = { ...answered, errors: Array.isArray(answered?.errors) ? answered.errors : [] };
  const { detail, errors, request_id: id } = problem;
  const inWords = (text: string): string =>
    text.replaceAll(/\b(?:body|query)\.[a-z_]+/g, (path) => nameOf(path, optionOf));
  const named = errors.map(({ path, message }) => `${nameOf(path, optionOf)} ${inWords(message)}`).join('\n');
  const what = named || detail || `The server answered ${status}.`;
  const hint = hints[status];
  const request = `(${where}: ${status}${id ? `, request ${id}` : ''})`;
  const text = [what, hint, request].filter(Boolean).join('\n');
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return status === 429 && seconds > 0 ? new TooSoon(text, seconds) : new CommandError(text, kindOf(status));
}

/** `body.scope.type` is `--scope.type` here. */
function nameOf(path: string, optionOf: (path: string) => string = (each) => each): string {
  if (path === 'body') return optionOf(path);
  const [, field] = /^(?:body|query|params)\.(.+)$/.exec(path) ?? [];
  // A place in a file, such as a line.
  if (field === undefined) return path;
  return field === 'org_id' ? '--org (or RUNCOST_ORG)' : optionOf(field);
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await bodyOf(response);
  try {
    const answer = parseExactly(text);
    if (typeof answer === 'object' && answer !== null) return answer;
    throw new SyntaxError('not an object');
  } catch (error) {
    const type = response.headers.get('content-type') ?? 'no type';
    const message = `${response.url} answered ${type} in place of JSON: check the address`;
    throw new CommandError(message, 'away', { cause: error });
  }
}

/** A proxy may answer with a page in place of the text. */
function textAnswer(response: Response, accept: string | undefined): Promise<string> {
  const type = response.headers.get('content-type') ?? 'no type';
  if (accept === undefined || type.startsWith(accept)) return bodyOf(response);
  throw new CommandError(`${response.url} answered ${type} in place of ${accept}: check the address`, 'away');
}

/** An answer that breaks off is none. */
async function bodyOf(response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    throw new CommandError(`${response.url} broke off its answer: ${(error as Error).message}`, 'away', {
      cause: error,
    });
  }
}

type RawJson = typeof JSON & { rawJSON: (text: string) => object };

/** Keeps all digits of amounts, some of which a number cannot hold. */
function parseExactly(text: string): Answer {
  const keep = (_key: string, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    return typeof value === 'number' && source !== undefined && String(value) !== source
      ? (JSON as RawJson).rawJSON(source)
      : value;
  };
  return /[\d.]{16}/.test(text) ? JSON.parse(text, keep as never) : JSON.parse(text);
}
