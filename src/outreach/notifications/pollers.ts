import { giveBackLeases } from '../../platform/work/leases.ts';
import type { Poller } from '../../platform/work/worker.ts';
import type { NotificationProgram } from './context.ts';
import { pruneNotifications } from './pruneNotifications.ts';
import { sendNotifications } from './sendNotifications.ts';

/** While some wait for a receiver that does not answer, the others go on. */
const lanes = 3;

/** Sends the messages that are due, and forgets old ones. */
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
