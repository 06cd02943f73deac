import { STATUS_CODES } from 'node:http';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { PublicError, type ErrorKind, type FieldError } from '../lib/errors.ts';

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

/** Answers any error as a problem (RFC 9457). What is not meant for the caller is logged, and answered as a 500. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  if (problem.status >= 500) request.log.error({ err: error }, 'request failed');
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
  if (problem.status === 503) reply.header('retry-after', '5');
  return sendProblem(request, reply, problem);
}

export function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const detail = `There is no ${request.method} ${request.url.split('?')[0] ?? ''}. See /docs.`;
  return sendProblem(request, reply, { status: 404, code: 'route_not_found', detail });
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, problem: ProblemBody): FastifyReply {
  const { status, code, detail, errors } = problem;
  const body = {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    ...(errors && errors.length > 0 ? { errors } : {}),
    request_id: request.id,
  };
  return reply
    .status(status)
    .type('application/problem+json')
    .serializer((value: unknown) => JSON.stringify(value))
    .send(body);
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
  if (isDatabaseAway(error)) {
    return { status: 503, code: 'database_away', detail: 'The database cannot be reached. Try again soon.' };
  }
  const { statusCode, code, message } = error as FastifyError;
  if (statusCode && statusCode >= 400 && statusCode < 500) {
    return { status: statusCode, code: frameworkCodes[code] ?? 'bad_request', detail: message };
  }
  return {
    status: 500,
    code: 'internal_error',
    detail: 'Something failed on our side; the log has the request id.',
  };
}

const frameworkCodes: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_JSON_BODY: 'invalid_json',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'empty_body',
  FST_ERR_BAD_URL: 'bad_url',
  rate_limited: 'rate_limited',
};

/** PostgreSQL's connection and shutdown errors, the socket's, and the pool's time-out. */
function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return (
    /^(08|53|57P)/.test(code) ||
    ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EPIPE', 'ETIMEDOUT'].includes(code) ||
    /^(timeout exceeded when trying to connect|Connection terminated)/.test(error.message)
  );
}
