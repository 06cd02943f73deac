import type { Egress, EgressOutcome } from '../../platform/egress/egress.ts';
import type { EgressErrorClass } from '../../platform/egress/openSocket.ts';
import { invalid, PublicError } from '../../platform/lib/errors.ts';
import { oneLine } from '../../platform/lib/text.ts';

export type GitLabAccess = { address: string; token: string };

/** `message` is GitLab's reason for a refusal. `total` is null if GitLab does not count a list. */
export type GitLabAnswer = {
  status: number;
  body: unknown;
  message: string;
  nextPage: number | null;
  total: number | null;
};

export type GitLabClient = {
  /** Throws if no request with this token would work. Refusals of a single request are returned. */
  ask: (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<GitLabAnswer>;
};

const maxBytes = 8 * 1024 * 1024;
const timeoutMilliseconds = 30_000;

/** https://docs.gitlab.com/api/rest/ */
export function createGitLabClient(egress: Egress, { address, token }: GitLabAccess): GitLabClient {
  const api = `${address.replace(/\/+$/, '')}/api/v4`;
  const fault = egress.faultOf(api);
  if (fault) throw invalid('address', fault);
  return {
    ask: async (method, path, body) => {
      const request = {
        url: `${api}${path}`,
        headers: { 'private-token': token, 'content-type': 'application/json', 'user-agent': 'runcost' },
        timeoutMilliseconds,
        maxBytes,
      };
      const sent = { ...request, body: Buffer.from(body ? JSON.stringify(body) : '') };
      const outcome = await (method === 'GET' ? egress.get(request) : egress[verbs[method]](sent));
      return answerOf(outcome, address);
    },
  };
}

const verbs = { POST: 'post', PUT: 'put' } as const;

const hostFaults: Partial<Record<EgressErrorClass, string>> = {
  dns: 'there is no such host, or DNS does not answer',
  connect: 'it refuses the connection, or is not reachable from this server',
  tls: 'TLS fails, for example because its certificate is not trusted (NODE_EXTRA_CA_CERTS can name yours)',
};

function answerOf(outcome: EgressOutcome, address: string): GitLabAnswer {
  if (outcome.kind === 'failure') {
    const { errorClass, message } = outcome;
    if (errorClass === 'refused_address') throw invalid('address', `cannot be called: ${message}`);
    const hostFault = hostFaults[errorClass];
    if (hostFault) throw invalid('address', `${address} cannot be reached: ${hostFault}`);
    throw unavailable(`GitLab did not answer: ${message}.`);
  }
  const { statusCode: status, headers, note, truncated, locationHost } = outcome;
  if (status >= 300 && status < 400)
    throw invalid('address', `leads to another address (${locationHost ?? 'unknown'}): enter that one`);
  if (status === 429 || status >= 500)
    throw unavailable(
      `GitLab answered ${status}.${status === 429 ? ' It limits requests: wait a minute.' : ''}`,
    );
  if (note !== null || truncated) throw unavailable('The answer of GitLab is not whole.');
  const body = parsed(outcome.body);
  const message = messageOf(body);
  if (status === 401) throw invalid('token', rejectedToken(message));
  if (body === undefined)
    throw invalid(
      'address',
      `does not answer as GitLab's API does (status ${status}). It is the address of GitLab's own pages, such as https://gitlab.com`,
    );
  if (/insufficient_scope|higher privileges/.test(message)) throw invalid('token', missingScope);
  const numberIn = (name: string) => Number(headers[name] ?? '') || null;
  return { status, body, message, nextPage: numberIn('x-next-page'), total: numberIn('x-total') };
}

export const missingScope = 'lacks the scope api: make another token with it';

function rejectedToken(message: string): string {
  if (/expired/i.test(message)) return 'has expired: make another one';
  if (/revoked/i.test(message)) return 'was revoked: make another one';
  return 'is unknown to this GitLab. Was it copied in full, and is the address right?';
}

function unavailable(message: string): PublicError {
  return new PublicError('unavailable', 'gitlab_unavailable', `${message} Try again.`);
}

function parsed(body: Buffer): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** `message` may be a text, a list, or an object of lists by field. OAuth's errors have other fields. */
function messageOf(body: unknown): string {
  const { message, error, error_description: description } = (body ?? {}) as Record<string, unknown>;
  const word = message ?? description ?? error;
  if (word === undefined) return '';
  const scope = error === 'insufficient_scope' ? 'insufficient_scope ' : '';
  return scope + oneLine(typeof word === 'string' ? word : JSON.stringify(word)).slice(0, 300);
}
