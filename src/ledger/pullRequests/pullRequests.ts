import type { Database } from '../../platform/db/database.ts';
import { compare } from '../../platform/lib/lists.ts';
import { oneLine, reportedName } from '../../platform/lib/text.ts';
import { lockCosts } from '../../tenancy/organizations/organizations.ts';
import { mergePullRequests, type PullRequestRow } from './queries.ts';

export {
  findEndedPullRequests,
  findPullRequests,
  setChanges,
  type Changes,
  type PullRequestRow,
} from './queries.ts';

/** What a provider says about a pull request. The repository has any case. */
export type PullRequestReport = PullRequestRow;

export const pullRequestStates = ['merged', 'closed', 'open', 'draft', 'unknown'] as const;

/** The same for every case of the repository. */
export function pullRequestKey({
  provider,
  repository,
  number,
}: Pick<PullRequestRow, 'provider' | 'repository' | 'number'>): string {
  return `${provider} ${repository.toLowerCase()} ${number}`;
}

const maxTitleLength = 255;

/**
 * Each pull request once. Any order and repetition of reports gives the same rows. Costs by state change with them, on
 * all days.
 */
export async function recordPullRequests(
  { db }: { db: Database },
  orgId: string,
  reports: readonly PullRequestReport[],
): Promise<void> {
  if (reports.length === 0) return;
  // In one order, so that two records of the same pull requests cannot wait for each other.
  const rows = reports.map(rowOf).toSorted((a, b) => compare(pullRequestKey(a), pullRequestKey(b)));
  await db.transaction().execute(async (tx) => {
    if ((await mergePullRequests(tx, orgId, rows)) > 0) await lockCosts(tx, orgId);
  });
}

function rowOf(report: PullRequestReport): PullRequestRow {
  return {
    ...report,
    repository: reportedName(report.repository).toLowerCase(),
    title: report.title && oneLine(report.title).slice(0, maxTitleLength).toWellFormed(),
    author: report.author && reportedName(report.author),
  };
}
