import { dayOf, windowEnding, type Window } from '../../platform/lib/days.ts';
import { rowsOf, type Page } from '../../platform/lib/page.ts';
import type { BackfillContext } from './backfill.ts';
import { findCompleteness, findCompletenessDays, type RepositoryDay } from './queries.ts';

/** Of the runs that the provider lists, how many were known before they were looked for. */
export type RepositoryCompleteness = Omit<RepositoryDay, 'day'> & {
  days: Omit<RepositoryDay, 'repository'>[];
};

/** How complete the deliveries were, by repository and the day on which the runs were created; most to mend first. */
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
