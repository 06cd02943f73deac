import { formatNanos } from '../../platform/lib/money.ts';
import type { Organization } from '../../tenancy/organizations/getOrganization.ts';
import type { AlertNotice } from '../notifications/notices.ts';
import type { Explanation } from './explain.ts';
import type { AlertRow, TriggerRow } from './queries.ts';

const mostWorkflows = 5;

/** What people are told of a trigger. */
export function noticeOf(
  alert: AlertRow,
  trigger: TriggerRow,
  explanation: Explanation,
  organization: Organization,
): AlertNotice {
  return {
    alert: { id: alert.id, name: alert.name, type: alert.alertType },
    organization: organization.login ?? organization.name,
    currentValue: formatNanos(trigger.currentNanos),
    thresholdValue: formatNanos(trigger.thresholdNanos),
    observed: formatNanos(trigger.observedNanos),
    baseline: trigger.baselineNanos === null ? null : formatNanos(trigger.baselineNanos),
    period: { start: trigger.periodStart, end: trigger.periodEnd },
    triggeredAt: trigger.triggeredAt.toISOString(),
    workflows: explanation.workflows
      .filter(({ changeNanos }) => changeNanos > 0n)
      .slice(0, mostWorkflows)
      .map(({ workflow, repository, observedNanos, changeNanos }) => ({
        workflow,
        repository,
        cost: formatNanos(observedNanos),
        change: formatNanos(changeNanos),
      })),
  };
}
