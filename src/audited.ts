import { demo } from './demo/audited.ts';
import { annotation } from './insight/annotations/audited.ts';
import { exported } from './insight/exports/audited.ts';
import { exportUpload, scheduledExport } from './insight/scheduledExports/audited.ts';
import { view } from './insight/views/audited.ts';
import { wasteFix } from './insight/waste/audited.ts';
import { backfill } from './intake/backfills/audited.ts';
import { billAccount, billFetch } from './intake/billFetches/audited.ts';
import { gitHubApp } from './intake/gitHubApps/audited.ts';
import { hostedRunners } from './intake/hostedRunners/audited.ts';
import { source } from './intake/reception/audited.ts';
import { storageReading } from './intake/storageReadings/audited.ts';
import { ownershipImport } from './intake/teams/audited.ts';
import { usageImport } from './intake/usageImports/audited.ts';
import { actorPattern } from './ledger/actors/audited.ts';
import { billReport } from './ledger/bills/audited.ts';
import { ownership, ownershipRule } from './ledger/ownership/audited.ts';
import { runnerPool } from './ledger/pools/audited.ts';
import { billingTerms, priceBook, priceRule, pricing, shadowRates } from './ledger/pricing/audited.ts';
import { reprice } from './ledger/repricing/audited.ts';
import { run } from './ledger/runs/audited.ts';
import { alert } from './outreach/alerts/audited.ts';
import { channel, chatWebhook } from './outreach/channels/audited.ts';
import { digest, monthClose } from './outreach/digests/audited.ts';
import { pullRequests } from './outreach/pullRequestComments/audited.ts';
import { delivery, resend, webhook } from './outreach/webhooks/audited.ts';
import { identityProvider, signIn, signInPolicy } from './tenancy/identity/audited.ts';
import { invitation } from './tenancy/invitations/audited.ts';
import { mailAddress, member } from './tenancy/members/audited.ts';
import { organization } from './tenancy/organizations/audited.ts';
import { session, signInCode } from './tenancy/sessions/audited.ts';
import { share } from './tenancy/shareLinks/audited.ts';
import { token } from './tenancy/tokens/audited.ts';

/** All that the audit log records, by the part of an action before its dot. */
export const audited = {
  actor_pattern: actorPattern,
  alert,
  annotation,
  backfill,
  bill_account: billAccount,
  bill_fetch: billFetch,
  bill_report: billReport,
  billing_terms: billingTerms,
  channel,
  chat_webhook: chatWebhook,
  delivery,
  demo,
  digest,
  export: exported,
  export_upload: exportUpload,
  github_app: gitHubApp,
  hosted_runners: hostedRunners,
  identity_provider: identityProvider,
  invitation,
  mail_address: mailAddress,
  member,
  month_close: monthClose,
  organization,
  ownership,
  ownership_import: ownershipImport,
  ownership_rule: ownershipRule,
  price_book: priceBook,
  price_rule: priceRule,
  pricing,
  pull_requests: pullRequests,
  reprice,
  resend,
  run,
  runner_pool: runnerPool,
  scheduled_export: scheduledExport,
  session,
  shadow_rates: shadowRates,
  share,
  sign_in: signIn,
  sign_in_code: signInCode,
  sign_in_policy: signInPolicy,
  source,
  storage_reading: storageReading,
  token,
  usage_import: usageImport,
  view,
  waste_fix: wasteFix,
  webhook,
};

type Audited = typeof audited;

/** `alert.create`. An action without words is none, so the compiler refuses it. */
export type AuditAction = {
  [Kind in keyof Audited]: `${Kind}.${keyof Audited[Kind]['words'] & string}`;
}[keyof Audited];
