import type { Context, Program, Subscribers } from '../../context.ts';
import { auditKind } from '../../events/eventKinds.ts';
import { deleteOldBodies, deleteOldEvents } from '../../events/outbox.ts';
import type { Transaction } from '../../platform/db/database.ts';
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
import { auditedOf, getWebhook, mayReadAudit, requireAuditRights } from './webhooks.ts';

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

type ReadContext = Pick<Context, 'db' | 'actor'>;

/** A delivery can have any number of resends. */
const maxAttemptsShown = 100;

export async function listDeliveries(
  ctx: ReadContext,
  webhookId: string,
  filter: DeliveryFilter,
  page: Page,
  order: DeliveryOrder = { by: 'created_at', direction: 'desc' },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const webhook = await getWebhook(ctx, webhookId);
  return findDeliveries(ctx.db, webhook, filter, { ...order, ...rowsOf(page) });
}

export type DetailedDelivery = { delivery: DeliveryWithBody; attempts: AttemptRow[] };

export async function getDelivery(
  ctx: ReadContext,
  webhookId: string,
  id: string,
): Promise<DetailedDelivery> {
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
    // Takes no lock of the webhook: the worker locks deliveries first, then webhooks.
    const webhook = await getWebhook({ db: tx, actor: ctx.actor }, webhookId);
    const delivery = await findDelivery(tx, webhook, id);
    if (!delivery) throw notFound('delivery');
    requireAuditRights(ctx.actor, [delivery.event]);
    if (delivery.body === null) {
      const message = 'The body of this delivery is no longer stored, so it cannot be resent.';
      throw new PublicError('conflict', 'body_gone', message);
    }
    const resent = await requestAttempt(tx, delivery, ctx.clock.now());
    if (!resent) throw notFound('delivery');
    await recordAudit(tx, ctx, 'delivery.resend', id, auditedOf(webhook));
    return resent;
  });
}

const signedAtOnce = 100;

/** Deliveries whose body is stored, oldest first, with headers signed now as for their webhook. Stores nothing. */
export async function signDeliveries(
  { db, actor, vault, clock }: Pick<Context, 'db' | 'actor' | 'vault' | 'clock'>,
  webhookId: string,
  wanted: { from: Date; event?: string; without: string[] },
): Promise<{ delivery: DeliveryWithBody; body: string; headers: Record<string, string> }[]> {
  const webhook = await getWebhook({ db, actor }, webhookId);
  const found = await findDeliveriesSince(db, webhook, { ...wanted, limit: signedAtOnce });
  requireAuditRights(
    actor,
    found.map(({ event }) => event),
  );
  const now = clock.now();
  const secrets = signingSecrets(vault, webhook, now);
  return found.map((delivery) => {
    const { id: deliveryId, eventId, event } = delivery;
    const body = delivery.body ?? '';
    const headers = signedHeaders({
      deliveryId,
      eventId,
      event,
      attempt: 1,
      body: Buffer.from(body),
      now,
      secrets,
    });
    return { delivery, body, headers };
  });
}

export function webhookPollers(program: DeliveryProgram): Poller[] {
  const { db, clock } = program;
  const { deliver, everyMilliseconds, stop } = createDeliverer(program);
  const prune = (name: string, run: () => Promise<number>): Poller => ({
    name,
    everyMilliseconds: 60_000,
    run: async () => (await run()) > 0,
  });
  const giveUp = (tx: Transaction, orgId: string, before: Date) =>
    giveUpOld(tx, orgId, { before, now: clock.now(), limit: changedAtOnce });
  return [
    { name: 'correct deliveries of the future', everyMilliseconds: 60_000, run: () => correctAhead(program) },
    { name: 'release held deliveries', everyMilliseconds: 1_000, run: () => releaseHeld(program) },
    { name: 'advance resends', everyMilliseconds: 1_000, run: () => advanceResends(program) },
    { name: 'deliver', everyMilliseconds, run: deliver, stop },
    prune('prune event bodies', () => deleteOldBodies(db, clock.now(), giveUp)),
    prune('prune events', () => deleteOldEvents(db, clock.now(), changedAtOnce)),
    prune('prune deleted webhooks', () => removeDeletedWebhooks(db, changedAtOnce)),
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
  return corrected >= changedAtOnce;
}

export async function releaseHeld({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  // First what is sent then: a failure to hold must not stop it.
  const released = await releaseDeliveries(db, {
    now: clock.now(),
    each: releasedOfOne,
    limit: changedAtOnce,
  });
  const held = await holdDeliveries(db, changedAtOnce);
  return held > 0 || released > 0;
}
