import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Payload } from '../payloads/gitHub.ts';

/** The part of GitHub's API that comments on pull requests and sets checks. */
export type FakePulls = {
  /** Keyed by `owner/name#number`, oldest first. */
  comments: Map<string, FakeComment[]>;
  checks: Payload[];
  /** The paths in a folder, keyed by `owner/name/path`. */
  folders: Map<string, string[]>;
  /** Keyed by `owner/name#number`. */
  opened: Map<string, FakePull>;
  /** What lists without a filter answer, newest change first, keyed by `owner/name`. */
  listed: Map<string, Payload[]>;
  /** Texts by path, keyed by `owner/name@commit`. */
  trees: Map<string, Record<string, string>>;
  /** Whether the token may read files, including those of private repositories. */
  mayRead: boolean;
  /** What the token may write. */
  mayComment: boolean;
  mayCheck: boolean;
  /** Whether it may write contents, workflows and pull requests; otherwise GitHub answers with this status. */
  mayPropose: true | 403 | 404;
  /** Commits by branch, keyed by `owner/name`. */
  branches: Map<string, Map<string, string>>;
  /** The author of comments. */
  writer: FakeUser;
  writes: string[];
};

export type FakePull = {
  base: string;
  head: string;
  /** The common ancestor of base and head. */
  common: string;
  files: { filename: string; status: string; previous_filename?: string }[];
  /** `owner/name` of the head, if it is in another repository. */
  fork?: string;
  branch?: string;
  state?: 'open' | 'closed';
  merged_at?: string | null;
  body?: string;
};

type FakeUser = { id: number; login: string; type: 'Bot' | 'User' };

type FakeComment = {
  id: number;
  body: string;
  user: FakeUser;
  performed_via_github_app?: { id: number } | null;
};

export function newFakePulls(): FakePulls {
  return {
    comments: new Map(),
    checks: [],
    folders: new Map(),
    opened: new Map(),
    listed: new Map(),
    trees: new Map(),
    mayRead: true,
    mayComment: true,
    mayCheck: true,
    mayPropose: true,
    branches: new Map(),
    writer: { id: 41_898_282, login: 'github-actions[bot]', type: 'Bot' },
    writes: [],
  };
}

export type Answered = { status: number; body: unknown; sent?: unknown };

const refused = { status: 403, body: { message: 'Resource not accessible by integration' } };
const notFound = { status: 404, body: { message: 'Not Found' } };

