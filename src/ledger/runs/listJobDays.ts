import type { Context } from '../../context.ts';
import type { Day, Window } from '../../platform/lib/days.ts';
import { findFirstAndLastDay, findJobDays } from './reading.queries.ts';

/** How many jobs count on each day of the window that has any, oldest first. */
export function listJobDays(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  window: Window,
): Promise<{ day: Day; jobs: number }[]> {
  return findJobDays(db, actor.orgId, window);
}

/** The first and the last day that anything recorded counts on; null where nothing is. */
export function findRecordedDays({
  db,
  actor,
}: Pick<Context, 'db' | 'actor'>): Promise<{ first: Day; last: Day } | null> {
  return findFirstAndLastDay(db, actor.orgId);
}
