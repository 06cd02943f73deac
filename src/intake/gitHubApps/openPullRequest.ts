import { listCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer } from '../backfills/gitHubClient.ts';
import type { AnswerCache } from './answerCache.ts';
import {
  openAppClients,
  unanswered,
  type AppClient,
  type AppProgram,
  type Unanswered,
} from './appClients.ts';
import { providerOfApi } from './manifest.ts';
import {
  ask,
  commitOf,
  firstAnswer,
  readFolder,
  statusOf,
  stop,
  Stopped,
  unreadable,
  type RepositoryClient,
  type WorkflowFile,
} from './repositoryFiles.ts';

/** `provider` is null if it is not known: then the server of GITHUB_API_URL counts. */
type Place = { provider: string | null; repository: string };

/** The workflow files at the newest commit of a branch. */
export type RepositoryRevision = { branch: string; commit: string; tree: string; files: WorkflowFile[] };

type FileProgram = AppProgram & { answers: AnswerCache };

/** Of the default branch if none is given. Reads with Apps first, then with the tokens of sources. */
export async function readWorkflowFiles(
  program: FileProgram,
  orgId: string,
  { branch, ...place }: Place & { branch: string | null },
): Promise<{ kind: 'data'; data: RepositoryRevision } | Unanswered> {
  const isElsewhere = place.provider !== null && place.provider !== providerOfApi(program.gitHubApiUrl);
  const { clients, fault } = await openClients(program, orgId, place);
  const readers = [...clients, ...(isElsewhere ? [] : await tokenClients(program, orgId))];
  const asked = { orgId, repository: place.repository, answers: program.answers };
  const found = await firstAnswer(readers, asked, (client) => readRevision(client, branch));
  const message = isElsewhere ? fault : `Nothing can read ${place.repository}: ${howToRead}`;
  return found ?? { kind: 'refused', message };
}

const howToRead = 'add a GitHub App or a token on the page Sources, or give the workflow files.';

function openClients(program: FileProgram, orgId: string, { provider }: Place) {
  return openAppClients(program, orgId, { provider, sourceId: null });
}

async function tokenClients(
  program: FileProgram,
  orgId: string,
): Promise<Pick<AppClient, 'get' | 'sourceId'>[]> {
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  return (await listCredentials(program, orgId)).flatMap(({ sourceId, credentials }) =>
    credentials.kind === 'token' ? [{ ...createGitHubClient(program, credentials), sourceId }] : [],
  );
}

async function readRevision(client: RepositoryClient, asked: string | null): Promise<RepositoryRevision> {
  const usual = await ask(client, '', {}, (data) => textIn(data, 'default_branch'));
  const branch = asked ?? usual;
  const head = await readHead(client, branch).catch((error: unknown) => {
    const isMissing = error instanceof Stopped && error.isMissing;
    throw isMissing ? stop(`The repository has no branch ${branch}, or the App may not read it.`) : error;
  });
  const { files } = await readFolder(client, head.commit);
  return { branch, ...head, files };
}

function readHead(client: RepositoryClient, branch: string): Promise<{ commit: string; tree: string }> {
  return ask(client, `/branches/${encodeURIComponent(branch)}`, {}, headIn);
}

function textIn(data: unknown, name: string): string {
  const value = (data as Record<string, unknown>)[name];
  if (typeof value !== 'string') throw unreadable();
  return value;
}

function headIn(data: unknown): { commit: string; tree: string } {
  const { commit } = data as { commit?: { sha?: unknown; commit?: { tree?: { sha?: unknown } } } };
  return { commit: commitOf(commit?.sha), tree: commitOf(commit?.commit?.tree?.sha) };
}

export type OpenedPullRequest = { number: number; url: string; state: 'open' | 'closed'; isNew: boolean };

/** What it changes, made from the newest files of the default branch. */
type Proposal = { title: string; body: string; message: string; files: readonly WorkflowFile[] };
type Prepare = (revision: RepositoryRevision) => Promise<Proposal>;

const maxBranches = 20;

/**
 * One commit on a branch of its own. A pull request that nobody merged is returned, so that a second request opens no
 * second. After a merge, the fix came back. GitHub: https://docs.github.com/en/rest/git, read on 2026-11-29.
 */
