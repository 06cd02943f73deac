import { historyDays } from '../../ledger/runs/planWindow.ts';
import { getOrganization } from '../../tenancy/organizations/organizations.ts';
import type { AlertContext } from './context.ts';
import { readThreshold, type AlertSettings } from './createAlert.ts';
import { measuredCostsByNow } from './measuredCosts.ts';
import { previewRule, type Preview } from './preview.ts';
import type { Rule } from './rule.ts';

const mostDays = 90;

/**
 * When an alert with these settings would have triggered over the last 90 days, or as far back as the organization's plan
 * reaches, and today so far. Stores nothing.
 */
export async function previewAlert(
  ctx: Pick<AlertContext, 'db' | 'actor' | 'clock'>,
  settings: AlertSettings,
): Promise<Preview> {
  const { db, actor, clock } = ctx;
  const now = clock.now();
  const { plan } = await getOrganization(ctx);
  const days = Math.min(mostDays, historyDays[plan]);
  const rule: Rule = {
    type: settings.alert_type,
    thresholdNanos: readThreshold(settings.threshold_amount, settings.alert_type),
    period: settings.period ?? 'month',
    frequency: settings.check_frequency ?? 'daily',
    enabled: true,
  };
  const history = await measuredCostsByNow(db, actor.orgId, rule, { now, days });
  return previewRule(rule, history, { now, days });
}
