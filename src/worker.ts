import type { App } from './app.ts';
import { billPollers } from './insight/bills/reports.ts';
import { exportRemovedTo } from './insight/exports/removedRuns.ts';
import { exportPollers } from './insight/exports/writeExport.ts';
import { publishedReport } from './insight/pullRequests/view.ts';
import { scheduledExportPollers } from './insight/scheduledExports/planUploads.ts';
import { sumsBeforeRemoval, wastePollers } from './insight/waste/sumWaste.ts';
import { backfillPollers } from './intake/backfills/doBackfill.ts';
import { createAnswerCache } from './intake/gitHubApps/answerCache.ts';
import { findPullRequest } from './intake/gitHubApps/findPullRequest.ts';
import { readWorkflowChanges } from './intake/gitHubApps/workflowChanges.ts';
import { writeReport } from './intake/gitHubApps/writeReport.ts';
import { ownerImportPollers } from './intake/teams/ownerImport.ts';
import { repricingPollers } from './ledger/repricing/doReprice.ts';
import { retentionPollers } from './ledger/retention/removeRuns.ts';
import { completionPollers } from './ledger/runs/completions.ts';
import { factsPollers } from './ledger/runs/fillFacts.ts';
import { namePullRequest } from './ledger/runs/pullRequests.ts';
import { alertPollers } from './outreach/alerts/alerts.ts';
import { digestPollers } from './outreach/digests/planDigests.ts';
import { notificationPollers } from './outreach/notifications/notifications.ts';
import { tokenExpiryPollers } from './outreach/notifications/tokenExpiry.ts';
import { commentPollers } from './outreach/pullRequestComments/comments.ts';
import { forkPollers } from './outreach/pullRequestComments/forks.ts';
import { webhookPollers } from './outreach/webhooks/deliveries.ts';
import { watchHold } from './platform/work/hold.ts';
import { vacuumPollers } from './platform/work/vacuum.ts';
import { createWorker, type Poller, type Worker } from './platform/work/worker.ts';
import { removalPollers } from './tenancy/organizations/deleteOrganization.ts';

export function buildWorker(app: App): Worker {
  const program = { ...app, db: app.background, webhookConcurrency: app.config.webhookConcurrency };
  const hold = watchHold(program.db);
  const pollers = [
    hold.poller,
    ...completionPollers(program),
    ...factsPollers(program),
    ...repricingPollers(program),
    ...retentionPollers({ ...program, ...removalsOf(app), ...sumsBeforeRemoval(program) }),
    ...wastePollers(program),
    ...billPollers(program),
    ...exportPollers(program),
    ...removalPollers(program),
    ...vacuumPollers({ ...program, ...app.config }),
    ...outgoingPollers(app).map(hold.unlessHeld),
  ];
  return createWorker(pollers, app);
}

function removalsOf({ config: { retentionDays, retentionExportDir: folder } }: App) {
  return { retentionDays, exportRemoved: folder === null ? null : exportRemovedTo(folder) };
}

/**
 * Pollers that send something. A copied installation must not run them, because the original already does.
 */
function outgoingPollers(app: App): Poller[] {
  const program = { ...app, db: app.background, webhookConcurrency: app.config.webhookConcurrency };
  const { gitHubApiUrl } = app.config;
  const answers = createAnswerCache();
  return [
    ...alertPollers(program),
    ...digestPollers(program),
    ...notificationPollers(program),
    ...tokenExpiryPollers(program),
    ...webhookPollers(program),
    ...scheduledExportPollers(program),
    ...backfillPollers({ ...program, gitHubApiUrl }),
    ...ownerImportPollers({ ...program, gitHubApiUrl }),
    ...commentPollers({
      ...program,
      report: (...asked) => publishedReport(program, ...asked),
      readChanges: (...asked) => readWorkflowChanges({ ...program, gitHubApiUrl, answers }, ...asked),
      write: (...asked) => writeReport({ ...program, gitHubApiUrl }, ...asked),
    }),
    ...forkPollers({
      ...program,
      find: (...asked) => findPullRequest({ ...program, gitHubApiUrl }, ...asked),
      name: (...named) => namePullRequest(program, ...named),
    }),
  ];
}
