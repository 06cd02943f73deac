import type { Context, Program, Subscribers } from '../../context.ts';
import { auditKind } from '../../events/eventKinds.ts';
import { forgetBodies, forgetEvents } from '../../events/outbox.ts';
import type { EgressOutcome } from '../../platform/egress/egress.ts';
import { notFound, PublicError } from '../../platform/lib/errors.ts';
import { orderedId } from '../../platform/lib/ids.ts';
import { rowsOf, type Page } from '../../platform/lib/lists.ts';
import { tolerated } from '../../platform/lib/time.ts';
import type { Poller } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { leaseMilliseconds } from './claim.ts';
import { correctDueTimes } from './deliver.queries.ts';
import { createDeliverer, type DeliveryProgram } from './deliver.ts';
import {
  findAttempts,
  findDeliveries,
  findDeliveriesSince,
  findDelivery,
  findWebhookIdOf,
  giveUpOld,
  holdDeliveries,
  insertDeliveries,
  releaseDeliveries,
  type AttemptRow,
  type DeliveryFilter,
  type DeliveryOrder,
  type DeliveryRow,
  type DeliveryWithBody,
} from './deliveries.queries.ts';
import { findSubscribed, removeDeletedWebhooks } from './queries.ts';
import { requestAttempt } from './resends.queries.ts';
import { advanceResends } from './resends.ts';
import { signedHeaders, signingSecrets } from './signing.ts';
import { auditedOf, getWebhook, mayReadAudit, requireAuditRights, webhookToChange } from './webhooks.ts';

export const webhookSubscribers: Pick<Subscribers, 'isSubscribed' | 'fanOut'> = {
  isSubscribed: async (tx, orgId, kind) => (await findSubscribed(tx, orgId, kind)).length > 0,

  fanOut: async (tx, orgId, { kind, now, ids }) => {
    const webhooks = await findSubscribed(tx, orgId, kind);
    const deliveries = ids.flatMap((eventId) =>
      webhooks.map(({ id: webhookId, status }) => ({
        id: orderedId('del', now),
        webhookId,
        eventId,
        event: kind,
        status: status === 'paused' ? ('held' as const) : ('pending' as const),
        createdAt: now,
        dueAt: status === 'paused' ? null : now,
      })),
    );
    if (deliveries.length > 0) await insertDeliveries(tx, orgId, deliveries);
  },
};

type Reader = Pick<Context, 'db' | 'actor'>;

/** A delivery can have any number of resends. */
const maxAttemptsShown = 100;

export async function listDeliveries(
  ctx: Reader,
  webhookId: string,
  filter: DeliveryFilter,
  page: Page,
  order: DeliveryOrder = { by: 'created_at', direction: 'desc' },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const webhook = await getWebhook(ctx, webhookId);
  return findDeliveries(ctx.db, webhook, filter, { ...order, ...rowsOf(page) });
}

export type DetailedDelivery = { delivery: DeliveryWithBody; attempts: AttemptRow[] };

export async function getDelivery(ctx: Reader, webhookId: string, id: string): Promise<DetailedDelivery> {
  const webhook = await getWebhook(ctx, webhookId);
  const delivery = await findDelivery(ctx.db, webhook, id);
  if (!delivery) throw notFound('delivery');
  const attempts = await findAttempts(ctx.db, delivery, maxAttemptsShown);
  if (delivery.event !== auditKind || mayReadAudit(ctx.actor)) return { delivery, attempts };
  const silent = attempts.map((attempt) => ({ ...attempt, responseBody: null }));
  return { delivery: { ...delivery, body: null }, attempts: silent };
}

/** Resends a delivery within seconds. Its automatic attempts stay as planned. */
export async function resendDelivery(ctx: Context, webhookId: string, id: string): Promise<DeliveryRow> {
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, webhookId);
    const delivery = await findDelivery(tx, webhook, id);
    if (!delivery) throw notFound('delivery');
    requireAuditRights(ctx.actor, [delivery.event]);
    if (delivery.body === null) {
      const message = 'The body of this delivery is no longer stored, so it cannot be resent.';
      throw new PublicError('conflict', 'body_gone', message);
    }
    const resent = await requestAttempt(tx, delivery, ctx.clock.now());
    await recordAudit(tx, ctx, 'delivery.resend', id, auditedOf(webhook));
    return resent;
  });
}

