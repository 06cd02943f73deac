import { isDocumentation } from '../../ledger/pullRequests/documentation.ts';
import {
  recordPullRequests,
  setChanges,
  type Changes,
  type PullRequestReport,
} from '../../ledger/pullRequests/pullRequests.ts';
import { PublicError } from '../../platform/lib/errors.ts';
import type { Poller } from '../../platform/work/worker.ts';
import type { BackfillProgram } from '../backfills/backfill.ts';
import { listCredentials } from '../backfills/credentials.ts';
import type { GitHubAnswer, GitHubClient } from '../backfills/gitHubClient.ts';
import { nightlyPoller } from '../backfills/nightlyReads.ts';
import { changedFilePages, type ChangedFile } from '../gitHubApps/changedFiles.ts';
import { providerOfApi } from '../gitHubApps/manifest.ts';
import { findUnended, findUnreadChanges } from './queries.ts';

const maxRepositories = 200;
/** Of each repository, whose changed files are read. */
const maxChanges = 20;
const maxFilePages = 3;
const maxPages = 5;
const perPage = 100;
const activeMilliseconds = 30 * 86_400_000;
/** Longer than it takes to read all these. */
const claimMilliseconds = 2 * 3_600_000;

type Places = { orgId: string; provider: string; repository: string; numbers: readonly number[] };

/** Once a night, what no event said: an App without the event, a token, or a lost delivery. */
export function pullRequestPollers(program: BackfillProgram): Poller[] {
  const read = (orgId: string) => readInNight(program, orgId);
  return [
    nightlyPoller(program, { what: 'pull requests', table: 'pull_request_reads', claimMilliseconds, read }),
  ];
}

async function readInNight(program: BackfillProgram, orgId: string): Promise<void> {
  const { db, clock, gitHubApiUrl } = program;
  const provider = providerOfApi(gitHubApiUrl);
  const active = new Date(clock.now().getTime() - activeMilliseconds);
  const asked = { provider, since: active, limit: maxRepositories };
  const findUnread = () => findUnreadChanges(db, orgId, { ...asked, perRepository: maxChanges });
  const repositories = await findUnended(db, orgId, asked);
  if (repositories.length === 0 && (await findUnread()).length === 0) return;
  const { createGitHubClient } = await import('../backfills/gitHubClient.ts');
  const credentials = await listCredentials(program, orgId);
  const clients = credentials.map((each) => createGitHubClient(program, each.credentials));
  for (const { repository, numbers } of repositories) {
    const places = { orgId, provider, repository, numbers };
    for (const client of clients) if (await readRepository(program, client, places)) break;
  }
  for (const each of await findUnread()) await readChanges(program, clients, { orgId, provider, ...each });
}

/** The pull requests that changed last, until all that are wanted were listed. Returns whether GitHub answered. */
async function readRepository(
  program: BackfillProgram,
  client: GitHubClient,
  { orgId, provider, repository, numbers }: Places,
): Promise<boolean> {
  const wanted = new Set(numbers);
  for (let page = 1; page <= maxPages && wanted.size > 0; page++) {
    const query = { state: 'all', sort: 'updated', direction: 'desc', per_page: perPage, page };
    const answer = await client.get(repository, '/pulls', { query });
    if (answer.kind !== 'data') return page > 1;
    const { reports, isLast } = await readPage(answer, program.clock.now());
    const named = reports.map((report) => ({ ...report, provider, repository }));
    await recordPullRequests(
      program,
      orgId,
      named.filter(({ number }) => wanted.has(number)),
    );
    for (const { number } of named) wanted.delete(number);
    if (isLast) break;
  }
  return true;
}

type Listed = Omit<PullRequestReport, 'provider' | 'repository'>;

async function readPage({ data }: Extract<GitHubAnswer<unknown>, { kind: 'data' }>, now: Date) {
  const { readListedPullRequest } = await import('../providers/github/readEvent.ts');
  const listed = Array.isArray(data) ? data : [];
  const reports = listed.flatMap((each: unknown): Listed[] => {
    try {
      return [readListedPullRequest(each, now)];
    } catch (error) {
      // One that cannot be read leaves the others.
      if (error instanceof PublicError) return [];
      throw error;
    }
  });
  return { reports, isLast: listed.length < perPage };
}

/** What pull requests that ended changed. The next client reads those that one could not. */
async function readChanges(
  { db }: BackfillProgram,
  clients: readonly GitHubClient[],
  { orgId, provider, repository, numbers }: Places,
): Promise<void> {
  const left = new Set(numbers);
  for (const client of clients)
    for (const number of left) {
      const changes = await changesOf(client, repository, number);
      if (changes === null) break;
      await setChanges(db, orgId, { provider, repository, number }, changes);
      left.delete(number);
    }
}

/** Null if GitHub did not answer. Unknown is final, so that it is not asked every night. */
async function changesOf(client: GitHubClient, repository: string, number: number): Promise<Changes | null> {
  let listed = 0;
  const pages = changedFilePages(number, maxFilePages, async (path, query) =>
    changesIn(await client.get(repository, path, { query })),
  );
  for await (const { files, changes, isLast } of pages) {
    if (changes !== 'documentation') return changes;
    listed += files;
    if (isLast) return listed === 0 ? 'unknown' : changes;
  }
  return 'unknown';
}

function changesIn(answer: GitHubAnswer<unknown>): { files: number; changes: Changes | null } {
  // What GitHub cannot list now, it cannot list tomorrow.
  if (answer.kind === 'refused' && answer.status === 422) return { files: 0, changes: 'unknown' };
  if (answer.kind !== 'data') return { files: 0, changes: null };
  if (!Array.isArray(answer.data)) return { files: 0, changes: 'unknown' };
  const files = answer.data as ChangedFile[];
  return { files: files.length, changes: files.every(isOfDocumentation) ? 'documentation' : 'other' };
}

/** A file that was moved into a folder of documentation was something else before. */
function isOfDocumentation(file: ChangedFile): boolean {
  const paths = [file?.filename, file?.previous_filename ?? file?.filename];
  return paths.every((path) => typeof path === 'string' && isDocumentation(path));
}
