import { apiFields } from '../../platform/lib/apiFields.ts';
import { dayOf, type Window } from '../../platform/lib/days.ts';
import { formatNanos, usd, usdOrNull, type DecimalNumber } from '../../platform/lib/money.ts';
import { units } from '../../platform/lib/units.ts';
import type { NotificationContext } from '../notifications/context.ts';
import type { Alert } from './alerts.ts';
import {
  alertTypeNames,
  alertTypes,
  describedOf,
  measuresOf,
  otherMeasureOf,
  type Kind,
} from './alertTypes.ts';
import { reachedThresholds } from './crossThresholds.ts';
import type { CheckDecision } from './decide.ts';
import type { Explained } from './explain.ts';
import type { Measurement } from './measurements.ts';
import type { CheckedValue, Preview } from './preview.ts';
import { type ReachOf, readReach } from './reach.ts';
import type { PeriodForecast } from './rules/rule.ts';
import { scopeTypes } from './scope.ts';
import type { ExplainedTrigger } from './triggerList.ts';
import type { RecentTrigger, TriggerRow } from './triggers.queries.ts';
import { isSnoozed } from './triggers.ts';
import { warningsOf } from './warnings.ts';

export function alertTypeViews() {
  return alertTypeNames.map((type) => {
    const measures = measuresOf(type).map((measure) => measureView({ alertType: type, measure }));
    const { measure: _, measure_title: __, periods: ___, scope_types: ____, ...described } = measures[0]!;
    return { type, ...described, by_period: alertTypes[type].isByPeriod, measures };
  });
}

/** What the type says if it watches this. */
function measureView(kind: Kind) {
  const described = describedOf(kind);
  const { title, periods = allPeriods, scopeTypes: scopes = scopeTypes } = otherMeasureOf(kind) ?? {};
  const { title: unit, prefix, suffix } = units[described.unit];
  return {
    measure: kind.measure,
    measure_title: title ?? 'List cost',
    periods: [...periods],
    scope_types: [...scopes],
    ...described,
    unit_title: unit,
    unit_prefix: prefix,
    unit_suffix: suffix,
  };
}

const allPeriods = ['day', 'week', 'month'] as const;

export function listedAlert(alert: Alert, now: Date, reachOf: ReachOf) {
  return {
    id: alert.id,
    name: alert.name,
    alert_type: alert.alertType,
    measure: alert.measure,
    scope: alert.scope,
    threshold_amount: usd(alert.thresholdNanos),
    check_frequency: alert.checkFrequency,
    period: alert.period,
    notify_email: alert.notifyEmail,
    notify_chat: alert.notifyChat,
    channel_ids: alert.channelIds,
    recipients: alert.recipients,
    reaches: reachOf(alert).map(apiFields),
    snoozed_until: isSnoozed(alert, now) ? alert.snoozedUntil : null,
    enabled: alert.enabled,
    state: alert.state,
    reached_shares: reachedThresholds(alert, dayOf(now)).map(({ percentage, isBefore }) => ({
      percentage,
      reached_before: isBefore,
    })),
    last_triggered_at: alert.lastTriggeredAt,
    created_at: alert.createdAt,
    updated_at: alert.updatedAt,
  };
}

export async function alertView(
  ctx: Pick<NotificationContext, 'db' | 'mailer' | 'channelKinds' | 'clock' | 'providers'>,
  alert: Alert,
  warnings: string[] = [],
) {
  return {
    ...listedAlert(alert, ctx.clock.now(), await readReach(ctx, alert.orgId)),
    org_id: alert.orgId,
    warnings: [...warnings, ...(await warningsOf(ctx, alert))],
  };
}

/** `state` is the stored one, except that a disabled alert reports missing history without storing it. */
export function checkView(
  { alert, at, measured, nextState, ...decision }: CheckDecision,
  notificationSent: boolean,
  warnings: string[],
) {
  return {
    checked: true,
    triggered: decision.conditionMet,
    unit: describedOf(alert).unit,
    measure: alert.measure,
    current_value: usd(decision.currentNanos),
    threshold_value: usd(decision.thresholdNanos),
    ...(decision.conditionMet ? { notification_sent: notificationSent } : {}),
    state: decision.state === 'insufficient_data' ? decision.state : nextState,
    observed: usd(measured.observedNanos),
    baseline: usdOrNull(measured.baselineNanos),
    recurs: measured.recurs,
    period: periodView(measured.window),
    as_of: at,
    warnings: alert.enabled ? warnings : [isOffText],
  };
}

const isOffText = 'The alert is off, so nothing is recorded or sent.';

export function triggerView(trigger: TriggerRow) {
  return {
    id: trigger.id,
    alert_id: trigger.alertId,
    alert_type: trigger.alertType,
    measure: trigger.measure,
    scope: trigger.scope,
    triggered_at: trigger.triggeredAt,
    current_value: usd(trigger.currentNanos),
    threshold_value: usd(trigger.thresholdNanos),
    notified: trigger.notifiedAt !== null,
    resolved_at: trigger.resolvedAt,
    resolution: trigger.resolution,
    acknowledgement: trigger.acknowledgedAt && {
      at: trigger.acknowledgedAt,
      by: trigger.acknowledgedBy!,
      note: trigger.acknowledgedNote,
    },
  };
}

