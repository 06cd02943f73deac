import { setTimeout as delay } from 'node:timers/promises';
import { notFound } from '../lib/errors.ts';
import { isUuid } from '../lib/ids.ts';
import { sendNow } from '../notifications/sendNotifications.ts';
import { carryOut } from './carryOut.ts';
import type { AlertContext } from './context.ts';
import { judge, type Judgement } from './judge.ts';
import { measuredCosts } from './measuredCosts.ts';
import { findAlertToChange, findLatestTriggers, type TriggerRow } from './queries.ts';

/** What a check has found, and the trigger that it has begun. */
export type Check = Judgement & { trigger: TriggerRow | null };

const longestWaitMilliseconds = 10_000;

/**
 * Checks an alert now, with today so far. What it triggers is committed first; then its messages are sent, and
 * `notificationSent` tells whether one has arrived within ten seconds. Those that have not are tried again later.
 */
export async function checkAlert(
  ctx: AlertContext,
  id: string,
): Promise<Check & { notificationSent: boolean }> {
  const check = await commitCheck(ctx, id);
  if (!check.trigger) return { ...check, notificationSent: false };
  const { orgId, id: triggerId } = check.trigger;
  const waited = new AbortController();
  const { signal } = waited;
  // What fails from here on does not undo the check; the worker sends what has not been sent.
  const notificationSent = await Promise.race([
    sendNow(ctx, { orgId, triggerId }, signal).catch(() => false),
    delay(longestWaitMilliseconds, false, { signal }),
  ]);
  waited.abort();
  return { ...check, notificationSent };
}

function commitCheck(ctx: AlertContext, id: string): Promise<Check> {
  const { actor, clock, db } = ctx;
  return db.transaction().execute(async (tx) => {
    const alert = isUuid(id) ? await findAlertToChange(tx, actor.orgId, id) : undefined;
    if (!alert) throw notFound('alert');
    const at = clock.now();
    const history = await measuredCosts(tx, actor.orgId, at);
    const latest = (await findLatestTriggers(tx, actor.orgId, [alert.id])).get(alert.id);
    const judgement = judge({ alert, latest, history, at, how: 'on_demand' });
    return { ...judgement, trigger: await carryOut(tx, ctx, judgement) };
  });
}
