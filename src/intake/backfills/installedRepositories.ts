import { isRepositoryName } from './backfill.ts';
import type { GitHubClient } from './gitHubClient.ts';
import { readPage } from './readRun.ts';

/** Pages of 100 repositories. Nobody has recently pushed to more. */
const maxPages = 20;

/** The repositories that an App may read, last pushed first. Null if GitHub does not return them. */
export async function readInstalledRepositories(
  client: Pick<GitHubClient, 'getInstalledRepositories'>,
  limit: number,
): Promise<string[] | null> {
  const found: { name: string; pushedAt: string }[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const answer = await client.getInstalledRepositories(page);
    const read = answer.kind === 'data' ? readPage(answer.data, 'repositories') : null;
    if (!read) return null;
    for (const { full_name: name, pushed_at: pushedAt } of read.items) {
      if (typeof name !== 'string' || !isRepositoryName(name)) continue;
      found.push({ name, pushedAt: typeof pushedAt === 'string' ? pushedAt : '' });
    }
    if (page * 100 >= read.total || read.items.length === 0) break;
  }
  const latestFirst = found.toSorted((a, b) => b.pushedAt.localeCompare(a.pushedAt, 'en'));
  return latestFirst.slice(0, limit).map(({ name }) => name);
}
