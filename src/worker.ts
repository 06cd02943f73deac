import { alertJobs } from './alerts/alerts.job.ts';
import type { App } from './app.ts';
import { backfillJobs } from './backfills/backfills.job.ts';
import { billJobs } from './bills/bills.job.ts';
import { deletionJobs } from './deletion/deletion.job.ts';
import { exportJobs } from './exports/exports.job.ts';
import { vacuumJobs } from './jobs/vacuum.ts';
import { createWorker, type Worker } from './jobs/worker.ts';
import { notificationJobs } from './notifications/notifications.job.ts';
import { repricingJobs } from './repricing/repricing.job.ts';
import { completionJobs } from './runs/completions.job.ts';
import { webhookJobs } from './webhooks/webhooks.job.ts';

/** Everything that happens without a request: it may run in any number of processes at once. */
export function buildWorker(app: App): Worker {
  const program = { ...app, webhookConcurrency: app.config.webhookConcurrency };
  const jobs = [
    ...completionJobs(program),
    ...repricingJobs(program),
    ...alertJobs(program),
    ...notificationJobs(program),
    ...webhookJobs(program),
    ...backfillJobs({ ...app, gitHubApiUrl: app.config.gitHubApiUrl }),
    ...billJobs(program),
    ...exportJobs(program),
    ...deletionJobs(program),
    ...vacuumJobs({ ...app, ...app.config }),
  ];
  return createWorker(jobs, app.log);
}
