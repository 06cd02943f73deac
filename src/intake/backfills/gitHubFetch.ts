import type { Egress, EgressOutcome } from '../../platform/egress/egress.ts';

type Fetch = (input: string, init?: RequestInit) => Promise<Response>;

/** Of a page of runs or jobs; GitHub's largest are far below. */
const mostBytes = 32 * 1024 * 1024;
const timeoutMilliseconds = 60_000;
const mostRedirects = 3;

/**
 * A `fetch` for Octokit that goes out through the egress. It follows redirects, which GitHub answers for a renamed
 * repository, within the same origin only: the token goes nowhere else. Throws a `TypeError`, as fetch does, where there
 * is no whole answer.
 */
export function gitHubFetch({ get, post }: Pick<Egress, 'get' | 'post'>): Fetch {
  return async (input, init = {}) => {
    const { method = 'GET', body } = init;
    const headers = Object.fromEntries(new Headers(init.headers));
    const signal = init.signal ? { signal: init.signal } : {};
    let url = new URL(input);
    for (let redirects = 0; ; redirects++) {
      const request = { url: url.href, headers, timeoutMilliseconds, mostBytes, ...signal };
      const outcome =
        method === 'GET'
          ? await get(request)
          : await post({ ...request, body: Buffer.from((body ?? '') as string) });
      const next = redirectOf(outcome, url);
      if (next === null || method !== 'GET' || redirects === mostRedirects) return responseOf(outcome, url);
      url = next;
    }
  };
}

function redirectOf(outcome: EgressOutcome, url: URL): URL | null {
  if (outcome.kind === 'failure' || ![301, 302, 307, 308].includes(outcome.statusCode)) return null;
  const next = URL.parse(outcome.headers.location ?? '', url.href);
  return next?.origin === url.origin ? next : null;
}

function responseOf(outcome: EgressOutcome, url: URL): Response {
  if (outcome.kind === 'failure') throw new TypeError(`${url.host}: ${outcome.message}`);
  const { statusCode, headers, body, truncated, note } = outcome;
  if (truncated) throw new TypeError(`${url.host} answered more than ${mostBytes} bytes`);
  if (note !== null) throw new TypeError(`${url.host}: ${note}`);
  const isEmpty = statusCode === 204 || statusCode === 304;
  const response = new Response(isEmpty ? null : new Uint8Array(body), {
    status: statusCode,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')] as [string, string]],
    ),
  });
  Object.defineProperty(response, 'url', { value: url.href });
  return response;
}
