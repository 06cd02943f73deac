import type { Context } from '../../context.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { rowsOf, type Page } from '../../platform/lib/page.ts';
import { getWebhook } from './getWebhook.ts';
import {
  findAttempts,
  findDeliveries,
  findDelivery,
  type AttemptRow,
  type DeliveryFilter,
  type DeliveryRow,
  type DeliveryWithBody,
} from './queries.ts';

type Reader = Pick<Context, 'db' | 'actor'>;

/** A delivery can be sent again any number of times. */
const mostAttemptsShown = 100;

/** A page of a webhook's deliveries, newest first, and how many there are in all. */
export async function listDeliveries(
  ctx: Reader,
  webhookId: string,
  filter: DeliveryFilter,
  page: Page,
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const webhook = await getWebhook(ctx, webhookId);
  return findDeliveries(ctx.db, webhook, filter, rowsOf(page));
}

export type DetailedDelivery = { delivery: DeliveryWithBody; attempts: AttemptRow[] };

/** One delivery, with what was sent and its latest attempts. */
export async function getDelivery(ctx: Reader, webhookId: string, id: string): Promise<DetailedDelivery> {
  const webhook = await getWebhook(ctx, webhookId);
  const delivery = await findDelivery(ctx.db, webhook, id);
  if (!delivery) throw notFound('delivery');
  return { delivery, attempts: await findAttempts(ctx.db, delivery, mostAttemptsShown) };
}
