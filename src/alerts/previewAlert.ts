import { getDayCosts } from '../dashboard/getDayCosts.ts';
import { addDays, dayOf } from '../lib/days.ts';
import type { AlertContext } from './context.ts';
import { readThreshold, type AlertSettings } from './createAlert.ts';
import { measuredDays } from './measure.ts';
import { previewDays, previewRule, type Preview } from './preview.ts';

/** When an alert with these settings would have fired over the last 90 days; nothing is stored. */
export async function previewAlert(
  { db, actor, clock }: Pick<AlertContext, 'db' | 'actor' | 'clock'>,
  settings: AlertSettings,
): Promise<Preview> {
  const today = dayOf(clock.now());
  const start = addDays(today, -previewDays - measuredDays);
  const { costs, firstDay } = await getDayCosts(db, actor.orgId, { start, end: today });
  const rule = {
    type: settings.alert_type,
    thresholdNanos: readThreshold(settings.threshold_amount, settings.alert_type),
    period: settings.period ?? 'month',
    frequency: settings.check_frequency ?? 'daily',
    enabled: true,
  };
  return previewRule(rule, costs, today, firstDay);
}
