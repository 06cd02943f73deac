import { oneLine } from '../../platform/lib/text.ts';

/** What GitHub answered to one request, and what follows from it. */
export type GitHubAnswer<T> =
  | { kind: 'data'; data: T; etag: string | null }
  /** Nothing has changed since the ETag that was sent. */
  | { kind: 'unchanged' }
  /** Not now, but at that time. */
  | { kind: 'wait'; until: Date; reason: WaitReason }
  /** No answer, or one that says nothing: worth another try. */
  | { kind: 'unreachable'; message: string }
  /** Not with these credentials at all. */
  | { kind: 'unauthenticated' }
  /** Not this repository: words for people. */
  | { kind: 'refused'; status: number; message: string };

export type WaitReason = 'rate_limit' | 'secondary_rate_limit' | 'unreachable';

/** An answer that is no success: its status, headers in lower case, and GitHub's own words. */
export type Refusal = { status: number; headers: Record<string, string | undefined>; message: string };

/** GitHub's documented wait after a secondary limit without a header. */
const secondaryWaitSeconds = 60;
const longestWaitSeconds = 2 * 3_600;

/** Reads an answer that is no success. https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api */
export function readRefusal(
  { status, headers, message }: Refusal,
  { repository, now }: { repository: string; now: Date },
): Exclude<GitHubAnswer<never>, { kind: 'data' }> {
  if (status === 304) return { kind: 'unchanged' };
  if (status === 401) return { kind: 'unauthenticated' };
  if (status === 403 || status === 429) {
    const wait = waitOf(headers, message, status, now);
    if (wait) return { kind: 'wait', ...wait };
  }
  if (status >= 500 || status === 408) return { kind: 'unreachable', message: `GitHub answered ${status}` };
  return { kind: 'refused', status, message: refusalText(status, message, repository) };
}

type Wait = { until: Date; reason: WaitReason };

function waitOf(headers: Refusal['headers'], message: string, status: number, now: Date): Wait | null {
  const after = (seconds: number) =>
    new Date(now.getTime() + 1_000 * Math.min(Math.max(seconds, 1), longestWaitSeconds));
  const retryAfter = secondsOf(headers['retry-after']);
  // Nothing to wait for by their clock, and refused all the same: asking on and on can get a token banned.
  const orLonger = (until: Date) => (until > after(1) ? until : after(secondaryWaitSeconds));
  if (retryAfter !== null) return { until: orLonger(after(retryAfter)), reason: 'secondary_rate_limit' };
  const reset = spentUntil(headers, now);
  if (reset) return { until: orLonger(reset), reason: 'rate_limit' };
  const isLimit = status === 429 || /secondary rate limit|abuse detection/i.test(message);
  return isLimit ? { until: after(secondaryWaitSeconds), reason: 'secondary_rate_limit' } : null;
}

/** When the hour's requests are used up, the time of the next ones; null while some are left. */
export function spentUntil(headers: Refusal['headers'], now: Date): Date | null {
  if (headers['x-ratelimit-remaining'] !== '0') return null;
  const resetSeconds = secondsOf(headers['x-ratelimit-reset']);
  if (resetSeconds === null) return null;
  const seconds = Math.ceil(resetSeconds - now.getTime() / 1_000) + 1;
  return new Date(now.getTime() + 1_000 * Math.min(Math.max(seconds, 1), longestWaitSeconds));
}

function secondsOf(text: string | undefined): number | null {
  return /^\d{1,12}$/.test(text ?? '') ? Number(text) : null;
}

function refusalText(status: number, message: string, repository: string): string {
  const own = oneLine(message).slice(0, 200);
  if (/disabled/i.test(own)) return `Actions is disabled for ${repository}: GitHub says "${own}"`;
  if (status === 404) {
    return `${repository} does not exist, or the credentials give no access to it. A fine-grained token or an App needs the repository permission "Actions: read".`;
  }
  if (status === 403) {
    return `The credentials may not read the runs of ${repository}: GitHub says "${own}". They need the repository permission "Actions: read".`;
  }
  if (status >= 300 && status < 400) {
    return `GitHub answered ${status} for ${repository}, which leads to where the credentials are not sent. Is GITHUB_API_URL right?`;
  }
  return `GitHub answered ${status} for ${repository}: "${own}"`;
}

/** What is told where the credentials themselves are refused. */
export const badCredentials =
  'GitHub refuses the credentials: they are wrong, expired or revoked. Set others and start again.';
