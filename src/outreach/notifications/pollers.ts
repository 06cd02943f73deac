import { giveBackLeases } from '../../platform/work/leases.ts';
import type { Poller } from '../../platform/work/worker.ts';
import type { NotificationProgram } from './context.ts';
import { sendNotifications } from './notifications.ts';
import { deleteEndedNotifications } from './queries.ts';

/** Other lanes continue while some wait for a slow receiver. */
const lanes = 3;

export function notificationPollers(program: NotificationProgram): Poller[] {
  const senders = Array.from({ length: lanes }, (_, lane) => ({
    name: `send notifications (${lane + 1})`,
    everyMilliseconds: 1_000,
    run: async () => (await sendNotifications(program)) > 0,
    stop: () => giveBackLeases(program.db, 'notifications'),
  }));
  const pruning = {
    name: 'prune notifications',
    everyMilliseconds: 60_000,
    run: () => pruneNotifications(program),
  };
  return [...senders, pruning];
}

const keptMilliseconds = 30 * 86_400_000;
const maxAtOnce = 500;

/** Deletes some notifications that ended more than 30 days ago. Returns whether there may be more. */
export async function pruneNotifications({
  db,
  clock,
}: Pick<NotificationProgram, 'db' | 'clock'>): Promise<boolean> {
  const before = new Date(clock.now().getTime() - keptMilliseconds);
  return (await deleteEndedNotifications(db, before, maxAtOnce)) === maxAtOnce;
}
