import type { GitHubAnswer } from '../backfills/gitHubClient.ts';
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

/** `workflows` is null if none changed, or `note` says why they could not be read. */
export type WorkflowChanges =
  | { kind: 'data'; workflows: { base: Revision; head: Revision } | null; note: string | null }
  | Exclude<Unanswered, { kind: 'refused' }>;

type Place = { provider: string; repository: string; number: number; sourceId: string | null };

const perPage = 100;
const maxPages = 10;
const maxFiles = 100;
const maxFileBytes = 256 * 1024;
const maxTotalBytes = 4 * 1024 * 1024;
const folder = '.github/workflows';
const isWorkflow = (path: string) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path);

/**
 * The workflow files of a pull request before and after its own changes, also if its base has moved on. All of it is read
 * in the repository of the pull request, where GitHub keeps the commits of forks too.
 */
export async function readWorkflowChanges(
  program: AppProgram & { answers: AnswerCache },
  orgId: string,
  place: Place,
): Promise<WorkflowChanges> {
  const { clients } = await openAppClients(program, orgId, place);
  let note: string | null = null;
  for (const client of clients) {
    try {
      return { kind: 'data', note: null, workflows: await readWith(client, program.answers, orgId, place) };
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      if (error.because.kind !== 'refused') return error.because;
      note = error.because.message;
    }
  }
  return { kind: 'data', workflows: null, note };
}

class Stopped extends Error {
  readonly because: Unanswered;
  constructor(because: Unanswered) {
    super(because.message);
    this.because = because;
  }
}

const stop = (message: string) => new Stopped({ kind: 'refused', message });

async function readWith(
  client: AppClient,
  answers: AnswerCache,
  orgId: string,
  { repository, number }: Place,
): Promise<{ base: Revision; head: Revision } | null> {
  const reader = { client, answers, repository, scope: `${orgId} ${client.sourceId} ${repository}` };
  const changes = await readChanged(reader, number);
  if (changes.length === 0) return null;
  const { base, head } = await ask(reader, `/pulls/${number}`, {}, shasIn);
  // The second page has no files, and what both have in common all the same.
  const paged = { per_page: 1, page: 2 };
  const common = await ask(reader, `/compare/${base}...${head}`, paged, commonIn);
  const after = await readFolder(reader, head);
  const changed = new Set(changes.flatMap(({ before, after: path }) => [before, path]));
  const before = after.filter(({ path }) => !changed.has(path));
  for (const path of new Set(changes.flatMap((change) => change.before ?? []))) {
    const content = await readFile(reader, path, { ref: common, key: `${common} ${path}` });
    before.push({ path, content });
  }
  return { base: { files: before.toSorted(byPath) }, head: { files: after } };
}

const byPath = (a: WorkflowFile, b: WorkflowFile) => (a.path < b.path ? -1 : 1);

type Reader = { client: AppClient; answers: AnswerCache; repository: string; scope: string };

/** Throws `Stopped`. Keeps only what `read` takes from the answer. */
async function ask<T>(
  { client, answers, repository, scope }: Reader,
  path: string,
  query: Record<string, string | number>,
  read: (data: unknown) => T,
): Promise<T> {
  const key = `${scope} ${path} ${JSON.stringify(query)}`;
  const known = answers.get(key);
  const answer = await client.get(repository, path, { query, etag: known?.etag ?? null });
  if (answer.kind === 'unchanged' && known) return known.value as T;
  if (answer.kind !== 'data') throw new Stopped(refusalOf(answer));
  const value = read(answer.data);
  answers.put(key, { etag: answer.etag, value });
  return value;
}

function refusalOf(answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' }>): Unanswered {
  if (answer.kind === 'unchanged') return { kind: 'unreachable', message: 'GitHub answered 304 out of turn' };
  if (answer.kind !== 'refused' || answer.status !== 403) return unanswered(answer, 'the workflow files');
  return { kind: 'refused', message: 'The App needs the repository permission "Contents: read".' };
}

type Change = { before: string | null; after: string | null };

async function readChanged(reader: Reader, number: number): Promise<Change[]> {
  const changes: Change[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const query = { per_page: perPage, page };
    const listed = await ask(reader, `/pulls/${number}/files`, query, changedIn);
    changes.push(...listed.workflows);
    if (listed.files < perPage) return changes;
  }
  throw stop(`The pull request changes ${maxPages * perPage} files or more.`);
}

type ListedFile = { filename?: unknown; previous_filename?: unknown; status?: unknown };

function changedIn(data: unknown): { files: number; workflows: Change[] } {
  if (!Array.isArray(data)) throw unreadable();
  const workflowOf = (path: unknown) => (typeof path === 'string' && isWorkflow(path) ? path : null);
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

async function readFolder(reader: Reader, ref: string): Promise<WorkflowFile[]> {
  const entries = await ask(reader, `/contents/${folder}`, { ref }, entriesIn).catch((error: unknown) => {
    // The last file was removed.
    if (error instanceof Stopped && error.message === missing) return [];
    throw error;
  });
  if (entries.length > maxFiles) throw stop(`The repository has more than ${maxFiles} workflow files.`);
  const large = entries.find(({ size }) => size > maxFileBytes);
  if (large) throw tooLarge(large.path);
  if (entries.reduce((sum, { size }) => sum + size, 0) > maxTotalBytes)
    throw stop(`The workflow files have more than ${maxTotalBytes / 1024 / 1024} MiB.`);
  const files: WorkflowFile[] = [];
  for (const { path, sha } of entries)
    files.push({ path, content: await readFile(reader, path, { ref, key: `blob ${sha}` }) });
  return files.toSorted(byPath);
}

const missing = unanswered({ kind: 'refused', status: 404, message: '' }, '').message;
const tooLarge = (path: string) => stop(`${path} has more than ${maxFileBytes / 1024} KiB.`);

type ListedEntry = { type?: unknown; path?: unknown; sha?: unknown; size?: unknown };

function entriesIn(data: unknown): Entry[] {
  if (!Array.isArray(data)) throw unreadable();
  return data.flatMap(({ type, path, sha, size }: ListedEntry) => {
    const isFile = type === 'file' && typeof path === 'string' && isWorkflow(path);
    return isFile && typeof sha === 'string' && typeof size === 'number' ? [{ path, sha, size }] : [];
  });
}

/** `key` names content that never changes, so it is asked for once. */
async function readFile(
  { client, answers, repository, scope }: Reader,
  path: string,
  { ref, key }: { ref: string; key: string },
): Promise<string> {
  const known = answers.get(`${scope} ${key}`);
  if (known) return known.value as string;
  const at = path.split('/').map(encodeURIComponent).join('/');
  const answer = await client.get(repository, `/contents/${at}`, { query: { ref } });
  if (answer.kind !== 'data') throw new Stopped(refusalOf(answer));
  const { content, encoding } = answer.data as { content?: unknown; encoding?: unknown };
  if (typeof content !== 'string' || encoding !== 'base64') throw tooLarge(path);
  const bytes = Buffer.from(content, 'base64');
  if (bytes.length > maxFileBytes) throw tooLarge(path);
  const value = bytes.toString('utf8');
  answers.put(`${scope} ${key}`, { etag: null, value });
  return value;
}
