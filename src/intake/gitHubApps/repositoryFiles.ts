import type { GitHubAnswer } from '../backfills/gitHubClient.ts';
import { isWorkflowFile, workflowFolder } from '../providers/github/workflowPath.ts';
import type { AnswerCache } from './answerCache.ts';
import { unanswered, type AppClient, type Unanswered } from './appClients.ts';

export type WorkflowFile = { path: string; content: string };

const maxFiles = 100;
const maxFileBytes = 256 * 1024;
const maxTotalBytes = 4 * 1024 * 1024;
const maxMilliseconds = 60_000;

export class Stopped extends Error {
  readonly because: Unanswered;
  readonly isMissing: boolean;
  /** Another App or token may have the right. */
  readonly isOfClient: boolean;
  constructor(because: Unanswered, status: number | null = null) {
    super(because.message);
    this.because = because;
    this.isMissing = status === 404;
    this.isOfClient = this.isMissing || status === 401 || status === 403;
  }
}

export const stop = (message: string) => new Stopped({ kind: 'refused', message });

export type RepositoryClient = Pick<AppClient, 'get'> & {
  answers: AnswerCache;
  repository: string;
  scope: string;
  signal: AbortSignal;
};

type Asked = { orgId: string; repository: string; answers: AnswerCache };

/** What the first client with access answers. `use` throws `Stopped`. */
export async function firstAnswer<Client extends Pick<AppClient, 'get' | 'sourceId'>, T>(
  clients: readonly Client[],
  { orgId, repository, answers }: Asked,
  use: (client: RepositoryClient & Client) => Promise<T>,
): Promise<{ kind: 'data'; data: T } | Unanswered | null> {
  const signal = AbortSignal.timeout(maxMilliseconds);
  let found: Unanswered | null = null;
  for (const client of clients) {
    const scope = `${orgId} ${client.sourceId} ${repository}`;
    try {
      return { kind: 'data', data: await use({ ...client, answers, repository, scope, signal }) };
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (!error.isOfClient) return error.because;
      // A missing right says more than a missing installation.
      if (!error.isMissing || found === null) found = error.because;
    }
  }
  return found;
}

/** Throws `Stopped`. Keeps only what `read` returns. */
export async function ask<T>(
  { get, answers, repository, scope, signal }: RepositoryClient,
  path: string,
  query: Record<string, string | number>,
  read: (data: unknown) => T,
): Promise<T> {
  const key = `${scope} ${path} ${JSON.stringify(query)}`;
  const known = answers.get(key);
  const answer = await get(repository, path, { query, etag: known?.etag ?? null, signal });
  if (answer.kind === 'unchanged' && known) return known.value as T;
  if (answer.kind !== 'data') throw stoppedBy(answer, signal);
  const value = read(answer.data);
  answers.set(key, { etag: answer.etag, value });
  return value;
}

function stoppedBy(answer: Refused, signal: AbortSignal): Stopped {
  if (answer.kind === 'unreachable' && signal.aborted) {
    const message = `GitHub took more than ${maxMilliseconds / 1_000} seconds for the workflow files.`;
    return new Stopped({ kind: 'unreachable', message });
  }
  return new Stopped(refusalOf(answer), statusOf(answer));
}

export function statusOf(answer: Refused): number | null {
  return answer.kind === 'unauthenticated' ? 401 : answer.kind === 'refused' ? answer.status : null;
}

type Refused = Exclude<GitHubAnswer<unknown>, { kind: 'data' }>;

function refusalOf(answer: Refused): Unanswered {
  if (answer.kind === 'unchanged') return { kind: 'unreachable', message: 'GitHub answered 304 out of turn' };
  if (answer.kind !== 'refused' || answer.status !== 403) return unanswered(answer, 'the workflow files');
  return { kind: 'refused', message: 'The App needs the repository permission "Contents: read".' };
}

export function commitOf(sha: unknown): string {
  if (typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)) return sha;
  throw unreadable();
}

export const unreadable = () => stop('GitHub described the repository in a way that Runcost cannot read.');

type Entry = { path: string; sha: string; size: number };

async function listFolder(client: RepositoryClient, ref: string): Promise<Entry[]> {
  const entries = await ask(client, `/contents/${workflowFolder}`, { ref }, entriesIn).catch(
    (error: unknown) => {
      // The last file was removed.
      if (error instanceof Stopped && error.isMissing) return [];
      throw error;
    },
  );
  const large = entries.find(({ size }) => size > maxFileBytes);
  if (large) throw tooLarge(large.path);
  return entries;
}

const tooMany = () => stop(`There are more than ${maxFiles} workflow files.`);
export const tooMuch = () => stop(`The workflow files have more than ${maxTotalBytes / 1024 / 1024} MiB.`);
const tooLarge = (path: string) => stop(`${path} has more than ${maxFileBytes / 1024} KiB.`);

type ListedEntry = { type?: unknown; path?: unknown; sha?: unknown; size?: unknown };

function entriesIn(data: unknown): Entry[] {
  if (!Array.isArray(data)) throw unreadable();
  return data.flatMap(({ type, path, sha, size }: ListedEntry) => {
    const isFile = type === 'file' && typeof path === 'string' && isWorkflowFile(path);
    return isFile && typeof sha === 'string' && typeof size === 'number' ? [{ path, sha, size }] : [];
  });
}

/** `key` names content that never changes, so it is requested only once. */
export async function readFile(
  { get, answers, repository, scope, signal }: RepositoryClient,
  path: string,
  { ref, key }: { ref: string; key: string },
): Promise<string> {
  const known = answers.get(`${scope} ${key}`);
  if (known) return known.value as string;
  const at = path.split('/').map(encodeURIComponent).join('/');
  const answer = await get(repository, `/contents/${at}`, { query: { ref }, signal });
  if (answer.kind !== 'data') throw stoppedBy(answer, signal);
  const { content, encoding } = answer.data as { content?: unknown; encoding?: unknown };
  if (typeof content !== 'string' || encoding !== 'base64') throw tooLarge(path);
  const bytes = Buffer.from(content, 'base64');
  if (bytes.length > maxFileBytes) throw tooLarge(path);
  const value = bytes.toString('utf8');
  answers.set(`${scope} ${key}`, { etag: null, value });
  return value;
}

/** All workflow files of a commit. `others` are read beside them. */
export async function readFolder(
  client: RepositoryClient,
  commit: string,
  others = 0,
): Promise<{ files: WorkflowFile[]; bytesLeft: number }> {
  const entries = await listFolder(client, commit);
  if (entries.length + others > maxFiles) throw tooMany();
  const bytesLeft = maxTotalBytes - entries.reduce((sum, { size }) => sum + size, 0);
  if (bytesLeft < 0) throw tooMuch();
  const files: WorkflowFile[] = [];
  for (const { path, sha } of entries)
    files.push({ path, content: await readFile(client, path, { ref: commit, key: `blob ${sha}` }) });
  return { files, bytesLeft };
}
