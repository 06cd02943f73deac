import { historyDays } from '../runs/planWindow.ts';
import { dayOf } from '../lib/days.ts';
import { getOrganization } from '../organizations/getOrganization.ts';
import type { AlertContext } from './context.ts';
import { readThreshold, type AlertSettings } from './createAlert.ts';
import { measuredCosts } from './measuredCosts.ts';
import { previewRule, type Preview } from './preview.ts';

const mostDays = 90;

/**
 * When an alert with these settings would have fired over the last 90 days, or as far back as the organization's plan
 * reaches; nothing is stored.
 */
export async function previewAlert(
  ctx: Pick<AlertContext, 'db' | 'actor' | 'clock'>,
  settings: AlertSettings,
): Promise<Preview> {
  const { db, actor, clock } = ctx;
  const today = dayOf(clock.now());
  const { plan } = await getOrganization(ctx);
  const days = Math.min(mostDays, historyDays[plan]);
  const { costs, firstDay } = await measuredCosts(db, actor.orgId, clock.now(), days);
  const rule = {
    type: settings.alert_type,
    thresholdNanos: readThreshold(settings.threshold_amount, settings.alert_type),
    period: settings.period ?? 'month',
    frequency: settings.check_frequency ?? 'daily',
    enabled: true,
  };
  return previewRule(rule, costs, { today, days, firstDay });
}
