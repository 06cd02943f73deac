import { notFound } from '../../platform/lib/errors.ts';
import { rowsOf, type Page } from '../../platform/lib/page.ts';
import { listNotifications, type SentNotification } from '../notifications/notices.ts';
import type { AlertContext } from './context.ts';
import type { Explained } from './explainTrigger.ts';
import { getAlert } from './getAlert.ts';
import { findTrigger, findTriggers, type TriggerRow } from './queries.ts';

export type ExplainedTrigger = TriggerRow & { explanation: Explained; notifications: SentNotification[] };

type Reader = Pick<AlertContext, 'db' | 'actor'>;

/** How often an alert has triggered, newest first. */
export async function listTriggers(
  ctx: Reader,
  alertId: string,
  page: Page,
): Promise<{ triggers: TriggerRow[]; total: number }> {
  const alert = await getAlert(ctx, alertId);
  return findTriggers(ctx.db, alert.orgId, alert.id, rowsOf(page));
}

/**
 * One trigger, with what explains it as of when it happened, and its messages as far as they are still kept. Amounts in
 * the explanation are nano-dollars as text.
 */
export async function getTrigger(ctx: Reader, alertId: string, id: string): Promise<ExplainedTrigger> {
  const alert = await getAlert(ctx, alertId);
  const trigger = await findTrigger(ctx.db, alert.orgId, alert.id, id);
  if (!trigger) throw notFound('trigger');
  const notifications = await listNotifications(ctx.db, { orgId: alert.orgId, triggerId: id });
  return { ...trigger, explanation: trigger.explanation as Explained, notifications };
}
