import type { Subscribers } from './context.ts';
import { forgetListed } from './intake/backfills/listedRuns.queries.ts';
import { resealCredentials } from './intake/backfills/queries.ts';
import { removeSourcesOf, resealSources } from './intake/reception/queries.ts';
import { sumUpRuns, type ForgetRuns } from './ledger/runs/deleteRuns.ts';
import { disableAlertsOf, markNotified } from './outreach/alerts/queries.ts';
import type { MarkNotified } from './outreach/notifications/context.ts';
import { removeNotificationsOf } from './outreach/notifications/queries.ts';
import { webhookSubscribers } from './outreach/webhooks/deliveries.ts';
import { removeWebhooksOf, resealWebhooks } from './outreach/webhooks/queries.ts';
import type { Reseal } from './platform/db/openVault.ts';
import { cancelTasksOf } from './platform/work/tasks.queries.ts';
import type { ShutDown } from './tenancy/organizations/deleteOrganization.ts';
import { resealChats } from './tenancy/organizations/queries.ts';
import { endSessionsOf } from './tenancy/sessions/queries.ts';
import { removeTokensOf } from './tenancy/tokens/queries.ts';

/** What later domains do for earlier ones, which cannot know them. Each writes only its own tables. */
export type Wiring = {
  subscribers: Subscribers;
  shutDowns: readonly ShutDown[];
  forgetRuns: ForgetRuns;
  markNotified: MarkNotified;
};

export const wiring: Wiring = {
  subscribers: webhookSubscribers,
  shutDowns: [
    ...[endSessionsOf, removeTokensOf, removeSourcesOf],
    ...[removeWebhooksOf, disableAlertsOf, removeNotificationsOf, cancelTasksOf],
    sumUpRuns,
  ],
  forgetRuns: forgetListed,
  markNotified,
};

export const resealers: readonly Reseal[] = [resealChats, resealSources, resealCredentials, resealWebhooks];
