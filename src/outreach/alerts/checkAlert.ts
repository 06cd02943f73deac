import { setTimeout as delay } from 'node:timers/promises';
import { inSnapshot } from '../../platform/db/database.ts';
import { notFound } from '../../platform/lib/errors.ts';
import { isUuid } from '../../platform/lib/ids.ts';
import { recordAudit } from '../../tenancy/audit/audit.ts';
import { awaitSent, sendNow } from '../notifications/sendNotifications.ts';
import { carryOut } from './carryOut.ts';
import type { AlertContext } from './context.ts';
import { createExplainer } from './explainTrigger.ts';
import { judge, ruleOf, type Judgement } from './judge.ts';
import { measuredCostsByNow } from './measuredCosts.ts';
import { startOfRecent } from './periods.ts';
import { findAlertToChange, findRecentTriggers, type TriggerRow } from './queries.ts';

/** What a check has found, and the trigger that it has begun. */
export type Check = Judgement & { trigger: TriggerRow | null };

const longestWaitMilliseconds = 10_000;

/**
 * Checks an alert now, with today so far; an anomaly compares it with the same hours of earlier days. What it triggers is
 * committed first; then its messages are sent, by us or by the running server, and `notificationSent` says whether one has
 * arrived within ten seconds. Those that have not are tried again later.
 */
export async function checkAlert(
  ctx: AlertContext,
  id: string,
  sentBy: 'us' | 'server',
): Promise<Check & { notificationSent: boolean }> {
  const check = await commitCheck(ctx, id, sentBy === 'server' || ctx.mailer !== null);
  if (!check.trigger) return { ...check, notificationSent: false };
  const { orgId, id: triggerId } = check.trigger;
  const waited = new AbortController();
  const { signal } = waited;
  // What fails from here on does not undo the check; the worker sends what has not been sent.
  const see = sentBy === 'us' ? sendNow : awaitSent;
  const notificationSent = await Promise.race([
    see(ctx, { orgId, triggerId }, signal).catch(() => false),
    delay(longestWaitMilliseconds, false, { signal }),
  ]);
  waited.abort();
  return { ...check, notificationSent };
}

function commitCheck(ctx: AlertContext, id: string, hasMail: boolean): Promise<Check> {
  const { actor, clock, db } = ctx;
  return inSnapshot(db, async (tx) => {
    const alert = isUuid(id) ? await findAlertToChange(tx, actor.orgId, id) : undefined;
    if (!alert) throw notFound('alert');
    const at = clock.now();
    const history = await measuredCostsByNow(tx, actor.orgId, ruleOf(alert), { now: at });
    const recent = await findRecentTriggers(tx, actor.orgId, [alert.id], startOfRecent(at));
    const triggers = recent.get(alert.id) ?? [];
    const judgement = judge({ alert, triggers, history, at, how: 'on_demand' });
    const trigger = await carryOut(tx, { clock, hasMail }, judgement, createExplainer(tx, actor.orgId));
    if (judgement.evaluation.signals.length > 0) {
      await recordAudit(tx, ctx, 'alert.check', alert.id, { trigger: trigger?.id ?? null });
    }
    return { ...judgement, trigger };
  });
}
