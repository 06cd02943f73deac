import type { Transaction } from '../../../platform/db/database.ts';
import { findPullRequests, pullRequestKey, type PullRequestRow } from '../../pullRequests/pullRequests.ts';
import { isPullRequestDimension, type PullRequestDimension } from '../costQuestion.ts';
import type { Column } from './dayColumns.ts';
import { mappedColumn } from './mappedColumn.ts';
import type { DayRows } from './sumRows.ts';

export const columnsForPullRequests = ['provider', 'repository', 'pullRequest'] as const;

type Named = Pick<PullRequestRow, 'provider' | 'repository' | 'number'>;
type ValueOf = (of: Named) => string | null;

/** Read when somebody asks, as owners are, so that a state that changes later holds for all days. */
export async function withPullRequests(
  tx: Transaction,
  orgId: string,
  days: readonly DayRows[],
): Promise<DayRows[]> {
  const valuesIn = (name: 'repository' | 'pullRequest') =>
    new Set(days.flatMap((day) => day.column(name).values).filter((value) => value !== null));
  const repositories = [...valuesIn('repository')].map((name) => name.toLowerCase());
  const rows = await findPullRequests(tx, orgId, {
    repositories: [...new Set(repositories)],
    numbers: [...valuesIn('pullRequest')].map(Number),
  });
  const known = new Map(rows.map((row) => [pullRequestKey(row), row]));
  const values: Record<PullRequestDimension, ValueOf> = {
    pullRequestId: idOfPullRequest,
    pullRequestState: (of) => known.get(pullRequestKey(of))?.state ?? 'unknown',
    pullRequestAuthor: (of) => known.get(pullRequestKey(of))?.author ?? null,
  };
  return days.map((day) => ({
    ...day,
    column: (name) => (isPullRequestDimension(name) ? columnOf(day, values[name]) : day.column(name)),
  }));
}

/** The same for every case of the repository, as `pullRequestKey`. */
export function idOfPullRequest({ provider, repository, number }: Named): string {
  return JSON.stringify([provider, repository.toLowerCase(), number]);
}

/** With the repository in lower case. */
export function pullRequestIn(id: string): Named {
  const [provider, repository, number] = JSON.parse(id) as [string, string, number];
  return { provider, repository, number };
}

/** Null for rows without a pull request. */
function columnOf(day: DayRows, valueOf: ValueOf): Column {
  return mappedColumn(day, columnsForPullRequests.map(day.column), ([provider, repository, number]) =>
    number
      ? valueOf({ provider: provider ?? '', repository: repository ?? '', number: Number(number) })
      : null,
  );
}