export async function openPullRequest(
  program: FileProgram,
  orgId: string,
  { branch, ...place }: Place & { branch: string },
  prepare: Prepare,
): Promise<{ kind: 'data'; data: OpenedPullRequest } | Unanswered> {
  const { clients, fault } = await openClients(program, orgId, place);
  const asked = { orgId, repository: place.repository, answers: program.answers };
  const found = await firstAnswer(clients, asked, async (client) => {
    let commit: Commit | undefined;
    for (let count = 1; count <= maxBranches; count++) {
      const name = count === 1 ? branch : `${branch}-${count}`;
      const known = await findPullRequest(client, name);
      if (known && !known.isMerged) return known.opened;
      if (known) continue;
      commit ??= await makeCommit(client, prepare);
      if (await hasBranch(client, name, commit)) return openFrom(client, name, commit);
    }
    throw stop(
      `${maxBranches} branches have the name ${branch} and a number. Delete those that nobody needs.`,
    );
  });
  return found ?? { kind: 'refused', message: fault };
}

type Writer = RepositoryClient & AppClient;

type Known = { opened: OpenedPullRequest; isMerged: boolean };

/** The newest of the branch. */
async function findPullRequest(client: Writer, branch: string): Promise<Known | null> {
  const [owner] = client.repository.split('/');
  const query = { head: `${owner}:${branch}`, state: 'all', per_page: 1 };
  const answer = await client.get(client.repository, '/pulls', { query, signal: client.signal });
  if (answer.kind !== 'data') throw refusedBy(answer, 'the list of pull requests');
  const [first] = Array.isArray(answer.data) ? (answer.data as unknown[]) : [];
  if (first === undefined) return null;
  const isMerged = typeof (first as { merged_at?: unknown }).merged_at === 'string';
  return { opened: pullRequestIn(first, false), isMerged };
}

type Commit = { sha: string; tree: string; base: string; proposal: Proposal };

async function makeCommit(client: Writer, prepare: Prepare): Promise<Commit> {
  const revision = await readRevision(client, null);
  const proposal = await prepare(revision);
  const shaOf = async (path: string, body: object, what: string) => {
    const answer = await post(client, path, body);
    if (answer.kind !== 'data') throw refusedBy(answer, what);
    return commitOf((answer.data as { sha?: unknown }).sha);
  };
  const entries = proposal.files.map((file) => ({ ...file, mode: '100644', type: 'blob' }));
  const tree = await shaOf('/git/trees', { base_tree: revision.tree, tree: entries }, 'the change');
  const commit = { message: proposal.message, tree, parents: [revision.commit] };
  return { sha: await shaOf('/git/commits', commit, 'the commit'), tree, base: revision.branch, proposal };
}

const post = (client: Writer, path: string, body: object) =>
  client.write(client.repository, 'POST', path, body);

/** Makes it, unless an earlier request did and ended before its pull request. Another branch of the name stays as it is. */
async function hasBranch(client: Writer, branch: string, { sha, tree }: Commit): Promise<boolean> {
  const made = await post(client, '/git/refs', { ref: `refs/heads/${branch}`, sha });
  if (made.kind === 'data') return true;
  const isThere = isInvalid(made) && 'said' in made && /already exists/i.test(made.said);
  if (!isThere) throw refusedBy(made, `the branch ${branch}`);
  return (await readHead(client, branch)).tree === tree;
}

async function openFrom(
  client: Writer,
  branch: string,
  { base, proposal: { title, body } }: Commit,
): Promise<OpenedPullRequest> {
  const opened = await post(client, '/pulls', { title, body, head: branch, base });
  if (opened.kind === 'data') return pullRequestIn(opened.data, true);
  const known = isInvalid(opened) ? await findPullRequest(client, branch) : null;
  if (known) return known.opened;
  throw refusedBy(opened, 'the pull request');
}

/** GitHub says no more than "Validation Failed" of a second pull request. */
function isInvalid(answer: GitHubAnswer<unknown>): boolean {
  return answer.kind === 'refused' && answer.status === 422;
}

function pullRequestIn(data: unknown, isNew: boolean): OpenedPullRequest {
  const { number, html_url: url, state } = data as { number?: unknown; html_url?: unknown; state?: unknown };
  if (typeof number !== 'number' || typeof url !== 'string') throw unreadable();
  return { number, url, state: state === 'closed' ? 'closed' : 'open', isNew };
}

const writeRights = '"Contents: write", "Workflows: write" and "Pull requests: write"';

/** GitHub says 404 where the App may read but not write. */
function refusedBy(answer: Exclude<GitHubAnswer<unknown>, { kind: 'data' }>, what: string): Stopped {
  if (answer.kind === 'unchanged') return unreadable();
  if (answer.kind !== 'refused') return new Stopped(unanswered(answer, what), statusOf(answer));
  const { status, said } = answer;
  const mayNot = status === 403 || status === 404;
  const right = mayNot
    ? ` Give the App the repository permissions ${writeRights}, and accept them at GitHub.`
    : '';
  const message = `GitHub refuses ${what} (${status}): it says "${said}".${right}`;
  return new Stopped({ kind: 'refused', message }, status);
}
