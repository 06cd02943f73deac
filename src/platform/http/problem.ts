import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Health } from '../db/health.ts';
import { outageOf } from '../db/outages.ts';
import {
  InvalidFields,
  PublicError,
  TooManyRequests,
  type ErrorKind,
  type FieldError,
  type NameOf,
} from '../lib/errors.ts';
import { callerOf } from './requests.ts';

const statusOfKind: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  rate_limited: 429,
  unavailable: 503,
};

type ProblemBody = { status: number; code: string; detail: string; errors?: FieldError[] };

export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return sendProblem(request, reply, problemAnswer(error, request, reply));
}

export function problemAnswer(error: unknown, request: FastifyRequest, reply: FastifyReply): ProblemBody {
  // A caller that leaves in the middle of its body causes a connection error, too.
  const isCallers = ((error as FastifyError).statusCode ?? 500) < 500;
  const named =
    error instanceof InvalidFields ? error.named(namesIn(request.routeOptions.schema ?? {})) : error;
  const outage = isCallers ? null : request.server.health.noteError(error);
  const problem = outage ? { status: 503, ...outage } : problemOf(named);
  if (outage && !outage.isForAll)
    request.log.warn({ code: outage.code, ...callerOf(request) }, outage.detail);
  else if (!outage && isOurs(error) && problem.status >= 500)
    request.log.error({ err: error, ...callerOf(request) }, 'request failed');
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  if (problem.status === 503) reply.header('retry-after', '5');
  if (error instanceof TooManyRequests) reply.header('retry-after', error.secondsLeft);
  return problem;
}

/** Where the fields of an operation are in the requests of its route. */
export function namesIn({ body, querystring, params }: FastifySchema): NameOf {
  const rest = body ? 'body' : 'query';
  return (field) => {
    const [root] = field.split(/[.[]/, 1) as [string];
    const has = (schema: unknown) => Object.hasOwn((schema as ObjectSchema)?.properties ?? {}, root);
    const part = has(body) ? 'body' : has(querystring) ? 'query' : has(params) ? 'params' : rest;
    return field === '' ? part : `${part}.${field}`;
  };
}

type ObjectSchema = { properties?: object } | undefined;

/** False if the error is for the caller, or the caller has left before the end of the answer. */
function isOurs(error: unknown): boolean {
  const hasLeft = (error as FastifyError).code === 'ERR_STREAM_PREMATURE_CLOSE';
  return !hasLeft && !(error instanceof PublicError);
}

/** Answers 405 if the path has other methods. `/openapi.json` is public, so this needs no token. */
export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = request.url.split('?')[0] ?? '';
  const methods = request.server.methodsAt(path);
  if (methods.length === 0 || methods.includes(request.method)) {
    const detail = `No route matches \`${request.method} ${path}\`. See /docs.`;
    return sendProblem(request, reply, { status: 404, code: 'route_not_found', detail });
  }
  const allow = methods.join(', ');
  reply.header('allow', allow);
  const detail = `\`${request.method} ${path}\` is not supported; use ${allow}. See /docs.`;
  return sendProblem(request, reply, { status: 405, code: 'method_not_allowed', detail });
}

export function sendClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = clientErrorStatuses[error.code ?? ''] ?? 400;
  const detail = 'The request is not valid HTTP.';
  const body = problemText({ status, code: 'bad_request', detail }, crypto.randomUUID());
  const headers = `Content-Type: application/problem+json\r\nContent-Length: ${body.length}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`);
}

const clientErrorStatuses: Record<string, number> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: ProblemBody): FastifyReply {
  return reply
    .status(problem.status)
    .type('application/problem+json')
    .serializer((value: unknown) => value as string)
    .send(problemText(problem, request.id));
}

function problemText({ status, code, detail, errors }: ProblemBody, requestId: string): string {
  return JSON.stringify({
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    ...(errors && errors.length > 0 ? { errors } : {}),
    request_id: requestId,
  });
}

export function codeOf(error: unknown): string {
  return outageOf(error)?.code ?? problemOf(error).code;
}

function problemOf(error: unknown): ProblemBody {
  if (error instanceof PublicError) {
    return {
      status: statusOfKind[error.kind],
      code: error.code,
      detail: error.message,
      errors: error.errors,
    };
  }
  const { statusCode, code, message } = error as FastifyError;
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, code: 'bad_request', detail: message, ...frameworkProblems[code] };
  }
  return {
    status: 500,
    code: 'internal_error',
    detail: 'The server failed. Its log has the details under this request id.',
  };
}

const frameworkProblems: Record<string, Partial<ProblemBody>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'body_too_large' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: { code: 'unsupported_media_type' },
  FST_ERR_CTP_INVALID_JSON_BODY: { code: 'invalid_json' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { code: 'empty_body' },
  // Fastify's own messages repeat the URL with its query.
  FST_ERR_BAD_URL: { code: 'bad_url', detail: 'The URL has an invalid percent encoding.' },
  FST_ERR_MAX_PARAM_LENGTH: { status: 404, code: 'not_found', detail: 'The id is too long.' },
};

declare module 'fastify' {
  interface FastifyInstance {
    health: Health;
    methodsAt: (path: string) => string[];
  }
}

/** Collects all routes registered from now on, because the router cannot list the methods of a path. */
export function collectRouteMethods(server: FastifyInstance): void {
  const routes: { segments: string[]; methods: string[] }[] = [];
  server.addHook('onRoute', ({ url, method }) => {
    // `*` alone is the route of preflight requests.
    if (url !== '*') routes.push({ segments: url.split('/'), methods: [method].flat() });
  });
  server.decorate('methodsAt', (path) => {
    const segments = path.split('/').map(decoded);
    const methods = routes.filter((route) => matches(route.segments, segments));
    return [...new Set(methods.flatMap((route) => route.methods))].toSorted();
  });
}

function matches(pattern: string[], segments: string[]): boolean {
  const hasRest = pattern.at(-1) === '*';
  const named = hasRest ? pattern.slice(0, -1) : pattern;
  return (
    (hasRest ? segments.length >= pattern.length : segments.length === pattern.length) &&
    named.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]))
  );
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
