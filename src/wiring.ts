import type { Subscribers } from './context.ts';
import { forgetListed } from './intake/backfills/forgetGone.ts';
import { resealCredentials } from './intake/backfills/queries.ts';
import { removeSourcesOf, resealSources } from './intake/reception/queries.ts';
import { sumUpRuns, type ForgetRuns } from './ledger/runs/deleteRuns.ts';
import { disableAlertsOf, noteNotified } from './outreach/alerts/queries.ts';
import type { NoteNotified } from './outreach/notifications/context.ts';
import { removeNoticesOf } from './outreach/notifications/queries.ts';
import { webhookSubscribers } from './outreach/webhooks/deliveries.ts';
import { removeWebhooksOf, resealWebhooks } from './outreach/webhooks/queries.ts';
import type { Reseal } from './platform/db/openVault.ts';
import { cancelTasksOf } from './platform/work/tasks.queries.ts';
import type { ShutDown } from './tenancy/organizations/deleteOrganization.ts';
import { resealChats } from './tenancy/organizations/queries.ts';
import { endSessionsOf } from './tenancy/sessions/queries.ts';
import { removeTokensOf } from './tenancy/tokens/queries.ts';

/** What domains do for those before them, which cannot know them: each writes its own tables alone. */
export type Wiring = {
  subscribers: Subscribers;
  shutDowns: readonly ShutDown[];
  forgetRuns: ForgetRuns;
  noteNotified: NoteNotified;
};

export const wiring: Wiring = {
  subscribers: webhookSubscribers,
  shutDowns: [
    ...[endSessionsOf, removeTokensOf, removeSourcesOf],
    ...[removeWebhooksOf, disableAlertsOf, removeNoticesOf, cancelTasksOf],
    sumUpRuns,
  ],
  forgetRuns: forgetListed,
  noteNotified,
};

/** Every domain that keeps secrets. */
export const resealers: readonly Reseal[] = [resealChats, resealSources, resealCredentials, resealWebhooks];
