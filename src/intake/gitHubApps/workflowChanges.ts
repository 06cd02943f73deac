import type { GitHubAnswer } from '../backfills/gitHubClient.ts';
import { isWorkflowFile, workflowFolder } from '../providers/github/workflowPath.ts';
import type { AnswerCache } from './answerCache.ts';
import {
  openAppClients,
  unanswered,
  type AppClient,
  type AppProgram,
  type Unanswered,
} from './appClients.ts';

type WorkflowFile = { path: string; content: string };
type Revision = { files: WorkflowFile[] };

/** `workflows` is null if none changed, or if `note` says why they could not be read. */
export type WorkflowChanges =
  | { kind: 'data'; workflows: { base: Revision; head: Revision } | null; note: string | null }
  | Exclude<Unanswered, { kind: 'refused' }>;

type Place = { provider: string; repository: string; number: number; sourceId: string | null };

const perPage = 100;
const maxPages = 10;
const maxFiles = 100;
const maxFileBytes = 256 * 1024;
const maxTotalBytes = 4 * 1024 * 1024;
const maxMilliseconds = 60_000;

/** Before and after its own changes, even if its base has moved on. GitHub keeps commits of forks here, too. */
export async function readWorkflowChanges(
  program: AppProgram & { answers: AnswerCache },
  orgId: string,
  place: Place,
): Promise<WorkflowChanges> {
  const { clients } = await openAppClients(program, orgId, place);
  const signal = AbortSignal.timeout(maxMilliseconds);
  let note: string | null = null;
  for (const { sourceId, get } of clients) {
    const scope = `${orgId} ${sourceId} ${place.repository}`;
    const client = { get, answers: program.answers, repository: place.repository, scope, signal };
    try {
      return { kind: 'data', note: null, workflows: await readWith(client, place.number) };
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (error.because.kind !== 'refused') return error.because;
      note = error.because.message;
      // Another App may be installed in this repository.
      if (!error.isMissing) break;
    }
  }
  return { kind: 'data', workflows: null, note };
}

class Stopped extends Error {
  readonly because: Unanswered;
  readonly isMissing: boolean;
  constructor(because: Unanswered, isMissing = false) {
    super(because.message);
    this.because = because;
    this.isMissing = isMissing;
  }
}

const stop = (message: string) => new Stopped({ kind: 'refused', message });

type Changed = { base: Revision; head: Revision };

async function readWith(client: RepositoryClient, number: number): Promise<Changed | null> {
  const changes = await readChanged(client, number);
  if (changes.length === 0) return null;
  return readRevisions(client, number, changes).catch((error: unknown) => {
    // GitHub has just listed the pull request's files to this App.
    throw error instanceof Stopped && error.isMissing ? stop(lost) : error;
  });
}

const lost = 'GitHub does not find the commits or workflow files of the pull request.';

async function readRevisions(
  client: RepositoryClient,
  number: number,
  changes: readonly Change[],
): Promise<Changed> {
  const { base, head } = await ask(client, `/pulls/${number}`, {}, shasIn);
  // The second page has no files, but still the common commit of both.
  const paged = { per_page: 1, page: 2 };
  const common = await ask(client, `/compare/${base}...${head}`, paged, commonIn);
  const paths = new Set(changes.flatMap((change) => change.before ?? []));
  const entries = await listFolder(client, head);
  if (entries.length + paths.size > maxFiles) throw tooMany();
  let left = maxTotalBytes - entries.reduce((sum, { size }) => sum + size, 0);
  if (left < 0) throw tooMuch();
  const after: WorkflowFile[] = [];
  for (const { path, sha } of entries)
    after.push({ path, content: await readFile(client, path, { ref: head, key: `blob ${sha}` }) });
  const changed = new Set(changes.flatMap(({ before, after: path }) => [before, path]));
  const before = after.filter(({ path }) => !changed.has(path));
  for (const path of paths) {
    const content = await readFile(client, path, { ref: common, key: `${common} ${path}` });
    left -= Buffer.byteLength(content);
    if (left < 0) throw tooMuch();
    before.push({ path, content });
  }
  return { base: { files: before.toSorted(byPath) }, head: { files: after.toSorted(byPath) } };
}

const byPath = (a: WorkflowFile, b: WorkflowFile) => (a.path < b.path ? -1 : 1);

type RepositoryClient = Pick<AppClient, 'get'> & {
  answers: AnswerCache;
  repository: string;
  scope: string;
  signal: AbortSignal;
};

/** Throws `Stopped`. Keeps only what `read` returns. */
async function ask<T>(
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
  return new Stopped(refusalOf(answer), answer.kind === 'refused' && answer.status === 404);
}

type Refused = Exclude<GitHubAnswer<unknown>, { kind: 'data' }>;

function refusalOf(answer: Refused): Unanswered {
  if (answer.kind === 'unchanged') return { kind: 'unreachable', message: 'GitHub answered 304 out of turn' };
  if (answer.kind !== 'refused' || answer.status !== 403) return unanswered(answer, 'the workflow files');
  return { kind: 'refused', message: 'The App needs the repository permission "Contents: read".' };
}

type Change = { before: string | null; after: string | null };

async function readChanged(client: RepositoryClient, number: number): Promise<Change[]> {
  const changes: Change[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const query = { per_page: perPage, page };
    const listed = await ask(client, `/pulls/${number}/files`, query, changedIn);
    changes.push(...listed.workflows);
    if (listed.files < perPage) return changes;
  }
  throw stop(`The pull request changes ${maxPages * perPage} files or more.`);
}

type ListedFile = { filename?: unknown; previous_filename?: unknown; status?: unknown };

function changedIn(data: unknown): { files: number; workflows: Change[] } {
  if (!Array.isArray(data)) throw unreadable();
  const workflowOf = (path: unknown) => (typeof path === 'string' && isWorkflowFile(path) ? path : null);
  const workflows = data.map(({ filename, previous_filename: previous, status }: ListedFile): Change => {
    const isNew = status === 'added' || status === 'copied';
    return {
      before: isNew ? null : workflowOf(status === 'renamed' ? previous : filename),
      after: status === 'removed' ? null : workflowOf(filename),
    };
  });
  return {
    files: data.length,
    workflows: workflows.filter(({ before, after }) => before !== null || after !== null),
  };
}

function shasIn(data: unknown): { base: string; head: string } {
  const { base, head } = data as Record<'base' | 'head', { sha?: unknown } | undefined>;
  return { base: commitOf(base?.sha), head: commitOf(head?.sha) };
}

function commonIn(data: unknown): string {
  const { merge_base_commit: commit } = data as { merge_base_commit?: { sha?: unknown } };
  return commitOf(commit?.sha);
}

function commitOf(sha: unknown): string {
  if (typeof sha === 'string' && /^[0-9a-f]{40,64}$/.test(sha)) return sha;
  throw unreadable();
}

const unreadable = () => stop('GitHub described the pull request in a way that Runcost cannot read.');

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

const tooMany = () => stop(`There are more than ${maxFiles} workflow files before and after the changes.`);
const tooMuch = () =>
  stop(`The workflow files before and after have more than ${maxTotalBytes / 1024 / 1024} MiB.`);
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
async function readFile(
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
