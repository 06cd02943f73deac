import { demoVerbs } from './demo/verbs.ts';
import { annotationVerbs } from './insight/annotations/verbs.ts';
import { billVerbs } from './insight/bills/verbs.ts';
import { estimateVerbs } from './insight/estimates/verbs.ts';
import { exploreVerbs } from './insight/explore/verbs.ts';
import { exportVerbs } from './insight/exports/verbs.ts';
import { fixVerbs } from './insight/fixes/verbs.ts';
import { moveVerbs } from './insight/moves/verbs.ts';
import { overviewVerbs } from './insight/overview/verbs.ts';
import { pullRequestVerbs } from './insight/pullRequests/verbs.ts';
import { scheduledExportVerbs } from './insight/scheduledExports/verbs.ts';
import { showbackVerbs } from './insight/showback/verbs.ts';
import { storageVerbs } from './insight/storageCosts/verbs.ts';
import { viewVerbs } from './insight/views/verbs.ts';
import { wasteVerbs } from './insight/waste/verbs.ts';
import { backfillVerbs } from './intake/backfills/verbs.ts';
import { billFetchVerbs } from './intake/billFetches/verbs.ts';
import { gitHubAppVerbs } from './intake/gitHubApps/verbs.ts';
import { gitLabVerbs } from './intake/gitLabWebhooks/verbs.ts';
import { hostedRunnerVerbs } from './intake/hostedRunners/verbs.ts';
import { sourceVerbs } from './intake/reception/verbs.ts';
import { storageReadingVerbs } from './intake/storageReadings/verbs.ts';
import { ownerImportVerbs } from './intake/teams/verbs.ts';
import { usageImportVerbs } from './intake/usageImports/verbs.ts';
import { actorVerbs } from './ledger/actors/verbs.ts';
import { billReportVerbs } from './ledger/bills/verbs.ts';
import { readIncludedMinutes } from './ledger/costs/timeUsed.ts';
import { includedProductVerbs, rateHintVerbs } from './ledger/costs/verbs.ts';
import { ownershipVerbs } from './ledger/ownership/verbs.ts';
import { poolVerbs } from './ledger/pools/verbs.ts';
import type { Providers } from './ledger/pricing/provider.ts';
import { pricingVerbs } from './ledger/pricing/verbs.ts';
import { repricingVerbs } from './ledger/repricing/verbs.ts';
import { retentionVerbs } from './ledger/retention/verbs.ts';
import { runVerbs } from './ledger/runs/verbs.ts';
import { alertVerbs } from './outreach/alerts/verbs.ts';
import { channelVerbs, chatWebhookField } from './outreach/channels/verbs.ts';
import { digestVerbs } from './outreach/digests/verbs.ts';
import { notificationVerbs } from './outreach/notifications/verbs.ts';
import { pullRequestCommentVerbs } from './outreach/pullRequestComments/verbs.ts';
import { webhookVerbs } from './outreach/webhooks/verbs.ts';
import { auditVerbs } from './tenancy/audit/verbs.ts';
import { identityVerbs } from './tenancy/identity/verbs.ts';
import { invitationVerbs } from './tenancy/invitations/verbs.ts';
import { loginVerbs } from './tenancy/logins/verbs.ts';
import { memberVerbs } from './tenancy/members/verbs.ts';
import { operatorVerbs } from './tenancy/operator/verbs.ts';
import { organizationVerbs } from './tenancy/organizations/verbs.ts';
import { sessionVerbs } from './tenancy/sessions/verbs.ts';
import { shareLinkVerbs } from './tenancy/shareLinks/verbs.ts';
import { tokenVerbs } from './tenancy/tokens/verbs.ts';

/** All that Runcost can do, in the order of the reference. The server, the command line and OpenAPI read it. */
export const verbsOf = (providers: Providers) => [
  ...organizationVerbs({ chat_webhook: chatWebhookField }),
  ...demoVerbs,
  ...auditVerbs,
  ...memberVerbs,
  ...tokenVerbs,
  ...invitationVerbs,
  ...sessionVerbs,
  ...loginVerbs,
  ...operatorVerbs,
  ...identityVerbs,
  ...pricingVerbs(providers, readIncludedMinutes),
  ...includedProductVerbs,
  ...rateHintVerbs,
  ...poolVerbs,
  ...ownershipVerbs,
  ...actorVerbs,
  ...webhookVerbs,
  ...runVerbs,
  ...repricingVerbs(providers),
  ...retentionVerbs,
  ...sourceVerbs,
  ...backfillVerbs,
  ...usageImportVerbs,
  ...gitHubAppVerbs,
  ...gitLabVerbs,
  ...ownerImportVerbs,
  ...hostedRunnerVerbs,
  ...storageReadingVerbs,
  ...overviewVerbs,
  ...exploreVerbs,
  ...shareLinkVerbs,
  ...annotationVerbs,
  ...viewVerbs,
  ...showbackVerbs,
  ...billVerbs,
  ...billReportVerbs,
  ...billFetchVerbs,
  ...wasteVerbs,
  ...moveVerbs,
  ...storageVerbs,
  ...estimateVerbs,
  ...fixVerbs,
  ...pullRequestVerbs,
  ...exportVerbs,
  ...scheduledExportVerbs,
  ...channelVerbs,
  ...notificationVerbs,
  ...alertVerbs,
  ...digestVerbs,
  ...pullRequestCommentVerbs,
];
