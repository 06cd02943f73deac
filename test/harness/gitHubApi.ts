import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import type { Payload } from '../payloads/gitHub.ts';
import { answerOfApp, type FakeApp } from './gitHubApps.ts';
import { answerOfReports, type FakeBills, newFakeBills, usageAt } from './gitHubBills.ts';
import { answerOfBranches } from './gitHubBranches.ts';
import { completed, followDescription } from './gitHubDescription.ts';
import { answerOfPulls, newFakePulls, type FakePulls } from './gitHubPulls.ts';
import type { ListedRun, RunWithJobs } from './recordedRuns.ts';

type FakeRepository = {
  runs: RunWithJobs[];
  about?: Payload;
  artifacts?: Payload[];
  /** Null if GitHub refuses them. */
  caches?: Payload[] | null;
};

/** The part of GitHub's API that Runcost uses, with GitHub's values and limits. Answers follow GitHub's description. */
export type FakeGitHub = {
  url: string;
  token: string;
  repositories: Map<string, FakeRepository>;
  /** Texts by `owner/name/path`. */
  files: Map<string, string>;
  /** Owners that are people, not organizations. */
  persons: Set<string>;
  /** Whether requests without a token are answered. */
  isPublic: boolean;
  /** Custom property values of repositories by organization. */
  properties: Map<string, Payload[]>;
  /** Larger runners by organization, or by `enterprises/` and its name. */
  hostedRunners: Map<string, Payload[]>;
  requests: { path: string; status: number }[];
  /** Requests left until the limit. */
  remaining: number;
  /** When the limit resets, in seconds since 1970. */
  resetSeconds: number;
  /** Whether search totals stop at GitHub's maximum list length. */
  isTotalCapped: boolean;
  /**
   * Responses to the next requests: a status with headers and body, no response until `release`, or a list without its
   * last item.
   */
  interruptions: Interruption[];
  /** Whether answers are sent as the test wrote them, even if they contradict GitHub's description. */
  mayDeviate: boolean;
  /** Ids of runs whose job lists always return 502. */
  brokenRuns: Set<number>;
  /** The App that the next manifest creates. */
  app: FakeApp | null;
  pulls: FakePulls;
  bills: FakeBills;
  /** Responds to all held requests. */
  release: () => void;
  /** Resolves after `count` requests. */
  asked: (count: number) => Promise<void>;
};

export type Interruption =
  | { status: number; headers?: Record<string, string>; message?: string }
  | { hold: true }
  | { cut: true }
  | { short: true }
  | null;

const maxListed = 1_000;
/** Paths that GitHub's API description does not cover: pages for people, and GraphQL. */
const pages = /^\/((apps|organizations|settings)\/|graphql$)/;
/** `sent` is the body of the request, parsed. */
type Send = (status: number, body: unknown, headers: Record<string, string>, sent?: unknown) => number;

