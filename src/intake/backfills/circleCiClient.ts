import type { Egress, EgressOutcome } from '../../platform/egress/egress.ts';
import { oneLine } from '../../platform/lib/text.ts';
import type { Clock } from '../../platform/lib/time.ts';

/** A personal API token, and the id of the organization at CircleCI. */
export type CircleCiCredentials = { kind: 'circleci'; token: string; organizationId: string };

export type CircleCiExport = {
  id: string;
  state: string;
  /** Signed addresses of gzipped CSV files, so they are neither stored nor logged. */
  files: string[];
  reason: string | null;
};

export type CircleCiAnswer<T> =
  | { kind: 'data'; data: T }
  | { kind: 'wait'; until: Date }
  | { kind: 'unreachable'; message: string }
  | { kind: 'refused'; status: number; message: string };

export type CircleCiClient = {
  /** Both ends are included. */
  createExport: (span: { start: Date; end: Date }) => Promise<CircleCiAnswer<CircleCiExport>>;
  getExport: (id: string) => Promise<CircleCiAnswer<CircleCiExport>>;
  readFile: (url: string) => Promise<CircleCiAnswer<Buffer>>;
  check: () => Promise<CircleCiAnswer<unknown>>;
};

type Connection = { egress: Egress; clock: Clock; circleCiApiUrl: string };

const timeoutMilliseconds = 60_000;
const maxBytes = 1024 * 1024;
/** CircleCI limits a result to 100 MB before it is compressed. */
const maxFileBytes = 100 * 1024 * 1024;
/** CircleCI accepts 10 new exports an hour. */
const waitSeconds = 600;
const maxWaitSeconds = 2 * 3_600;

/** https://docs-experimental.circleci.com/usage, read on 2026-11-29. It never waits: its answers say when to continue. */
export function createCircleCiClient(
  { egress, clock, circleCiApiUrl }: Connection,
  { token, organizationId }: Omit<CircleCiCredentials, 'kind'>,
  signal?: AbortSignal,
): CircleCiClient {
  const exports = `${circleCiApiUrl}/organizations/${encodeURIComponent(organizationId)}/usage_export_job`;
  const within = { timeoutMilliseconds, ...(signal && { signal }) };
  const headers = { 'circle-token': token, accept: 'application/json', 'user-agent': 'runcost' };

  async function ask<T>(
    outcome: Promise<EgressOutcome>,
    read: (body: Buffer) => T | null,
  ): Promise<CircleCiAnswer<T>> {
    return answerOf(await outcome, { read, organizationId, now: clock.now() });
  }

  return {
    createExport: ({ start, end }) => {
      const body = JSON.stringify({ start, end, shared_org_ids: [] });
      const typed = { ...headers, 'content-type': 'application/json' };
      return ask(
        egress.post({ url: exports, headers: typed, body: Buffer.from(body), ...within, maxBytes }),
        readExport,
      );
    },
    getExport: (id) =>
      ask(
        egress.get({ url: `${exports}/${encodeURIComponent(id)}`, headers, ...within, maxBytes }),
        readExport,
      ),
    // The address itself is the proof, and belongs to another host, which must not get the token.
    readFile: async (url) => {
      const request = {
        url,
        headers: { 'user-agent': 'runcost' },
        ...within,
        maxBytes: maxFileBytes,
      };
      const answer = await ask(egress.get(request), (body) => body);
      if (answer.kind !== 'refused' || answer.status < 300) return answer;
      const message = `A file of CircleCI's usage data could not be read (${answer.status}). Start again.`;
      return { ...answer, message };
    },
    check: () =>
      ask(egress.get({ url: `${circleCiApiUrl}/me`, headers, ...within, maxBytes }), (body) => body),
  };
}

function readExport(body: Buffer): CircleCiExport | null {
  try {
    const given = JSON.parse(body.toString('utf8')) as Record<string, unknown> | null;
    const { usage_export_job_id: id, state, download_urls: urls, error_reason: reason } = given ?? {};
    if (typeof id !== 'string' || id === '' || typeof state !== 'string') return null;
    const files = Array.isArray(urls) ? urls.filter((url) => typeof url === 'string') : [];
    return { id, state, files, reason: typeof reason === 'string' ? oneLine(reason).slice(0, 200) : null };
  } catch {
    return null;
  }
}

type Asked<T> = { read: (body: Buffer) => T | null; organizationId: string; now: Date };

function answerOf<T>(outcome: EgressOutcome, { read, organizationId, now }: Asked<T>): CircleCiAnswer<T> {
  if (outcome.kind === 'failure')
    return { kind: 'unreachable', message: `CircleCI cannot be reached: ${outcome.message}` };
  const { statusCode: status, body, note, truncated, retryAfter } = outcome;
  if (status === 429) return { kind: 'wait', until: new Date(now.getTime() + 1_000 * secondsIn(retryAfter)) };
  if (status >= 500 || status === 408) return { kind: 'unreachable', message: `CircleCI answered ${status}` };
  if (status < 200 || status >= 300)
    return { kind: 'refused', status, message: refusalText(status, organizationId, messageIn(body)) };
  if (note !== null) return { kind: 'unreachable', message: `CircleCI's answer ended early: ${note}` };
  if (truncated)
    return { kind: 'refused', status, message: "CircleCI's answer is too long. Choose fewer days." };
  const data = read(body);
  if (data === null)
    return { kind: 'unreachable', message: 'CircleCI answered in a way that we cannot read' };
  return { kind: 'data', data };
}

function secondsIn(retryAfter: string | null): number {
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : waitSeconds;
  return Math.min(Math.max(seconds, 1), maxWaitSeconds);
}

function messageIn(body: Buffer): string {
  try {
    const { message } = JSON.parse(body.toString('utf8')) as { message?: unknown };
    return typeof message === 'string' ? oneLine(message).slice(0, 200) : '';
  } catch {
    return '';
  }
}

function refusalText(status: number, organizationId: string, message: string): string {
  switch (status) {
    case 401:
      return 'CircleCI rejects the token: it is wrong, expired or revoked. Set a new personal API token at the source.';
    case 403:
      return (
        `The token may not read the usage of the organization ${organizationId}. Use a personal API token of one of ` +
        "its members, best an admin; a project's token is not enough."
      );
    case 404:
      return (
        `CircleCI has no organization ${organizationId} that the token can see, or no longer has the export. Copy ` +
        'the organization ID from Organization Settings, Overview, at CircleCI.'
      );
    default:
      return `CircleCI answered ${status}${message === '' ? '' : `: "${message}"`}.`;
  }
}
