import type { App } from './app.ts';
import { demoPollers } from './demo/loadTask.ts';
import { exportRemovedTo } from './insight/exports/removedRuns.ts';
import { exportPollers } from './insight/exports/writeExport.ts';
import { publishedReport } from './insight/pullRequests/view.ts';
import { scheduledExportPollers } from './insight/scheduledExports/planUploads.ts';
import { sumsBeforeRemoval, wastePollers } from './insight/waste/sumWaste.ts';
import { backfillPollers } from './intake/backfills/doBackfill.ts';
import { billFetchPollers } from './intake/billFetches/doFetch.ts';
import { createAnswerCache } from './intake/gitHubApps/answerCache.ts';
import { findPullRequest } from './intake/gitHubApps/findPullRequest.ts';
import { readWorkflowChanges } from './intake/gitHubApps/workflowChanges.ts';
import { writeReport } from './intake/gitHubApps/writeReport.ts';
import { hostedRunnerPollers } from './intake/hostedRunners/readHostedRunners.ts';
import { pullRequestPollers } from './intake/pullRequestReadings/readPullRequests.ts';
import { storagePollers } from './intake/storageReadings/reading.ts';
import { ownerImportPollers } from './intake/teams/ownerImport.ts';
import { usageImportPollers } from './intake/usageImports/doUsageImport.ts';
import { billPollers } from './ledger/bills/reports.ts';
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
import { createWorker, type Poller, type Worker } from './platform/work/worker.ts';
import { loginPollers } from './tenancy/logins/logins.ts';
import { removalPollers } from './tenancy/organizations/deleteOrganization.ts';

export function buildWorker(app: App): Worker {
  const hold = watchHold(app.background);
  return createWorker([hold.poller, ...innerPollers(app), ...outgoingPollers(app).map(hold.unlessHeld)], app);
}

/** Pollers that change only our own database and files. */
function innerPollers(app: App): Poller[] {
  const program = programOf(app);
  const { retentionDays, retentionExportDir: folder } = app.config;
  const exportRemoved = folder === null ? null : exportRemovedTo(folder);
  const removal = { ...program, retentionDays, exportRemoved, ...sumsBeforeRemoval(program) };
  return [
    completionPollers(program),
    factsPollers(program),
    repricingPollers(program),
    retentionPollers(removal),
    wastePollers(program),
    billPollers(program),
    exportPollers(program),
    removalPollers(program),
    demoPollers(program),
    loginPollers(program),
  ].flat();
}

/**
 * Pollers that send something. A copied installation must not run them, because the original already does.
 */
function outgoingPollers(app: App): Poller[] {
  const program = programOf(app);
  const gitHub = { ...program, gitHubApiUrl: app.config.gitHubApiUrl };
  const answers = createAnswerCache();
  return [
    alertPollers(program),
    digestPollers(program),
    notificationPollers(program),
    tokenExpiryPollers(program),
    webhookPollers(program),
    scheduledExportPollers(program),
    backfillPollers(gitHub),
    usageImportPollers({ ...program, circleCiApiUrl: app.config.circleCiApiUrl }),
    ownerImportPollers(gitHub),
    hostedRunnerPollers(gitHub),
    pullRequestPollers(gitHub),
    storagePollers(gitHub),
    billFetchPollers(gitHub),
    commentPollers({
      ...program,
      report: (...args) => publishedReport(program, ...args),
      readChanges: (...args) => readWorkflowChanges({ ...gitHub, answers }, ...args),
      write: (...args) => writeReport(gitHub, ...args),
    }),
    forkPollers({
      ...program,
      find: (...args) => findPullRequest(gitHub, ...args),
      name: (...args) => namePullRequest(program, ...args),
    }),
  ].flat();
}

function programOf(app: App) {
  return { ...app, db: app.background, webhookConcurrency: app.config.webhookConcurrency };
}
