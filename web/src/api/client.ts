import createClient, { createQuerySerializer, type Middleware } from 'openapi-fetch';
import type { paths } from './schema.d.ts';

type Problem = {
  title?: string;
  detail?: string;
  code?: string;
  errors?: { path: string; message: string }[];
  request_id?: string;
};

/** A failed request. The server's log contains `requestId`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  /** Messages by field of the body, such as `threshold_amount`. */
  readonly fields: Record<string, string>;

  constructor(status: number, problem: Problem) {
    super(problem.detail ?? problem.title ?? 'Cannot reach the server.');
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

// Middleware handles responses in reverse order, so this one comes after `throwProblems`.
const reportProblems: Middleware = {
  onResponse: async ({ response }) => {
    if (response.ok) return;
    const problem = await problemOf(response);
    for (const listener of listeners) listener(problem);
  },
};

let organizationId: string | null = null;

/** `api` names this organization in each request. The server rejects it in a session of another organization. */
export function setOrganization(id: string | null): void {
  organizationId = id;
}

type Send = (request: Request) => Promise<Response>;

let send: Send = (request) => fetch(request);

/** When the server renders a page, it answers the requests itself. */
export function setSend(how: Send): void {
  send = how;
}

const inWords = createQuerySerializer();
const base = { baseUrl: location.origin, fetch: (request: Request) => send(request) } as const;
const common = { ...base, credentials: 'same-origin' } as const;

export const api = createClient<paths>({
  ...common,
  querySerializer: (query) => inWords({ ...(organizationId && { org_id: organizationId }), ...query }),
});
api.use(throwProblems, reportProblems);

/** For people without an account. It sends no session cookie. */
export const publicApi = createClient<paths>({ ...base, credentials: 'omit' });
publicApi.use(throwProblems);

/** The same client without an organization, for requests about the session itself. */
export const sessionApi = createClient<paths>(common);
sessionApi.use(throwProblems);
