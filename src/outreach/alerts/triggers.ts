import type { Context, Subscribers } from '../../context.ts';
import type { EventData } from '../../events/eventTypes.ts';
import { recordEvent } from '../../events/outbox.ts';
import { type AnomalyRule, defaultThresholdNanos } from '../../ledger/costs/anomaly.ts';
import {
  allowanceProviders,
  isShare,
  productOf,
  type AllowanceMeasure,
  type CostMeasure,
} from '../../ledger/costs/costMeasures.ts';
import { getIncludedProducts } from '../../ledger/costs/includedProducts.ts';
import { readTimeUsed } from '../../ledger/costs/timeUsed.ts';
import { findHappened, type Happened } from '../../ledger/costs/whatChanged/ofScope.ts';
import { getIncludedMinutes } from '../../ledger/pricing/includedMinutes.ts';
import type { Database, Transaction } from '../../platform/db/database.ts';
import { addDays, dayOf, startOfDay, type Day, type Window } from '../../platform/lib/days.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { larger } from '../../platform/lib/lists.ts';
import { bigintsAsText, usd } from '../../platform/lib/money.ts';
import { tolerated } from '../../platform/lib/time.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import { channelsFor, type Channel, type Route } from '../channels/channels.ts';
import type { ChannelKinds } from '../channels/kind.ts';
import type { NotificationContext, NotificationProgram } from '../notifications/context.ts';
import {
  cancelNotifications,
  dropHeld,
  postponeNotifications,
  queueNotifications,
  queueResolution,
  receiversOf,
  restoreHeld,
} from '../notifications/notifications.ts';
import { metricOf, ruleOf, typeOf, type Rule } from './alertTypes.ts';
import type { CheckDecision } from './decide.ts';
import type { Explainer, Explanation } from './explain.ts';
import { noticeOf, recentDays } from './notice.ts';
import { latestChecks, startOfRecent } from './periods.ts';
import {
  changeAlert,
  correctTimes,
  findOrganizationsAhead,
  findUnusualThreshold,
  type AlertRow,
} from './queries.ts';
import { costScopeOf } from './readCosts.ts';
import { isTeamRemoved } from './readScope.ts';
import type { Measured } from './rules/rule.ts';
import type { Scope } from './scope.ts';
import {
  findRecentTriggers,
  insertTrigger,
  setResolution,
  type RecentTrigger,
  type TriggerRow,
} from './triggers.queries.ts';

type Announcing = Pick<Context, 'providers'> & {
  now: Date;
  subscribers: Subscribers;
  hasMail: boolean;
  channelKinds: ChannelKinds;
};

export async function applyDecision(
  tx: Transaction,
  announcing: Announcing,
  decision: CheckDecision,
  explain: Explainer,
): Promise<TriggerRow | null> {
  const { alert, open, former, signals, nextState } = decision;
  let trigger: TriggerRow | null = null;
  for (const signal of signals) {
    if (signal.kind === 'resolve') {
      const isCleared = signal.reason === 'condition_cleared';
      const reason = isCleared && (await isTeamRemoved(tx, alert)) ? 'team_removed' : signal.reason;
      if (open) await resolve(tx, alert, open, { ...announcing, reason });
      continue;
    }
    if (signal.kind === 'reopen') {
      if (former) await reopen(tx, alert, former, announcing.now);
      continue;
    }
    trigger = await startTrigger(tx, announcing, decision, explain);
    if (signal.isOver) await resolve(tx, alert, trigger, { ...announcing, reason: 'period_ended' });
  }
  if (nextState !== alert.state || trigger) {
    await changeAlert(tx, alert, {
      state: nextState,
      ...(trigger ? { lastTriggeredAt: trigger.triggeredAt } : {}),
    });
  }
  return trigger;
}

/** A snoozed alert is still checked, but notifies nobody yet. */
export function isSnoozed({ snoozedUntil }: Pick<AlertRow, 'snoozedUntil'>, now: Date): boolean {
  return snoozedUntil !== null && snoozedUntil > now;
}

async function reopen(
  tx: Transaction,
  { snoozedUntil }: AlertRow,
  former: RecentTrigger,
  now: Date,
): Promise<void> {
  await setResolution(tx, former, { resolvedAt: null, resolution: null });
  // Messages that a snooze held back until it was resolved have reached nobody.
  if (snoozedUntil) await restoreHeld(tx, former, larger(now, snoozedUntil));
}

/** Fields that events have only for an alert with a scope, or for a snoozed one. */
function about(scope: Scope, isQuiet: boolean): { scope?: Scope; snoozed?: true } {
  return {
    ...(scope.type === 'organization' ? {} : { scope }),
    ...(isQuiet ? { snoozed: true as const } : {}),
  };
}

