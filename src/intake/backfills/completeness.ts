import { dayOf, windowEnding, type Window } from '../../platform/lib/days.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import { daysWithin, type BackfillContext, type Slice, type Step } from './backfill.ts';
import {
  findCompleteness,
  findCompletenessDays,
  removeGoneRuns,
  type RepositoryDay,
} from './listedRuns.queries.ts';

export type RepositoryCompleteness = Omit<RepositoryDay, 'day'> & {
  days: Omit<RepositoryDay, 'repository'>[];
};

export async function getCompleteness(
  { actor: { orgId }, clock, db }: BackfillContext,
  { days, ...page }: { days: number } & Page,
): Promise<{ window: Window; repositories: RepositoryCompleteness[]; total: number }> {
  const window = windowEnding(dayOf(clock.now()), days);
  const since = window.start;
  const asked = { since, ...rowsOf(page) };
  const { repositories, total } = await findCompleteness(db, orgId, asked);
  const names = repositories.map(({ repository }) => repository);
  const byDay = await findCompletenessDays(db, orgId, { since, repositories: names });
  const daysOf = Map.groupBy(byDay, ({ repository }) => repository);
  return {
    window,
    total,
    repositories: repositories.map((sums) => ({
      ...sums,
      days: (daysOf.get(sums.repository) ?? []).map(({ repository: _, ...ofDay }) => ofDay),
    })),
  };
}

export function completenessView({ repository, days, ...sums }: RepositoryCompleteness) {
  return {
    repository,
    ...countsView(sums),
    days: days.map(({ day, ...ofDay }) => ({ day, ...countsView(ofDay) })),
  };
}

type Counts = Omit<RepositoryCompleteness, 'repository' | 'days'>;

function countsView({ listed, had, completed, added, unread }: Counts) {
  return {
    runs_listed: listed,
    runs_had: had,
    runs_completed: completed,
    runs_added: added,
    runs_unread: unread,
    completeness: listed === 0 ? 1 : (had - completed) / listed,
  };
}

/** Unread runs that GitHub no longer lists have been deleted, so we stop looking for them. */
export async function deleteGone({ program, task }: Step, repository: string, slice: Slice): Promise<void> {
  const days = daysWithin(slice);
  if (!days) return;
  await removeGoneRuns(program.db, task.orgId, { repository, days, before: task.createdAt });
}
