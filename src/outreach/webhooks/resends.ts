import type { Context, Program } from '../../context.ts';
import { auditKind } from '../../events/eventKinds.ts';
import type { Transaction } from '../../platform/db/database.ts';
import { invalid, notFound, PublicError } from '../../platform/lib/errors.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { type Page, type Paged, rowsOf } from '../../platform/lib/lists.ts';
import { readInstant } from '../../platform/lib/time.ts';
import { oneByOne } from '../../platform/work/worker.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import type { DeliveryRow } from './deliveries.queries.ts';
import {
  claimResend,
  countMatching,
  countRequested,
  findRunningResends,
  requestNext,
  type ResendKey,
  type ResendRow,
  resendRows,
  type ResendScope,
} from './resends.queries.ts';
import { auditedOf, getWebhook, requireRightsToDeliveries, webhookToChange } from './webhooks.ts';

export type ResendFilter = {
  status: DeliveryRow['status'];
  event?: string;
  since: string;
  until?: string;
};

type ReadContext = Pick<Context, 'db' | 'actor'>;

export async function countResend(ctx: Context, webhookId: string, filter: ResendFilter): Promise<bigint> {
  const webhook = await getWebhook(ctx, webhookId);
  return countMatching(ctx.db, scopeOf(ctx, webhook.id, filter));
}

export async function startResend(ctx: Context, webhookId: string, filter: ResendFilter): Promise<ResendRow> {
  return ctx.db.transaction().execute(async (tx) => {
    const webhook = await webhookToChange(tx, ctx, webhookId);
    const scope = scopeOf(ctx, webhook.id, filter);
    if ([auditKind, undefined].includes(filter.event))
      await requireRightsToDeliveries(tx, ctx.actor, webhook);
    const running = { orgId: webhook.orgId, webhookId, status: 'running' } as const;
    if ((await resendRows.count(tx, running)) > 0) {
      const message = 'A resend of this webhook is already running. Wait until it ends or cancel it.';
      throw new PublicError('conflict', 'resend_running', message);
    }
    const total = await countMatching(tx, scope);
    const id = randomId('rsd');
    const createdAt = ctx.clock.now();
    const resend = await resendRows.insert(tx, { ...scope, id, status: 'running', total, createdAt });
    const { statuses, events, since, until } = scope;
    await recordAudit(tx, ctx, 'resend.start', id, {
      ...auditedOf(webhook),
      statuses,
      events,
      since,
      until,
    });
    return resend;
  });
}

function scopeOf({ actor, clock }: Context, webhookId: string, filter: ResendFilter): ResendScope {
  const now = clock.now();
  const since = readInstant('since', filter.since);
  const until = filter.until === undefined ? now : earlier(readInstant('until', filter.until), now);
  if (since >= until) throw invalid('since', (nameOf) => `must be in the past and before ${nameOf('until')}`);
  const events = filter.event === undefined ? [] : [filter.event];
  return { orgId: actor.orgId, webhookId, statuses: [filter.status], events, since, until };
}

const earlier = (a: Date, b: Date) => (a < b ? a : b);

export async function listResends(
  ctx: ReadContext,
  webhookId: string,
  page: Page,
): Promise<Paged<ResendRow>> {
  const { orgId } = await getWebhook(ctx, webhookId);
  return resendRows.page(ctx.db, { orgId, webhookId }, rowsOf(page), 'createdAt desc', 'id desc');
}

export async function getResend(ctx: ReadContext, webhookId: string, id: string): Promise<ResendRow> {
  const { orgId } = await getWebhook(ctx, webhookId);
  const resend = await resendRows.find(ctx.db, { orgId, id }, { webhookId });
  if (!resend) throw notFound('resend');
  return resend;
}

/** Ends a resend. Deliveries that it has already requested are still sent. */
export async function cancelResend(ctx: Context, webhookId: string, id: string): Promise<ResendRow> {
  return ctx.db.transaction().execute(async (tx) => {
    // The worker locks resends, then deliveries, then webhooks.
    const webhook = await getWebhook({ db: tx, actor: ctx.actor }, webhookId);
    const resend = await resendRows.find(tx, { orgId: webhook.orgId, id }, { webhookId });
    if (!resend) throw notFound('resend');
    const ended = { status: 'cancelled', endedAt: ctx.clock.now() } as const;
    const cancelled = await resendRows.change(tx, resend, ended, { status: 'running' });
    if (!cancelled) throw new PublicError('conflict', 'resend_ended', 'This resend has already ended.');
    await recordAudit(tx, ctx, 'resend.cancel', id, auditedOf(webhook));
    return cancelled;
  });
}

const chunk = 20;

/** The row lock lasts until the requests are committed. Returns whether any attempts were requested. */
export async function advanceResends({ db, clock }: Pick<Program, 'db' | 'clock'>): Promise<boolean> {
  let hasResent = false;
  const advanceOne = async (key: ResendKey) => {
    const resent = await db.transaction().execute(async (tx) => {
      const resend = await claimResend(tx, key);
      return resend ? advance(tx, resend, clock.now()) : 0;
    });
    hasResent ||= resent > 0;
  };
  await oneByOne(await findRunningResends(db), advanceOne, {
    nameOf: ({ orgId, id }) => [`resend ${id}`, orgId],
    message: 'could not advance resends',
  });
  return hasResent;
}

async function advance(tx: Transaction, resend: ResendRow, now: Date): Promise<number> {
  if ((await countRequested(tx, resend, chunk)) >= chunk) return 0;
  const requested = await requestNext(tx, resend, { now, limit: chunk });
  const last = requested.at(-1);
  const isDone = requested.length < chunk;
  await resendRows.change(tx, resend, {
    status: isDone ? 'done' : 'running',
    resent: resend.resent + BigInt(requested.length),
    cursorCreatedAt: last?.createdAt ?? resend.cursorCreatedAt,
    cursorId: last?.id ?? resend.cursorId,
    endedAt: isDone ? now : null,
  });
  return requested.length;
}
