import type { Context } from '../organizations/context.ts';
import type { Day, Window } from '../lib/days.ts';
import { findJobDays } from './reading.queries.ts';

/** How many jobs count on each day of the window that has any, oldest first. */
export function listJobDays(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  window: Window,
): Promise<{ day: Day; jobs: number }[]> {
  return findJobDays(db, actor.orgId, window);
}
