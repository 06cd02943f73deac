import { isRepositoryName } from './backfill.ts';
import type { GitHubClient } from './gitHubClient.ts';
import { readPage } from './readRun.ts';

/** GitHub lists 100 a page; nobody has more that were pushed to lately. */
const maxPages = 20;

/** The repositories that an App may read, the last pushed to first. Null if GitHub does not say. */
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
