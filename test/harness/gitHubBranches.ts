import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { json } from 'node:stream/consumers';
import { pullView, type Answered, type FakePulls } from './gitHubPulls.ts';

/** Trees and commits that are no branch's yet, and all commits' trees, by their hash. */
type Texts = Record<string, string>;
const trees = new Map<string, Texts>();

const hashOf = (value: unknown) => createHash('sha1').update(JSON.stringify(value)).digest('hex');

const invalid = (message: string): Answered => ({ status: 422, body: { message } });

/** The part of GitHub's API that makes branches, commits and pull requests. Null if the request is about another part. */
export function answerOfBranches(
  pulls: FakePulls,
  request: IncomingMessage,
  url: URL,
): Promise<Answered> | null {
  const [, repository = '', rest = ''] = /^\/repos\/([^/]+\/[^/]+)(\/.*)$/.exec(url.pathname) ?? [];
  const { method } = request;
  const heads = pulls.branches.get(repository);
  const [, encoded] = /^\/branches\/([^/]+)$/.exec(rest) ?? [];
  if (encoded !== undefined && method === 'GET')
    return Promise.resolve(branchOf(pulls, { repository, name: decodeURIComponent(encoded) }));
  const write = writes[rest];
  if (!write || method !== 'POST' || !heads) return null;
  return write(pulls, { repository, heads, request });
}

function branchOf(pulls: FakePulls, { repository, name }: { repository: string; name: string }): Answered {
  const commit = pulls.branches.get(repository)?.get(name);
  if (commit === undefined) return { status: 404, body: { message: 'Branch not found' } };
  const files = pulls.trees.get(`${repository}@${commit}`)!;
  const tree = hashOf(files);
  trees.set(tree, files);
  return { status: 200, body: { name, commit: { sha: commit, commit: { tree: { sha: tree } } } } };
}

type Place = { repository: string; heads: Map<string, string>; request: IncomingMessage };
type Write = (pulls: FakePulls, place: Place) => Promise<Answered>;

const denied = ({ mayPropose }: FakePulls): Answered | null =>
  mayPropose === true
    ? null
    : { status: mayPropose, body: { message: 'Resource not accessible by integration' } };

const writes: Record<string, Write> = {
  '/git/trees': async (pulls, { request }) => {
    const sent = (await json(request)) as { base_tree: string; tree: { path: string; content: string }[] };
    const base = trees.get(sent.base_tree);
    if (denied(pulls)) return denied(pulls)!;
    if (!base) return invalid('tree.base_tree is not a valid tree');
    const files = { ...base, ...Object.fromEntries(sent.tree.map(({ path, content }) => [path, content])) };
    const sha = hashOf(files);
    trees.set(sha, files);
    return { status: 201, body: { sha }, sent };
  },
  '/git/commits': async (pulls, { repository, request }) => {
    const sent = (await json(request)) as { tree: string; parents: string[] };
    const sha = hashOf(sent);
    pulls.trees.set(`${repository}@${sha}`, trees.get(sent.tree)!);
    return { status: 201, body: { sha }, sent };
  },
  '/git/refs': async (pulls, { heads, request }) => {
    const sent = (await json(request)) as { ref: string; sha: string };
    const name = sent.ref.replace('refs/heads/', '');
    if (heads.has(name)) return invalid('Reference already exists');
    heads.set(name, sent.sha);
    pulls.writes.push(`branch ${name}`);
    return { status: 201, body: { ref: sent.ref }, sent };
  },
  '/pulls': async (pulls, { repository, heads, request }) => {
    const sent = (await json(request)) as { head: string; base: string; title: string; body: string };
    const [head, base] = [heads.get(sent.head), heads.get(sent.base)];
    const isOpen = [...pulls.opened.values()].some(
      ({ branch, state = 'open' }) => branch === sent.head && state === 'open',
    );
    if (!head || !base || isOpen) return invalid('Validation Failed');
    const number = 480 + pulls.opened.size;
    const opened = { base, head, common: base, files: [], branch: sent.head, body: sent.body };
    pulls.opened.set(`${repository}#${number}`, opened);
    pulls.writes.push(`pull request ${sent.title}`);
    const { files: _, ...view } = pullView(repository, number, opened);
    return { status: 201, body: view, sent };
  },
};
