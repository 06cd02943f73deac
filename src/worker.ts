import type { App } from './app.ts';
import { billJobs } from './insight/bills/reports.ts';
import { exportJobs } from './insight/exports/pollers.ts';
import { backfillJobs } from './intake/backfills/pollers.ts';
import { repricingJobs } from './ledger/repricing/pollers.ts';
import { completionJobs } from './ledger/runs/pollers.ts';
import { alertJobs } from './outreach/alerts/pollers.ts';
import { notificationJobs } from './outreach/notifications/pollers.ts';
import { webhookJobs } from './outreach/webhooks/pollers.ts';
import { vacuumJobs } from './platform/work/vacuum.ts';
import { createWorker, type Worker } from './platform/work/worker.ts';
import { removalJobs } from './tenancy/organizations/deleteOrganization.ts';

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
    ...removalJobs(program),
    ...vacuumJobs({ ...app, ...app.config }),
  ];
  return createWorker(jobs, app.log);
}