async function startTrigger(
  tx: Transaction,
  { now, subscribers, hasMail, channelKinds, providers }: Announcing,
  { alert, measured, history, currentNanos, thresholdNanos }: CheckDecision,
  explain: Explainer,
): Promise<TriggerRow> {
  const { orgId, alertType, measure } = alert;
  const rule = ruleOf(alert);
  const usage = isShare(measure)
    ? { usedUpOn: await findUsedUp({ db: tx, orgId, providers }, measure, measured.window, now) }
    : {};
  const explanation = { ...(await explain(rule, measured)), ...usage };
  const { overTimeLimit } = explanation;
  const unusualNanos = (await findUnusualThreshold(tx, orgId)) ?? defaultThresholdNanos;
  const unusualRule = { thresholdNanos: unusualNanos, today: dayOf(now) };
  const happened = await findWhatHappened(tx, { orgId, providers }, { rule, measured, unusualRule });
  const forecast = typeOf(rule).forecast(rule, { ...history, unusualRule }, now);
  const organization = await getOrganization({ db: tx, actor: { orgId } });
  const receivers = receiversOf(await channelsOf(tx, alert), { channelKinds, hasMail });
  const trigger = await insertTrigger(tx, {
    orgId,
    id: randomId('trg'),
    alertId: alert.id,
    alertType,
    measure,
    scope: JSON.stringify(rule.scope),
    triggeredAt: now,
    currentNanos,
    thresholdNanos,
    observedNanos: measured.observedNanos,
    baselineNanos: measured.baselineNanos,
    periodStart: measured.window.start,
    periodEnd: measured.window.end,
    explanation: JSON.stringify(
      { ...explanation, happened, countedUntil: measured.countedWindow.end },
      bigintsAsText,
    ),
  });
  await recordEvent(tx, { orgId, now, subscribers }, 'alert.triggered', {
    alert: { id: alert.id, name: alert.name, type: alertType },
    trigger: {
      current_value: usd(currentNanos),
      threshold_value: usd(thresholdNanos),
      metric: metricOf(alert),
      ...(explanation.usedUpOn !== undefined && usageBody(explanation, explanation.usedUpOn)),
      ...(overTimeLimit.jobs > 0 && {
        over_time_limit: { jobs: overTimeLimit.jobs, cost: usd(overTimeLimit.costNanos) },
      }),
    },
    ...about(alert.scope, isSnoozed(alert, now)),
  });
  const { snoozedUntil } = alert;
  await queueNotifications(tx, {
    orgId,
    triggerId: trigger.id,
    notice: noticeOf(
      alert,
      trigger,
      { ...explanation, happened, forecast, daily: recentDays(history, measured) },
      organization,
    ),
    byEmail: alert.notifyEmail && hasMail,
    receivers,
    recipients: alert.recipients,
    now,
    dueAt: snoozedUntil ? larger(now, snoozedUntil) : now,
  });
  return trigger;
}

/** Of list cost only, because what happened is at list prices. */
async function findWhatHappened(
  tx: Transaction,
  of: Pick<Context, 'providers'> & { orgId: string },
  { rule, measured, unusualRule }: { rule: Rule; measured: Measured; unusualRule: AnomalyRule },
): Promise<Happened | null> {
  if (rule.measure !== 'list_cost') return null;
  const asked = { scope: costScopeOf(rule.scope), window: measured.countedWindow, rule: unusualRule };
  return findHappened(tx, of, asked);
}

/** The channels that its messages go to. */
export function channelsOf(
  db: Database,
  alert: Pick<AlertRow, 'orgId' | 'channelIds' | 'scope' | 'notifyChat'>,
): Promise<Channel[]> {
  return channelsFor(db, alert.orgId, routeOf(alert));
}

export function routeOf({
  channelIds,
  scope,
  notifyChat,
}: Pick<AlertRow, 'channelIds' | 'scope' | 'notifyChat'>): Route {
  const team = scope.type === 'team' ? scope.value : undefined;
  return { channelIds, team, usesDefault: notifyChat };
}

