import { isWorkflowFile } from '../providers/github/workflowPath.ts';
import type { AnswerCache } from './answerCache.ts';
import { openAppClients, type AppProgram, type Unanswered } from './appClients.ts';
import { changedFilePages, maxFilesOf, type ChangedFile } from './changedFiles.ts';
import {
  ask,
  commitOf,
  firstAnswer,
  readFile,
  readFolder,
  stop,
  Stopped,
  tooMuch,
  unreadable,
  type RepositoryClient,
  type WorkflowFile,
} from './repositoryFiles.ts';

type Revision = { files: WorkflowFile[] };

/** `workflows` is null if none changed, or if `note` says why they could not be read. */
export type WorkflowChanges =
  | { kind: 'data'; workflows: { base: Revision; head: Revision } | null; note: string | null }
  | Exclude<Unanswered, { kind: 'refused' }>;

type Place = { provider: string; repository: string; number: number; sourceId: string | null };

const maxPages = 10;

/** Before and after its own changes, even if its base has moved on. GitHub keeps commits of forks here, too. */
export async function readWorkflowChanges(
  program: AppProgram & { answers: AnswerCache },
  orgId: string,
  place: Place,
): Promise<WorkflowChanges> {
  const { clients } = await openAppClients(program, orgId, place);
  const { repository, number } = place;
  const asked = { orgId, repository, answers: program.answers };
  const found = await firstAnswer(clients, asked, (client) => readWith(client, number));
  if (found?.kind === 'data') return { kind: 'data', note: null, workflows: found.data };
  if (found && found.kind !== 'refused') return found;
  return { kind: 'data', workflows: null, note: found?.message ?? null };
}

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
  const after = await readFolder(client, head, paths.size);
  const changed = new Set(changes.flatMap(({ before, after: path }) => [before, path]));
  const before = after.files.filter(({ path }) => !changed.has(path));
  let left = after.bytesLeft;
  for (const path of paths) {
    const content = await readFile(client, path, { ref: common, key: `${common} ${path}` });
    left -= Buffer.byteLength(content);
    if (left < 0) throw tooMuch();
    before.push({ path, content });
  }
  return { base: { files: before.toSorted(byPath) }, head: { files: after.files.toSorted(byPath) } };
}

const byPath = (a: WorkflowFile, b: WorkflowFile) => (a.path < b.path ? -1 : 1);

type Change = { before: string | null; after: string | null };

async function readChanged(client: RepositoryClient, number: number): Promise<Change[]> {
  const changes: Change[] = [];
  const pages = changedFilePages(number, maxPages, (path, query) => ask(client, path, query, changedIn));
  for await (const { workflows, isLast } of pages) {
    changes.push(...workflows);
    if (isLast) return changes;
  }
  throw stop(`The pull request changes ${maxFilesOf(maxPages)} files or more.`);
}

function changedIn(data: unknown): { files: number; workflows: Change[] } {
  if (!Array.isArray(data)) throw unreadable();
  const workflowOf = (path: unknown) => (typeof path === 'string' && isWorkflowFile(path) ? path : null);
  const workflows = data.map((file: ChangedFile): Change => {
    const { filename, previous_filename: previous, status } = file ?? {};
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