export function explainedTriggerView(trigger: ExplainedTrigger) {
  const { explanation } = trigger;
  return {
    ...triggerView(trigger),
    observed: usd(trigger.observedNanos),
    baseline: usdOrNull(trigger.baselineNanos),
    period: { start: trigger.periodStart, end: trigger.periodEnd },
    counted_until: explanation.countedUntil ?? null,
    over_time_limit: explanation.overTimeLimit
      ? { jobs: explanation.overTimeLimit.jobs, cost: stored(explanation.overTimeLimit.costNanos) }
      : null,
    explanation: {
      happened: happenedView(explanation),
      ...changeView(explanation),
      workflows: explanation.workflows.map((part) => ({
        workflow_id: part.workflowId,
        workflow_name: part.workflow,
        repo_name: part.repository,
        ...partsView(part),
      })),
      others: { workflows: explanation.others.workflows, ...partsView(explanation.others) },
    },
    included_usage: includedUsageView(explanation),
    notifications: trigger.notifications.map((notification) => ({
      channel: notification.channel,
      channel_id: notification.channelId,
      recipient: notification.recipient || null,
      is_resolution: notification.isResolution,
      status: notification.status,
      attempts: notification.attempts,
      last_error: notification.lastError,
      sent_at: notification.sentAt,
      next_attempt_at: notification.status === 'pending' ? notification.dueAt : null,
    })),
  };
}

function happenedView({ happened }: Explained) {
  if (!happened) return null;
  const { parts, workflowId, runId } = happened;
  return {
    sentence: parts.map(({ text }) => text).join(''),
    sentence_parts: parts,
    workflow_id: workflowId,
    run_id: runId,
  };
}

function includedUsageView({ usedUpOn, usedMost }: Explained) {
  if (usedUpOn === undefined || !usedMost) return null;
  return {
    used_up_on: usedUpOn,
    repositories: usedMost.repositories.map(({ repository, observedNanos }) => ({
      repo_name: repository,
      percent: stored(observedNanos),
    })),
    workflows: usedMost.workflows.map(({ workflowId, workflow, repository, observedNanos }) => ({
      workflow_id: workflowId,
      workflow_name: workflow,
      repo_name: repository,
      percent: stored(observedNanos),
    })),
  };
}

function partsView(part: Omit<Explained['others'], 'workflows'>) {
  return {
    ...changeView(part),
    volume: stored(part.volumeNanos),
    duration: stored(part.durationNanos),
    price: stored(part.priceNanos),
    mix: stored(part.mixNanos),
  };
}

export function previewView({ kind, firings, series, suggestion, forecast }: Preview) {
  return {
    unit: describedOf(kind).unit,
    measure: kind.measure,
    firings: firings.map((firing) => ({
      at: firing.at,
      threshold_value: usd(firing.thresholdNanos),
      resolved_at: firing.resolvedAt,
      ...valueView(firing),
    })),
    series: series.map((tick) => ({
      at: tick.at,
      insufficient_data: tick.isInsufficient,
      over_threshold: tick.isOver,
      ...valueView(tick),
    })),
    suggested_threshold: usdOrNull(suggestion?.thresholdNanos),
    suggestion: suggestion && {
      highest_usual: usd(suggestion.usualNanos),
      outliers: suggestion.outliers,
      raised_for_current_period: suggestion.isRaised,
      left_out_days: suggestion.leftOutDays,
      exceeded_in_current_period: suggestion.isExceeded,
    },
    forecast: forecast && forecastView(forecast),
  };
}

export function measurementView({
  alert,
  at,
  isSoFar,
  state,
  currentNanos,
  measured,
  forecast,
  open,
}: Measurement) {
  return {
    alert_id: alert.id,
    name: alert.name,
    as_of: at,
    insufficient_data: state === 'insufficient_data',
    unit: describedOf(alert).unit,
    measure: alert.measure,
    threshold_value: usd(alert.thresholdNanos),
    ...valueView({ ...measured, currentNanos, isSoFar }),
    forecast: forecast && forecastView(forecast),
    open_trigger: open && openTriggerView(open),
  };
}

function openTriggerView(trigger: RecentTrigger) {
  return {
    id: trigger.id,
    alert_type: trigger.alertType,
    measure: trigger.measure,
    triggered_at: trigger.triggeredAt,
    current_value: usd(trigger.currentNanos),
    threshold_value: usd(trigger.thresholdNanos),
    observed: usd(trigger.observedNanos),
    baseline: usdOrNull(trigger.baselineNanos),
    period: { start: trigger.periodStart, end: trigger.periodEnd },
  };
}

function forecastView({
  window,
  spentNanos,
  projectedNanos,
  roundedNanos,
  band,
  daily,
  leftOutDays,
  overOn,
}: PeriodForecast) {
  return {
    period: periodView(window),
    spent: usd(spentNanos),
    projected: usd(projectedNanos),
    rounded: usd(roundedNanos),
    low: usdOrNull(band?.lowNanos),
    high: usdOrNull(band?.highNanos),
    over_on: overOn,
    left_out_days: leftOutDays,
    daily: daily.map(({ day, costNanos, projectedNanos: expectedNanos }) => ({
      date: day,
      cost: usdOrNull(costNanos),
      projected: usdOrNull(expectedNanos),
    })),
  };
}

function valueView({ currentNanos, observedNanos, baselineNanos, recurs, window, isSoFar }: CheckedValue) {
  return {
    so_far: isSoFar,
    current_value: usd(currentNanos),
    observed: usd(observedNanos),
    baseline: usdOrNull(baselineNanos),
    recurs,
    period: periodView(window),
  };
}

function changeView(change: Pick<Explained, 'observedNanos' | 'baselineNanos' | 'changeNanos'>) {
  return {
    observed: stored(change.observedNanos),
    baseline: stored(change.baselineNanos),
    change: stored(change.changeNanos),
  };
}

function periodView({ start, end }: Window) {
  return { start, end };
}

function stored(nanos: string): DecimalNumber {
  return JSON.rawJSON(formatNanos(BigInt(nanos)));
}