/** Uses a free port. Stops after the test file. */
export async function startFakeGitHub(): Promise<FakeGitHub> {
  const held: (() => void)[] = [];
  const fake: FakeGitHub = {
    url: '',
    token: 'github_pat_11TESTTOKENabcd',
    repositories: new Map(),
    files: new Map(),
    properties: new Map(),
    hostedRunners: new Map(),
    persons: new Set(),
    isPublic: false,
    requests: [],
    remaining: 5e3,
    resetSeconds: 0,
    isTotalCapped: false,
    interruptions: [],
    mayDeviate: false,
    brokenRuns: new Set(),
    app: null,
    pulls: newFakePulls(),
    bills: newFakeBills(),
    release: () => held.splice(0).forEach((answer) => answer()),
    asked: async (count) => {
      while (fake.requests.length < count) await once(server, 'asked');
    },
  };
  const follow = followDescription();
  const server = createServer((request, response) => {
    const interruption = fake.interruptions.shift() ?? null;
    const isOwn = fake.mayDeviate || (interruption !== null && 'status' in interruption);
    const send = sendTo(request, response, isOwn ? null : follow);
    const note = (status: number) => {
      fake.requests.push({ path: request.url ?? '', status });
      server.emit('asked');
    };
    const [, run] = /\/actions\/runs\/(\d+)\/jobs/.exec(request.url ?? '') ?? [];
    if (fake.brokenRuns.has(Number(run))) return note(send(502, {}, {}));
    if (interruption === null) return note(answerAs(fake, request, send));
    if ('short' in interruption) return note(answerAs(fake, request, send, withoutLast));
    if ('hold' in interruption) {
      note(0);
      held.push(() => answerAs(fake, request, send));
    } else if ('cut' in interruption) {
      note(0);
      request.socket.destroy();
    } else {
      const { status, headers = {}, message = '' } = interruption;
      note(send(status, { message }, headers));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  fake.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return fake;
}

function sendTo(
  { method = '', url = '' }: IncomingMessage,
  response: ServerResponse,
  follow: ReturnType<typeof followDescription> | null,
): Send {
  const [path = ''] = url.split('?');
  return (status, partial, headers, sent) => {
    const body = follow ? completed(method, path, status, partial) : partial;
    if (!pages.test(path)) follow?.({ method, path, status, body, sent });
    response.writeHead(status, {
      ...(body === null ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      ...headers,
    });
    response.end(body === null ? undefined : JSON.stringify(body));
    return status;
  };
}

/** The total still counts the missing last item. */
function withoutLast(page: Payload): Payload {
  return Object.fromEntries(
    Object.entries(page).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, -1) : value]),
  );
}

function answerAs(
  fake: FakeGitHub,
  request: IncomingMessage,
  send: Send,
  change = (found: Payload) => found,
): number {
  const url = new URL(request.url ?? '', fake.url);
  const { authorization = '' } = request.headers;
  const isApp = url.pathname.endsWith('/access_tokens') && authorization.startsWith('bearer ey');
  if (isApp) return send(201, installationToken(fake), {});
  const ofApp = fake.app && answerOfApp(fake.app, { request, url, token: fake.token });
  if (ofApp instanceof Promise) {
    void ofApp.then(({ status, body, headers = {} }) => send(status, body, headers));
    return 303;
  }
  if (ofApp) return send(ofApp.status, ofApp.body, ofApp.headers ?? {});
  const [, given] = /^(?:token|Bearer) (.+)$/.exec(authorization) ?? [];
  const isKnown = given === fake.token || (authorization === '' && fake.isPublic);
  if (!isKnown) return send(401, { message: 'Bad credentials' }, {});
  const limit = () => ({
    'x-ratelimit-limit': '5000',
    'x-ratelimit-remaining': String(fake.remaining),
    'x-ratelimit-reset': String(fake.resetSeconds),
  });
  if (url.pathname === '/rate_limit') return send(200, { resources: {} }, limit());
  if (fake.remaining === 0) {
    return send(403, { message: 'API rate limit exceeded for user ID 1.' }, limit());
  }
  const ofPulls =
    answerOfPulls(fake.pulls, request, url) ??
    answerOfBranches(fake.pulls, request, url) ??
    answerOfReports(fake.bills, request, url);
  if (ofPulls) {
    fake.remaining--;
    void ofPulls.then(({ status, body, sent }) => {
      const etag = etagOf(body);
      const isUnchanged = request.headers['if-none-match'] === etag;
      if (isUnchanged) fake.remaining++;
      if (isUnchanged) return send(304, null, { ...limit(), etag });
      return send(status, body, { ...limit(), ...(request.method === 'GET' && { etag }) }, sent);
    });
    return 202;
  }
  const found = find(fake, url);
  if (!found) {
    fake.remaining--;
    return send(404, { message: 'Not Found' }, limit());
  }
  const etag = etagOf(found);
  if (request.headers['if-none-match'] === etag) return send(304, null, { ...limit(), etag });
  fake.remaining--;
  const answer = Array.isArray(found) ? found : change(found);
  return send(200, answer, { ...limit(), etag, ...linkOf(url, found) });
}

function etagOf(body: unknown): string {
  return `W/"${createHash('sha256').update(JSON.stringify(body)).digest('hex')}"`;
}

function installationToken({ token }: FakeGitHub) {
  const created = new Date();
  return { token, expires_at: new Date(created.getTime() + 3_600_000).toISOString(), permissions: {} };
}

function find(fake: FakeGitHub, url: URL): Payload | Payload[] | null {
  const usage = usageAt(fake.bills, url);
  if (usage) return usage;
  const [, organization] = /^\/orgs\/([^/]+)\/properties\/values$/.exec(url.pathname) ?? [];
  const values = fake.properties.get(organization ?? '');
  if (values) return pageOf(values, url.searchParams);
  const [, lister] =
    /^\/(?:orgs\/)?((?:enterprises\/)?[^/]+)\/actions\/hosted-runners$/.exec(url.pathname) ?? [];
  const hosted = fake.hostedRunners.get(lister ?? '');
  if (hosted) return { total_count: hosted.length, runners: pageOf(hosted, url.searchParams) };
  const [, kind, owner] = /^\/(orgs|users)\/([^/]+)\/repos$/.exec(url.pathname) ?? [];
  if (owner !== undefined && fake.persons.has(owner) === (kind === 'users'))
    return pageOf(repositoriesOf(fake, owner), url.searchParams);
  const [, name, rest] = /^\/repos\/([^/]+\/[^/]+)(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  const [, path] = /^\/contents\/(.+)$/.exec(rest ?? '') ?? [];
  const file = fake.files.get(`${name}/${path}`);
  if (file !== undefined) return { content: Buffer.from(file).toString('base64'), encoding: 'base64' };
  const repository = fake.repositories.get(name ?? '');
  if (!repository) return null;
  if (rest === '') return { full_name: name, archived: false, disabled: false, ...repository.about };
  if (rest === '/actions/runs') return runsPage(fake, repository, url.searchParams);
  const stored = storageOf(repository, { name: name!, rest: rest!, query: url.searchParams });
  if (stored !== undefined) return stored;
  const [, id, attempt] = /^\/actions\/runs\/(\d+)\/(?:jobs|attempts\/(\d+))$/.exec(rest ?? '') ?? [];
  const found = repository.runs.find(({ run }) => run.id === Number(id));
  if (!found) return null;
  if (attempt) return found.attempts?.[Number(attempt) - 1] ?? null;
  const isAll = url.searchParams.get('filter') === 'all';
  const latest = found.run['run_attempt'] ?? 1;
  const jobs = isAll ? found.jobs : found.jobs.filter((job) => job['run_attempt'] === latest);
  return { total_count: jobs.length, jobs: pageOf(jobs, url.searchParams) };
}

/** Undefined if the path is another; null is refused. */
function storageOf(
  { artifacts = [], caches = [] }: FakeRepository,
  { name, rest, query }: { name: string; rest: string; query: URLSearchParams },
): Payload | null | undefined {
  if (rest === '/actions/artifacts')
    return { total_count: artifacts.length, artifacts: pageOf(artifacts, query) };
  if (!rest.startsWith('/actions/cache')) return undefined;
  if (caches === null) return null;
  if (rest === '/actions/caches')
    return { total_count: caches.length, actions_caches: pageOf(caches, query) };
  const size = caches.reduce((sum, { size_in_bytes: each }) => sum + Number(each), 0);
  return { full_name: name, active_caches_size_in_bytes: size, active_caches_count: caches.length };
}

function repositoriesOf({ repositories }: FakeGitHub, owner: string): Payload[] {
  return [...repositories]
    .filter(([name]) => name.startsWith(`${owner}/`))
    .map(([name, { about }]) => ({ full_name: name, archived: false, disabled: false, ...about }));
}

function runsPage({ isTotalCapped }: FakeGitHub, { runs }: FakeRepository, query: URLSearchParams): Payload {
  const [from, to] = (query.get('created') ?? '').split('..').map((time) => Date.parse(time));
  const found = runs
    .map(({ run }) => run)
    .filter((run) => isBetween(run, from!, to!))
    .toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || b.id - a.id);
  const listed = found.slice(0, maxListed);
  return {
    total_count: isTotalCapped ? listed.length : found.length,
    workflow_runs: pageOf(listed, query),
  };
}

function isBetween(run: ListedRun, from: number, to: number): boolean {
  const created = Date.parse(run.created_at);
  return created >= from && created <= to + 999;
}

function pageOf<T>(items: T[], query: URLSearchParams): T[] {
  const perPage = Math.min(Number(query.get('per_page') ?? 30), 100);
  const page = Number(query.get('page') ?? 1);
  return items.slice((page - 1) * perPage, page * perPage);
}

function linkOf(url: URL, found: Payload | Payload[]): Record<string, string> {
  const total = Array.isArray(found) ? null : found['total_count'];
  const perPage = Number(url.searchParams.get('per_page') ?? 30);
  const page = Number(url.searchParams.get('page') ?? 1);
  if (typeof total !== 'number' || page * perPage >= Math.min(total, maxListed)) return {};
  const next = new URL(url);
  next.searchParams.set('page', String(page + 1));
  return { link: `<${next.href}>; rel="next"` };
}
