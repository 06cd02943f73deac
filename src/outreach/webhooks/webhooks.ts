import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import { auditKind, pingKind, type EventKind } from '../../events/eventKinds.ts';
import { recordPing } from '../../events/outbox.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { hasRole, type Actor } from '../../platform/lib/actor.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { orderedId, randomId } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { requireRoom } from '../../tenancy/organizations/organizations.ts';
import { type DeliveryRow, deliveryRows, hasDeliveryOf } from './deliveries.queries.ts';
import {
  changeWebhook,
  findHealthFigures,
  findWebhook,
  findWebhooks,
  findWebhookToChange,
  type HealthFigures,
  insertWebhook,
  type ListedWebhookRow,
  type WebhookRow,
  webhookRows,
} from './queries.ts';
import { cancelRunningResends } from './resends.queries.ts';
import { chooseSecret, rotatedSecrets } from './signing.ts';

type ReadContext = Pick<Context, 'db' | 'actor'>;

export async function listWebhooks({ db, actor }: ReadContext): Promise<ListedWebhookRow[]> {
  return findWebhooks(db, actor.orgId);
}

export async function getWebhook({ db, actor }: ReadContext, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(db, actor.orgId, id);
  if (!webhook) throw notFound('webhook');
  return webhook;
}

export type WebhookSettings = {
  name?: string | null;
  url: string;
  events: EventKind[];
  secret?: string;
  status?: 'active' | 'paused';
};

export type CreatedWebhook = { webhook: WebhookRow; secret: string; warnings: string[] };

const maxWebhooks = 50;
const pausedWarning = 'The webhook is paused: it holds events until its status is active.';

export async function createWebhook(ctx: Context, settings: WebhookSettings): Promise<CreatedWebhook> {
  const { db, actor, clock, vault } = ctx;
  const { url, events, status = 'active' } = settings;
  requireAuditRights(actor, events);
  requireCallable(ctx, url);
  const name = settings.name?.trim() ?? null;
  const secret = chooseSecret(settings.secret);
  const now = clock.now();
  const webhook = await db.transaction().execute(async (tx) => {
    await requireRoom(tx, actor.orgId, {
      things: 'webhooks',
      max: maxWebhooks,
      count: () => webhookRows.count(tx, { orgId: actor.orgId, deletedAt: null }),
      advice: 'Delete one first.',
    });
    const created = await insertWebhook(tx, {
      orgId: actor.orgId,
      id: randomId('wh'),
      name,
      url,
      events,
      status,
      secret: vault.seal(secret.text),
      secretPrefix: secret.prefix,
      createdAt: now,
      updatedAt: now,
    });
    await recordAudit(tx, ctx, 'webhook.create', created.id, { ...called(created), events, status });
    return created;
  });
  const warnings = status === 'paused' ? [...secret.warnings, pausedWarning] : secret.warnings;
  return { webhook, secret: secret.text, warnings };
}

export type WebhookChanges = {
  name?: string | null;
  url?: string;
  events?: EventKind[];
  status?: WebhookRow['status'];
  secret?: unknown;
};

type Changed = Partial<Pick<WebhookRow, 'name' | 'url' | 'events' | 'status'>>;

/** Changes the given fields. Waiting deliveries use the new URL and secret. */
export async function updateWebhook(ctx: Context, id: string, changes: WebhookChanges): Promise<WebhookRow> {
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, id);
    if ('secret' in changes) {
      throw invalid('secret', `cannot be changed here: use POST /api/v1/webhooks/${id}/rotate-secret`);
    }
    const changed = differing(webhook, changes);
    if (Object.keys(changed).length === 0) return webhook;
    requireAuditRights(ctx.actor, [...webhook.events, ...(changed.events ?? [])]);
    if (changed.url !== undefined) await requireRightsToDeliveries(tx, ctx.actor, webhook);
    if (changed.url !== undefined) requireCallable(ctx, changed.url);
    if (changed.status === 'failing') {
      throw invalid('status', 'must be active or paused: only failed deliveries make a webhook failing');
    }
    const next = await changeWebhook(tx, webhook, {
      ...changed,
      ...(changed.status === 'active' ? { failingSince: null } : {}),
      updatedAt: ctx.clock.now(),
    });
    const { url, ...shown } = changed;
    await recordAudit(tx, ctx, 'webhook.update', id, {
      ...(url !== undefined && { host: hostOf(url) }),
      ...shown,
      ...('name' in shown && { before: { name: webhook.name } }),
    });
    return next;
  });
}

/** An attempt under way is the last one. */
export async function deleteWebhook(ctx: Context, id: string): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const now = ctx.clock.now();
    // First, because the worker locks resends before webhooks.
    await cancelRunningResends(tx, await getWebhook({ db: tx, actor: ctx.actor }, id), now);
    const webhook = await webhookToChange(tx, ctx, id);
    await changeWebhook(tx, webhook, { deletedAt: now });
    const { events } = webhook;
    await recordAudit(tx, ctx, 'webhook.delete', id, { ...called(webhook), events });
  });
}

export async function webhookToChange(
  tx: Transaction,
  { actor }: Pick<Context, 'actor'>,
  id: string,
): Promise<WebhookRow> {
  const webhook = await findWebhookToChange(tx, actor.orgId, id);
  if (!webhook) throw notFound('webhook');
  return webhook;
}

