import type { Job } from '../jobs/worker.ts';
import type { NotificationProgram } from './context.ts';
import { sendNotifications } from './sendNotifications.ts';

/** Sends the messages that are due. */
export function notificationJobs(program: NotificationProgram): Job[] {
  return [
    {
      name: 'send notifications',
      everyMilliseconds: 1_000,
      run: async () => (await sendNotifications(program)) > 0,
    },
  ];
}
