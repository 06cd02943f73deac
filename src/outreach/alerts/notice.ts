import type { Happened } from '../../ledger/costs/whatChanged/ofScope.ts';
import { daysOf, windowEnding, type Day } from '../../platform/lib/days.ts';
import { formatNanos } from '../../platform/lib/money.ts';
import type { Organization } from '../../tenancy/organizations/organizations.ts';
import { shownName, type AlertNotice } from '../channels/wording.ts';
import { alertTypes, describedOf } from './alertTypes.ts';
import { reachedThresholds } from './crossThresholds.ts';
import type { Explanation } from './explain.ts';
import type { AlertRow } from './queries.ts';
import type { Measured, MeasuredHistory, PeriodForecast } from './rules/rule.ts';
import { scopeName } from './scope.ts';
import type { TriggerRow } from './triggers.queries.ts';

const maxWorkflows = 5;

type Explained = Explanation & {
  usedUpOn?: Day | null;
  happened: Happened | null;
  forecast: PeriodForecast | null;
  daily: NonNullable<AlertNotice['daily']>;
};

const shownDays = 28;

export function recentDays(
  { costs, firstDay }: MeasuredHistory,
  { countedWindow: { end } }: Measured,
): Explained['daily'] {
  return daysOf(windowEnding(end, shownDays))
    .filter((day) => firstDay !== null && day >= firstDay)
    .map((day) => ({ day, cost: formatNanos(costs.get(day) ?? 0n) }));
}

/** What its messages say, from what was measured. */
export function noticeOf(
  alert: AlertRow,
  trigger: TriggerRow,
  explanation: Explained,
  organization: Organization,
): AlertNotice {
  const { id, name, recipients } = alert;
  const { measure } = trigger;
  const unit = describedOf(trigger).observed_unit;
  const reached = reachedThresholds(alert, trigger.periodStart);
  const scope = scopeName(trigger.scope);
  const { jobs, costNanos } = explanation.overTimeLimit;
  const notice = {
    alert: { id, name, type: trigger.alertType, ...(measure === 'list_cost' ? {} : { measure }) },
    ...(unit === 'usd' ? { daily: explanation.daily, ...forecastOf(trigger, explanation) } : { unit }),
    organization: organization.login ?? organization.name,
    ...(scope === null ? {} : { scope: { ...trigger.scope, text: scope } }),
    ...(recipients.length === 0 ? {} : { isToRecipients: true }),
    ...(jobs === 0 ? {} : { overTimeLimit: { jobs, cost: formatNanos(costNanos) } }),
    ...(reached.some(({ percentage, isBefore }) => percentage === 100 && isBefore)
      ? { isReachedBefore: true }
      : {}),
    currentValue: formatNanos(trigger.currentNanos),
    thresholdValue: formatNanos(trigger.thresholdNanos),
    observed: formatNanos(trigger.observedNanos),
    baseline: trigger.baselineNanos === null ? null : formatNanos(trigger.baselineNanos),
    period: { start: trigger.periodStart, end: trigger.periodEnd },
    triggeredAt: trigger.triggeredAt.toISOString(),
    ...(explanation.happened && {
      happened: explanation.happened.parts.map(({ text, of }) => (of ? shownName(text) : text)).join(''),
    }),
    workflows: namedWorkflows(explanation),
    ...(explanation.usedUpOn === undefined ? {} : usageOf(explanation, explanation.usedUpOn)),
  };
  return { ...notice, words: alertTypes[trigger.alertType].message(notice) };
}

/** None of a period that is over. */
function forecastOf({ periodEnd }: TriggerRow, { forecast }: Explained): Pick<AlertNotice, 'forecast'> {
  if (forecast?.window.end !== periodEnd) return {};
  const { roundedNanos, band } = forecast;
  const range = band && { low: formatNanos(band.lowNanos), high: formatNanos(band.highNanos) };
  return { forecast: { amount: formatNanos(roundedNanos), ...range } };
}

function namedWorkflows({ workflows, usedMost, usedUpOn }: Explanation & { usedUpOn?: Day | null }) {
  const changes = new Map(workflows.map(({ workflowId, changeNanos }) => [workflowId, changeNanos]));
  const named =
    usedUpOn === undefined
      ? workflows.filter(({ changeNanos }) => changeNanos > 0n).slice(0, maxWorkflows)
      : usedMost.workflows;
  return named.map(({ workflowId, workflow, repository, observedNanos }) => ({
    workflow,
    repository,
    cost: formatNanos(observedNanos),
    change: formatNanos(changes.get(workflowId) ?? 0n),
  }));
}

function usageOf({ usedMost }: Explanation, usedUpOn: Day | null) {
  return {
    usedUpOn,
    repositories: usedMost.repositories.map(({ repository, observedNanos }) => ({
      repository,
      cost: formatNanos(observedNanos),
    })),
  };
}