type Listener = () => Promise<DeliveryWithBody[]>;

const atOnce = 100;
/** A delivery is dated before its transaction commits, so a later one can appear first. */
const maxCommitDelayMilliseconds = 30_000;

export function listenToDeliveries(
  ctx: Pick<Context, 'db' | 'actor'>,
  webhookId: string,
  { since, ...others }: { since: Date; until?: Date; event?: string },
): Listener {
  let from = since;
  const seen = new Map<string, Date>();
  return async () => {
    const webhook = await getWebhook(ctx, webhookId);
    const found = await findDeliveriesSince(ctx.db, webhook, {
      ...others,
      from,
      without: [...seen.keys()],
      limit: atOnce,
    });
    for (const { id, createdAt } of found) seen.set(id, createdAt);
    const newest = found.at(-1)?.createdAt ?? from;
    from = new Date(Math.max(from.getTime(), newest.getTime() - maxCommitDelayMilliseconds));
    for (const [id, createdAt] of seen) if (createdAt < from) seen.delete(id);
    return found;
  };
}

/** Sends a delivery's event to another URL, signed as for its webhook. Stores nothing. */
export async function forwardDelivery(
  { db, actor, vault, clock, egress }: Context,
  delivery: DeliveryWithBody,
  { url, signal }: { url: string; signal?: AbortSignal },
): Promise<EgressOutcome> {
  const webhook = await getWebhook({ db, actor }, delivery.webhookId);
  const body = Buffer.from(delivery.body ?? '');
  const now = clock.now();
  const headers = signedHeaders({
    deliveryId: delivery.id,
    eventId: delivery.eventId,
    event: delivery.event,
    attempt: 1,
    body,
    now,
    secrets: signingSecrets(vault, webhook, now),
  });
  return egress.post({ url, headers, body, timeoutMilliseconds: 30_000, ...(signal ? { signal } : {}) });
}

export async function getWebhookIdOf(
  { db, actor }: Pick<Context, 'db' | 'actor'>,
  deliveryId: string,
): Promise<string> {
  const webhookId = await findWebhookIdOf(db, actor.orgId, deliveryId);
  if (webhookId === undefined) throw notFound('delivery');
  return webhookId;
}

export function webhookPollers(program: DeliveryProgram): Poller[] {
  const { deliver, everyMilliseconds, stop } = createDeliverer(program);
  return [
    { name: 'correct deliveries of the future', everyMilliseconds: 60_000, run: () => correctAhead(program) },
    { name: 'release held deliveries', everyMilliseconds: 1_000, run: () => releaseHeld(program) },
    { name: 'advance resends', everyMilliseconds: 1_000, run: () => advanceResends(program) },
    { name: 'deliver', everyMilliseconds, run: deliver, stop },
    { name: 'prune events', everyMilliseconds: 60_000, run: () => pruneEvents(program) },
  ];
}

const changedAtOnce = 500;
const releasedOfOne = 20;

/** After a clock was ahead, retries would wait until its time comes. This sends them at once instead. */
async function correctAhead({ db, clock, log }: DeliveryProgram): Promise<boolean> {
  const now = clock.now();
  const latest = tolerated(now);
  const corrected = await correctDueTimes(db, {
    now,
    tolerated: latest,
    limit: changedAtOnce,
    latestLease: new Date(latest.getTime() + leaseMilliseconds),
  });
  if (corrected > 0) {
    log.warn(
      { deliveries: corrected },
      'deliveries had times in the future and are sent now, because a clock was ahead',
    );
  }
  return corrected === changedAtOnce;
}

export async function releaseHeld({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const held = await holdDeliveries(db, changedAtOnce);
  const released = await releaseDeliveries(db, {
    now: clock.now(),
    each: releasedOfOne,
    limit: changedAtOnce,
  });
  return held > 0 || released > 0;
}

/**
 * Deletes bodies of old events, then older events with their deliveries, then deleted webhooks, some at a
 * time. Returns whether there may be more.
 */
async function pruneEvents({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  const [now, limit] = [clock.now(), changedAtOnce];
  const forgotten = await forgetBodies(db, now, (tx, before) => giveUpOld(tx, { before, now, limit }));
  const removed = await forgetEvents(db, now, limit);
  const cleared = await removeDeletedWebhooks(db, limit);
  return forgotten + removed + cleared > 0;
}
