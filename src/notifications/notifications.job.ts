import type { Job } from '../jobs/worker.ts';
import type { NotificationProgram } from './context.ts';
import { sendNotifications } from './sendNotifications.ts';

/** While some wait for a receiver that does not answer, the others go on. */
const lanes = 3;

/** Sends the messages that are due. */
export function notificationJobs(program: NotificationProgram): Job[] {
  return Array.from({ length: lanes }, (_, lane) => ({
    name: `send notifications (${lane + 1})`,
    everyMilliseconds: 1_000,
    run: async () => (await sendNotifications(program)) > 0,
  }));
}
