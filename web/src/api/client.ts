import createClient, { type Middleware } from 'openapi-fetch';
import type { paths } from './schema.d.ts';

type Problem = {
  title?: string;
  detail?: string;
  code?: string;
  errors?: { path: string; message: string }[];
  request_id?: string;
};

/** What the server said was wrong. `requestId` finds it in the server's log. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** By the body's field, such as `threshold_amount`. */
  readonly fields: Record<string, string>;

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? problem.title ?? 'The server cannot be reached.');
    this.name = 'ApiError';
    this.status = status;
    this.code = problem.code ?? 'unreachable';
    this.requestId = problem.request_id ?? null;
    this.fields = Object.fromEntries(
      (problem.errors ?? []).map(({ path, message }) => [path.replace(/^body\./, ''), message]),
    );
  }
}

const throwProblems: Middleware = {
  onResponse: async ({ response }) => {
    if (response.ok) return;
    const problem = (await response
      .clone()
      .json()
      .catch(() => ({}))) as Problem;
    throw new ApiError(response.status, problem);
  },
  onError: () => new ApiError(0, {}),
};

/** Our API, typed from its own description; throws an `ApiError` for every answer that is no success. */
export const api = createClient<paths>({ baseUrl: '/', credentials: 'same-origin' });
api.use(throwProblems);
