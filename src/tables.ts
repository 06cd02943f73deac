import type { EventTables } from './events/tables.ts';
import type { AnnotationTables } from './insight/annotations/tables.ts';
import type { ExportTables } from './insight/exports/tables.ts';
import type { ScheduledExportTables } from './insight/scheduledExports/tables.ts';
import type { SavedViewTables } from './insight/views/tables.ts';
import type { WasteTables } from './insight/waste/tables.ts';
import type { BackfillTables } from './intake/backfills/tables.ts';
import type { BillFetchTables } from './intake/billFetches/tables.ts';
import type { GitHubAppTables } from './intake/gitHubApps/tables.ts';
import type { HostedRunnerTables } from './intake/hostedRunners/tables.ts';
import type { PullRequestReadingTables } from './intake/pullRequestReadings/tables.ts';
import type { ReceptionTables } from './intake/reception/tables.ts';
import type { ActorTables } from './ledger/actors/tables.ts';
import type { BillTables } from './ledger/bills/tables.ts';
import type { CostTables } from './ledger/costs/tables.ts';
import type { OwnershipTables } from './ledger/ownership/tables.ts';
import type { PoolTables } from './ledger/pools/tables.ts';
import type { PricingTables } from './ledger/pricing/tables.ts';
import type { PullRequestStateTables } from './ledger/pullRequests/tables.ts';
import type { RepricingTables } from './ledger/repricing/tables.ts';
import type { RunTables } from './ledger/runs/tables.ts';
import type { StorageTables } from './ledger/storage/tables.ts';
import type { AlertTables } from './outreach/alerts/tables.ts';
import type { ChannelTables } from './outreach/channels/tables.ts';
import type { DigestTables } from './outreach/digests/tables.ts';
import type { NotificationTables } from './outreach/notifications/tables.ts';
import type { PullRequestTables } from './outreach/pullRequestComments/tables.ts';
import type { WebhookTables } from './outreach/webhooks/tables.ts';
import type { InstallationTables } from './platform/db/tables.ts';
import type { WorkTables } from './platform/work/tables.ts';
import type { AuditTables } from './tenancy/audit/tables.ts';
import type { IdentityTables } from './tenancy/identity/tables.ts';
import type { InvitationTables } from './tenancy/invitations/tables.ts';
import type { LoginTables } from './tenancy/logins/tables.ts';
import type { MemberTables } from './tenancy/members/tables.ts';
import type { OrganizationTables } from './tenancy/organizations/tables.ts';
import type { SessionTables } from './tenancy/sessions/tables.ts';
import type { ShareLinkTables } from './tenancy/shareLinks/tables.ts';
import type { TokenTables } from './tenancy/tokens/tables.ts';

/** Types of all tables for Kysely: camelCase here, snake_case in SQL. Each table has one owner. */
export type Tables = InstallationTables &
  WorkTables &
  OrganizationTables &
  MemberTables &
  TokenTables &
  AuditTables &
  SessionTables &
  LoginTables &
  IdentityTables &
  InvitationTables &
  ShareLinkTables &
  EventTables &
  PricingTables &
  PoolTables &
  RunTables &
  PullRequestStateTables &
  RepricingTables &
  OwnershipTables &
  ActorTables &
  StorageTables &
  CostTables &
  ReceptionTables &
  BackfillTables &
  BillFetchTables &
  GitHubAppTables &
  HostedRunnerTables &
  PullRequestReadingTables &
  AnnotationTables &
  SavedViewTables &
  WasteTables &
  BillTables &
  ExportTables &
  ScheduledExportTables &
  ChannelTables &
  AlertTables &
  DigestTables &
  NotificationTables &
  PullRequestTables &
  WebhookTables;
