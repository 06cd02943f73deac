import { notFound } from '../lib/errors.ts';
import type { AlertContext } from './context.ts';
import type { Explained } from './explainTrigger.ts';
import { getAlert } from './getAlert.ts';
import { findTrigger, findTriggers, type ListedTrigger } from './queries.ts';

type Reader = Pick<AlertContext, 'db' | 'actor'>;

/** How often an alert has triggered, newest first. */
export async function listTriggers(
  ctx: Reader,
  alertId: string,
  { page, perPage }: { page: number; perPage: number },
): Promise<{ triggers: ListedTrigger[]; total: number }> {
  const alert = await getAlert(ctx, alertId);
  return findTriggers(ctx.db, alert.orgId, alert.id, { limit: perPage, offset: (page - 1) * perPage });
}

/** One trigger, with what explains it as of when it happened. Amounts in the explanation are nano-dollars as text. */
export async function getTrigger(
  ctx: Reader,
  alertId: string,
  id: string,
): Promise<ListedTrigger & { explanation: Explained }> {
  const alert = await getAlert(ctx, alertId);
  const trigger = await findTrigger(ctx.db, alert.orgId, alert.id, id);
  if (!trigger) throw notFound('trigger');
  return { ...trigger, explanation: trigger.explanation as Explained };
}
