import { notFound } from '../../platform/lib/errors.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { NotificationContext } from '../notifications/context.ts';
import { listNotifications, type SentNotification } from '../notifications/notifications.ts';
import { getAlert } from './alerts.ts';
import type { Explained } from './explain.ts';
import { findTrigger, findTriggers, setAcknowledgement, type TriggerRow } from './triggers.queries.ts';

type ReadContext = Pick<NotificationContext, 'db' | 'actor'>;

export type ExplainedTrigger = TriggerRow & { explanation: Explained; notifications: SentNotification[] };

export async function listTriggers(
  ctx: ReadContext,
  alertId: string,
  page: Page,
): Promise<{ triggers: TriggerRow[]; total: number }> {
  const alert = await getAlert(ctx, alertId);
  return findTriggers(ctx.db, alert.orgId, alert.id, rowsOf(page));
}

/**
 * One trigger with its explanation from that time and its notifications that are still kept. Amounts in the
 * explanation are nano-dollars as text.
 */
export async function getTrigger(ctx: ReadContext, alertId: string, id: string): Promise<ExplainedTrigger> {
  const alert = await getAlert(ctx, alertId);
  const trigger = await findTrigger(ctx.db, alert.orgId, alert.id, id);
  if (!trigger) throw notFound('trigger');
  const notifications = await listNotifications(ctx.db, { orgId: alert.orgId, triggerId: id });
  return { ...trigger, explanation: trigger.explanation as Explained, notifications };
}

/**
 * Records who looks after a trigger. The first person stays: later calls change nothing and return the same
 * answer.
 */
export async function acknowledgeTrigger(
  ctx: NotificationContext,
  alertId: string,
  { triggerId, note }: { triggerId: string; note: string | null },
): Promise<TriggerRow> {
  const alert = await getAlert(ctx, alertId);
  return ctx.db.transaction().execute(async (tx) => {
    const trigger = await findTrigger(tx, alert.orgId, alert.id, triggerId);
    if (!trigger) throw notFound('trigger');
    const acknowledged = await setAcknowledgement(tx, trigger, {
      acknowledgedAt: ctx.clock.now(),
      acknowledgedBy: ctx.actor.name,
      acknowledgedNote: note,
    });
    if (!acknowledged) return (await findTrigger(tx, alert.orgId, alert.id, triggerId))!;
    await recordAudit(tx, ctx, 'alert.acknowledge', alert.id, { name: alert.name, trigger: triggerId, note });
    return acknowledged;
  });
}