/** The day on which the organization's included minutes of that month are used up, or will be at its pace. */
async function findUsedUp(
  { db, orgId, providers }: Pick<Context, 'providers'> & { db: Transaction; orgId: string },
  measure: CostMeasure,
  { end }: Window,
  now: Date,
): Promise<Day | null> {
  const lastInstant = new Date(startOfDay(addDays(end, 1)).getTime() - 1);
  const clock = { now: () => (lastInstant < now ? lastInstant : now) };
  const ctx = { db, actor: { orgId }, clock, providers };
  const product = productOf(measure);
  if (product === null)
    return (
      await getIncludedMinutes(ctx, allowanceProviders[measure as AllowanceMeasure], (days) =>
        readTimeUsed(db, { orgId, providers }, days),
      )
    ).exhaustedOn;
  return (await getIncludedProducts(ctx)).find((each) => each.product === product)!.exhaustedOn;
}

function usageBody({ usedMost: { repositories, workflows } }: Explanation, usedUpOn: Day | null) {
  return {
    used_up_on: usedUpOn,
    repositories: repositories.map(({ repository, observedNanos }) => ({
      repo_name: repository,
      percent: usd(observedNanos),
    })),
    workflows: workflows.map(({ workflowId, workflow, repository, observedNanos }) => ({
      workflow_id: workflowId,
      workflow_name: workflow,
      repo_name: repository,
      percent: usd(observedNanos),
    })),
  };
}

export type Resolution = EventData['alert.resolved']['resolution']['reason'];

const millisecondsPerHour = 3_600_000;

async function resolve(
  tx: Transaction,
  alert: AlertRow,
  trigger: Pick<RecentTrigger, 'orgId' | 'id' | 'triggeredAt' | 'scope'>,
  {
    now,
    subscribers,
    channelKinds,
    reason,
  }: Omit<Announcing, 'hasMail' | 'providers'> & { reason: Resolution },
): Promise<void> {
  const { orgId, id, name } = alert;
  const isQuiet = isSnoozed(alert, now);
  await setResolution(tx, trigger, { resolvedAt: now, resolution: reason });
  if (isQuiet) await dropHeld(tx, trigger);
  await queueResolution(tx, { orgId, triggerId: trigger.id }, { channelKinds, now, reason });
  const hours = (now.getTime() - trigger.triggeredAt.getTime()) / millisecondsPerHour;
  await recordEvent(tx, { orgId, now, subscribers }, 'alert.resolved', {
    alert: { id, name },
    resolution: {
      triggered_at: trigger.triggeredAt,
      resolved_at: now,
      duration_hours: Math.round(hours * 100) / 100,
      reason,
    },
    ...about(trigger.scope, isQuiet),
  });
}

const maxOnTheWayMilliseconds = 2 * 86_400_000;

export async function resolveOpen(
  tx: Transaction,
  { clock, subscribers, channelKinds }: Pick<NotificationContext, 'clock' | 'subscribers' | 'channelKinds'>,
  alert: AlertRow,
  reason: Resolution,
): Promise<void> {
  const now = clock.now();
  const since = new Date(now.getTime() - maxOnTheWayMilliseconds);
  const triggers = (await findRecentTriggers(tx, alert.orgId, [alert.id], since)).get(alert.id) ?? [];
  for (const trigger of triggers) {
    if (reason !== 'alert_changed') await cancelNotifications(tx, alert.orgId, trigger.id);
    if (trigger.resolvedAt === null)
      await resolve(tx, alert, trigger, { now, subscribers, channelKinds, reason });
  }
}

/**
 * After a clock was ahead, alerts would stay silent until its time comes. Instead, this makes them due at
 * once, sends their messages, and resolves triggers for days that have not come.
 */
export async function correctClockAhead(program: NotificationProgram): Promise<void> {
  const { db, clock, subscribers, channelKinds, log } = program;
  const now = clock.now();
  const ahead = { now, tolerated: tolerated(now), latest: latestChecks(now) };
  const correct = async (tx: Transaction, orgId: string) => {
    for (const alert of await correctTimes(tx, orgId, ahead)) {
      const { id } = alert;
      log.warn(
        { orgId, alert: id },
        'an alert had times in the future and is checked again, because a clock was ahead',
      );
      const recent = await findRecentTriggers(tx, orgId, [id], startOfRecent(now));
      const open = (recent.get(id) ?? []).filter(({ resolvedAt }) => resolvedAt === null);
      const dueAt = isSnoozed(alert, now) ? alert.snoozedUntil! : now;
      await postponeNotifications(tx, orgId, { triggerIds: open.map((trigger) => trigger.id), dueAt });
      for (const trigger of open.filter(({ periodStart }) => periodStart > dayOf(now)))
        await resolve(tx, alert, trigger, { now, subscribers, channelKinds, reason: 'condition_cleared' });
    }
  };
  for (const orgId of await findOrganizationsAhead(db, ahead))
    await db.transaction().execute((tx) => correct(tx, orgId));
}