/** Null if the request is not about comments or checks. */
export function answerOfPulls(
  pulls: FakePulls,
  request: IncomingMessage,
  url: URL,
): Promise<Answered> | null {
  const { method = '' } = request;
  if (url.pathname === '/graphql')
    return Promise.resolve({ status: 200, body: { data: { viewer: { databaseId: pulls.writer.id } } } });
  const [, repository = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(url.pathname) ?? [];
  const read = method === 'GET' ? readingOf(pulls, { repository, rest, url }) : null;
  if (read) return Promise.resolve(read);
  const [, inside = ''] = /^\/contents\/(.+)$/.exec(rest) ?? [];
  const paths = pulls.folders.get(`${repository}/${inside}`);
  if (paths)
    return Promise.resolve({ status: 200, body: paths.map((path) => ({ type: 'file', path, name: path })) });
  const [, number] = /^\/issues\/(\d+)\/comments$/.exec(rest) ?? [];
  const [, id] = /^\/issues\/comments\/(\d+)$/.exec(rest) ?? [];
  if (number !== undefined) return answerOfThread(pulls, request, url, `${repository}#${number}`);
  if (id !== undefined && method === 'PATCH') return edit(pulls, request, Number(id));
  if (rest === '/check-runs' && method === 'POST') return addCheck(pulls, request);
  const [, checkId] = /^\/check-runs\/(\d+)$/.exec(rest) ?? [];
  if (checkId !== undefined && method === 'PATCH') return changeCheck(pulls, request, Number(checkId));
  return null;
}

type Read = { repository: string; rest: string; url: URL };

function readingOf(pulls: FakePulls, { repository, rest, url }: Read): Answered | null {
  const { searchParams } = url;
  const opened = [...pulls.opened].filter(([key]) => key.startsWith(`${repository}#`));
  const views = opened.map(([key, pull]) => pullView(repository, Number(key.split('#')[1]), pull));
  const all = pulls.listed.get(repository);
  if (rest === '/pulls' && all && !searchParams.has('head')) {
    const [page, perPage] = [
      Number(searchParams.get('page') ?? 1),
      Number(searchParams.get('per_page') ?? 30),
    ];
    return { status: 200, body: all.slice((page - 1) * perPage, page * perPage) };
  }
  if (rest === '/pulls') {
    const found = views.filter(({ head }) => head.label === searchParams.get('head')).toReversed();
    return { status: 200, body: found.map(({ files: _, ...listed }) => listed) };
  }
  const [, number, ofFiles] = /^\/pulls\/(\d+)(\/files)?$/.exec(rest) ?? [];
  const view = views.find((each) => String(each.number) === number);
  if (ofFiles) {
    const [page, perPage] = [
      Number(searchParams.get('page') ?? 1),
      Number(searchParams.get('per_page') ?? 30),
    ];
    return { status: 200, body: (view?.files ?? []).slice((page - 1) * perPage, page * perPage) };
  }
  if (view) return { status: 200, body: { number: view.number, base: view.base, head: view.head } };
  const [, base, head] = /^\/compare\/(\w+)\.\.\.(\w+)$/.exec(rest) ?? [];
  const compared = opened.find(([, pull]) => pull.base === base && pull.head === head)?.[1];
  if (compared) {
    if (!pulls.mayRead) return refused;
    return { status: 200, body: { merge_base_commit: { sha: compared.common }, commits: [] } };
  }
  return contentOf(pulls, { repository, rest, url });
}

function contentOf(pulls: FakePulls, { repository, rest, url }: Read): Answered | null {
  const tree = pulls.trees.get(`${repository}@${url.searchParams.get('ref')}`);
  const [, encoded] = /^\/contents\/(.+)$/.exec(rest) ?? [];
  if (!tree || encoded === undefined) return null;
  if (!pulls.mayRead) return refused;
  const path = decodeURIComponent(encoded);
  const entryOf = (of: string) => {
    const content = Buffer.from(tree[of]!);
    const sha = createHash('sha1').update(content).digest('hex');
    return { type: 'file', path: of, name: of.split('/').at(-1), sha, size: content.length };
  };
  if (tree[path] !== undefined) {
    const content = Buffer.from(tree[path]).toString('base64');
    return { status: 200, body: { ...entryOf(path), content, encoding: 'base64' } };
  }
  const inside = Object.keys(tree).filter((each) => each.startsWith(`${path}/`));
  return inside.length > 0 ? { status: 200, body: inside.map(entryOf) } : notFound;
}

export function pullView(repository: string, number: number, pull: FakePull) {
  const { base, head, fork, branch = 'fix', state = 'open', merged_at = null, files } = pull;
  const full_name = fork ?? repository;
  const [owner] = full_name.split('/');
  return {
    number,
    html_url: `https://github.com/${repository}/pull/${number}`,
    state,
    merged_at,
    base: { sha: base, repo: { full_name: repository } },
    head: { sha: head, ref: branch, label: `${owner}:${branch}`, repo: { full_name } },
    files,
  };
}

async function answerOfThread(
  pulls: FakePulls,
  request: IncomingMessage,
  { searchParams }: URL,
  key: string,
): Promise<Answered> {
  const comments = pulls.comments.get(key) ?? [];
  if (request.method === 'GET') {
    const page = Number(searchParams.get('page') ?? 1);
    const perPage = Number(searchParams.get('per_page') ?? 30);
    return { status: 200, body: comments.slice((page - 1) * perPage, page * perPage) };
  }
  const sent = (await json(request)) as { body: string };
  if (!pulls.mayComment) return refused;
  pulls.writes.push('add');
  const comment = { id: 9_000 + pulls.writes.length, body: sent.body, user: pulls.writer };
  pulls.comments.set(key, [...comments, comment]);
  return { status: 201, body: comment, sent };
}

async function edit(pulls: FakePulls, request: IncomingMessage, id: number): Promise<Answered> {
  const sent = (await json(request)) as { body: string };
  if (!pulls.mayComment) return refused;
  const found = [...pulls.comments.values()].flat().find((comment) => comment.id === id);
  if (!found) return notFound;
  pulls.writes.push('edit');
  found.body = sent.body;
  return { status: 200, body: found, sent };
}

async function addCheck(pulls: FakePulls, request: IncomingMessage): Promise<Answered> {
  const sent = (await json(request)) as Payload;
  if (!pulls.mayCheck) return refused;
  pulls.checks.push(sent);
  return { status: 201, body: checkOf(pulls, pulls.checks.length), sent };
}

async function changeCheck(pulls: FakePulls, request: IncomingMessage, id: number): Promise<Answered> {
  const sent = (await json(request)) as Payload;
  if (!pulls.mayCheck) return refused;
  const known = pulls.checks[id - 1];
  if (!known) return notFound;
  Object.assign(known, sent);
  return { status: 200, body: checkOf(pulls, id), sent };
}

/** Ids start at 1. */
function checkOf({ checks }: FakePulls, id: number) {
  const { name, head_sha, status, conclusion } = checks[id - 1]!;
  return { id, name, head_sha, status, conclusion };
}
