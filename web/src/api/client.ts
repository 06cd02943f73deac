import createClient, { createQuerySerializer, type Middleware } from 'openapi-fetch';
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

type Listener = (problem: ApiError) => void;

const listeners = new Set<Listener>();

/** Hears of every answer of `api` that is no success, before whoever has asked. */
export function onProblem(listener: Listener): void {
  listeners.add(listener);
}

async function problemOf(response: Response): Promise<ApiError> {
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  return new ApiError(response.status, (body ?? {}) as Problem);
}

const throwProblems: Middleware = {
  onResponse: async ({ response }) => {
    if (!response.ok) throw await problemOf(response);
  },
  onError: () => new ApiError(0, {}),
};

// Middleware hears the answers in the opposite order, so this one is used after the other.
const tellProblems: Middleware = {
  onResponse: async ({ response }) => {
    if (response.ok) return;
    const problem = await problemOf(response);
    for (const listener of listeners) listener(problem);
  },
};

let organizationId: string | null = null;

/** From now on `api` says in each request that it means this organization; in another's session it is refused. */
export function speakFor(id: string | null): void {
  organizationId = id;
}

const inWords = createQuerySerializer();
const common = { baseUrl: '/', credentials: 'same-origin' } as const;

/** Our API, typed from its own description; throws an `ApiError` for every answer that is no success. */
export const api = createClient<paths>({
  ...common,
  querySerializer: (query) => inWords({ ...(organizationId && { org_id: organizationId }), ...query }),
});
api.use(throwProblems, tellProblems);

/** The same for the session itself, whosever it is. */
export const sessionApi = createClient<paths>(common);
sessionApi.use(throwProblems);
