import { isDocumentation } from '../../ledger/pullRequests/documentation.ts';
import { setChanges, type Changes } from '../../ledger/pullRequests/pullRequests.ts';
import type { Database } from '../../platform/db/database.ts';
import type { GitHubClient } from '../backfills/gitHubClient.ts';

export type Places = { orgId: string; provider: string; repository: string; numbers: readonly number[] };

const maxPages = 3;
const perPage = 100;

/** What pull requests that ended changed. The next client reads those that one could not. */
export async function readChanges(
  { db }: { db: Database },
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
  for (let page = 1; page <= maxPages; page++) {
    const query = { per_page: perPage, page };
    const answer = await client.get(repository, `/pulls/${number}/files`, { query });
    // What GitHub cannot list now, it cannot list tomorrow.
    if (answer.kind === 'refused' && answer.status === 422) return 'unknown';
    if (answer.kind !== 'data') return null;
    if (!Array.isArray(answer.data)) return 'unknown';
    const files = answer.data as ListedFile[];
    if (!files.every(isOfDocumentation)) return 'other';
    if (files.length < perPage) return page === 1 && files.length === 0 ? 'unknown' : 'documentation';
  }
  return 'unknown';
}

type ListedFile = { filename?: unknown; previous_filename?: unknown } | null;

/** A file that was moved into a folder of documentation was something else before. */
function isOfDocumentation(file: ListedFile): boolean {
  const paths = [file?.filename, file?.previous_filename ?? file?.filename];
  return paths.every((path) => typeof path === 'string' && isDocumentation(path));
}
