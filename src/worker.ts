import { alertJobs } from './alerts/alerts.job.ts';
import type { App } from './app.ts';
import { createWorker, type Worker } from './jobs/worker.ts';
import { notificationJobs } from './notifications/notifications.job.ts';

/** Everything that happens without a request: it may run in any number of processes at once. */
export function buildWorker(app: App): Worker {
  const program = { ...app, publicUrl: app.config.publicUrl };
  return createWorker([...alertJobs(program), ...notificationJobs(program)], app.log);
}