function differing(webhook: WebhookRow, { url, events, status, ...changes }: WebhookChanges): Changed {
  const name = changes.name === undefined ? webhook.name : (changes.name?.trim() ?? null);
  return {
    ...(name === webhook.name ? {} : { name }),
    ...(url === undefined || url === webhook.url ? {} : { url }),
    ...(events === undefined || isDeepStrictEqual(events, webhook.events) ? {} : { events }),
    ...(status === undefined || status === webhook.status ? {} : { status }),
  };
}

export type RotatedWebhook = { webhook: WebhookRow; secret: string; promoteAt: Date; warnings: string[] };

/** Both sign for a day, then only the new one. Returns the new secret, which is never shown again. */
export async function rotateSecret(ctx: Context, id: string, given?: string): Promise<RotatedWebhook> {
  const now = ctx.clock.now();
  const next = chooseSecret(given);
  return ctx.db.transaction().execute(async (tx) => {
    const row = await webhookToChange(tx, ctx, id);
    const columns = rotatedSecrets(ctx.vault, row, next, now);
    const webhook = await changeWebhook(tx, row, { ...columns, updatedAt: now });
    const { promoteAt } = columns;
    const details = { ...called(row), promote_at: promoteAt.toISOString() };
    await recordAudit(tx, ctx, 'webhook.rotate_secret', id, details);
    return { webhook, secret: next.text, promoteAt, warnings: next.warnings };
  });
}

export async function pingWebhook(ctx: Context, id: string): Promise<DeliveryRow> {
  const { orgId } = ctx.actor;
  const now = ctx.clock.now();
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, id);
    const eventId = await recordPing(tx, { orgId, now }, { webhook_id: webhook.id });
    const delivery = await deliveryRows.insert(tx, {
      orgId,
      id: orderedId('del', now),
      webhookId: webhook.id,
      eventId,
      event: pingKind,
      status: 'pending',
      createdAt: now,
      // A resend has one attempt and works while the webhook is paused.
      resendAt: now,
    });
    const details = { ...called(webhook), delivery_id: delivery.id };
    await recordAudit(tx, ctx, 'webhook.ping', webhook.id, details);
    return delivery;
  });
}

export type WebhookHealth = HealthFigures & { statusReason: string; successRate: number | null };

export async function getHealth({ db }: Pick<Context, 'db'>, webhook: WebhookRow): Promise<WebhookHealth> {
  const figures = await findHealthFigures(db, webhook);
  const { success, failed } = figures.counts;
  const ended = success + failed;
  return {
    ...figures,
    statusReason: statusReason(webhook, figures),
    successRate: ended === 0 ? null : success / ended,
  };
}

function statusReason(
  { status, failingSince, lastDeliveryAt, lastDeliveryStatus }: WebhookRow,
  { counts, lastError }: Pick<HealthFigures, 'counts' | 'lastError'>,
): string {
  const error = lastError?.message ?? lastError?.errorClass ?? 'unknown';
  if (status === 'paused') {
    const kept = counts.held === 1 ? '1 delivery is' : `${counts.held || 'no'} deliveries are`;
    return `Paused: ${kept} held. Held deliveries are sent oldest first when the status is active again.`;
  }
  if (status === 'failing') {
    const since = failingSince ? ` since ${failingSince.toISOString()}` : '';
    return `Failing${since}, when a delivery failed all its attempts. Last error: ${sentence(error)}`;
  }
  if (!lastDeliveryAt) return 'No deliveries yet.';
  if (lastDeliveryStatus === 'failed' && lastError)
    return `Active, but the last attempt failed: ${sentence(error)}`;
  return 'Healthy: the receiver accepted the last delivery.';
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Events of the audit log need the same rights as the audit log. */
export function requireAuditRights(actor: Actor, events: readonly string[]): void {
  if (!events.includes(auditKind) || mayReadAudit(actor)) return;
  const message = `A webhook with ${auditKind} needs the role admin and the scope admin, like the audit log.`;
  throw new PublicError('forbidden', 'scope_missing', message);
}

/** Deliveries of audit events outlive their subscription and can still be sent. */
export async function requireRightsToDeliveries(
  tx: Transaction,
  actor: Actor,
  webhook: WebhookRow,
): Promise<void> {
  if (await hasDeliveryOf(tx, webhook, auditKind)) requireAuditRights(actor, [auditKind]);
}

export function mayReadAudit({ role, scopes }: Actor): boolean {
  return hasRole(role, 'admin') && scopes.includes('admin');
}

function requireCallable({ egress }: Pick<Context, 'egress'>, url: string): void {
  // A URL parser drops line breaks silently, but the stored URL must be the one that is called.
  const fault = /[\s\p{Cc}]/u.test(url)
    ? 'must not contain spaces or control characters'
    : egress.faultOf(url);
  if (fault) throw invalid('url', fault);
}

/** For the audit log, which outlives the webhook. */
export function auditedOf(webhook: WebhookRow) {
  return { webhook_id: webhook.id, ...called(webhook) };
}

function called({ name, url }: Pick<WebhookRow, 'name' | 'url'>) {
  return { ...(name !== null && { name }), host: hostOf(url) };
}

/** Only the host goes into the audit log, because paths and queries of webhooks are often secrets. */
function hostOf(url: string): string {
  return new URL(url).host;
}
