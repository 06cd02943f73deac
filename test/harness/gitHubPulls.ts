import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Payload } from '../factories.ts';

/** The part of GitHub's API that comments on pull requests and sets checks. */
export type FakePulls = {
  /** By `owner/name#number`, the oldest first. */
  comments: Map<string, FakeComment[]>;
  checks: Payload[];
  /** The paths in a folder, by `owner/name/path`. */
  folders: Map<string, string[]>;
  /** What the token may write. */
  mayComment: boolean;
  mayCheck: boolean;
  /** Who writes. */
  writer: FakeUser;
  writes: string[];
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
    ...{ comments: new Map(), checks: [], folders: new Map(), mayComment: true, mayCheck: true },
    ...{ writer: { id: 41_898_282, login: 'github-actions[bot]', type: 'Bot' }, writes: [] },
  };
}

type Answered = { status: number; body: unknown; sent?: unknown };

const refused = { status: 403, body: { message: 'Resource not accessible by integration' } };
const notFound = { status: 404, body: { message: 'Not Found' } };

/** Null for what is not about comments and checks. */
export function answerOfPulls(
  pulls: FakePulls,
  request: IncomingMessage,
  url: URL,
): Promise<Answered> | null {
  const { method = '' } = request;
  if (url.pathname === '/graphql')
    return Promise.resolve({ status: 200, body: { data: { viewer: { databaseId: pulls.writer.id } } } });
  const [, repository = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(url.pathname) ?? [];
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

/** Ids count from 1. */
function checkOf({ checks }: FakePulls, id: number) {
  const { name, head_sha, status, conclusion } = checks[id - 1]!;
  return { id, name, head_sha, status, conclusion };
}
