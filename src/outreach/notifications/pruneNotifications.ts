import type { NotificationProgram } from './context.ts';
import { deleteEndedNotifications } from './queries.ts';

const keptMilliseconds = 30 * 86_400_000;
const mostAtOnce = 500;

/** Deletes messages that were sent or given up more than 30 days ago, a few at a time: whether there may be more. */
export async function pruneNotifications({
  db,
  clock,
}: Pick<NotificationProgram, 'db' | 'clock'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  return (await deleteEndedNotifications(db, before, mostAtOnce)) === mostAtOnce;
}
