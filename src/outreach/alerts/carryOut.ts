import { recordEvent } from '../../events/recordEvent.ts';
import type { Transaction } from '../../platform/db/database.ts';
import type { Clock } from '../../platform/lib/clock.ts';
import { randomId } from '../../platform/lib/ids.ts';
import { bigintsAsText, usd } from '../../platform/lib/money.ts';
import { getOrganization } from '../../tenancy/organizations/getOrganization.ts';
import { queueNotices } from '../notifications/notices.ts';
import type { Explainer } from './explainTrigger.ts';
import { ruleOf, type Judgement } from './judge.ts';
import { noticeOf } from './noticeOf.ts';
import { changeAlert, insertTrigger, type TriggerRow } from './queries.ts';
import { resolve } from './resolve.ts';

/** `hasMail`: whether whoever sends the messages has a mail server. */
type Teller = { clock: Clock; hasMail: boolean };

/** Carries out what follows from a judgement: state, triggers, events, and queued messages. Answers a new trigger. */
export async function carryOut(
  tx: Transaction,
  teller: Teller,
  judgement: Judgement,
  explain: Explainer,
): Promise<TriggerRow | null> {
  const { alert, open, evaluation, nextState } = judgement;
  const now = teller.clock.now();
  let trigger: TriggerRow | null = null;
  for (const signal of evaluation.signals) {
    if (signal.kind === 'resolve') {
      if (open) await resolve(tx, alert, open, { resolution: signal.reason, now });
      continue;
    }
    trigger = await startTrigger(tx, teller, judgement, explain);
    if (signal.isOver) await resolve(tx, alert, trigger, { resolution: 'period_ended', now });
  }
  if (nextState !== alert.state || trigger) {
    await changeAlert(tx, alert, {
      state: nextState,
      ...(trigger ? { lastTriggeredAt: trigger.triggeredAt } : {}),
    });
  }
  return trigger;
}

const metrics = { budget: 'period_cost_usd', anomaly: 'cost_increase_percent' } as const;

async function startTrigger(
  tx: Transaction,
  { clock, hasMail }: Teller,
  { alert, measured, evaluation }: Judgement,
  explain: Explainer,
): Promise<TriggerRow> {
  const { orgId } = alert;
  const now = clock.now();
  const explanation = await explain(ruleOf(alert), measured);
  const trigger = await insertTrigger(tx, {
    orgId,
    id: randomId('trg'),
    alertId: alert.id,
    triggeredAt: now,
    currentNanos: evaluation.currentNanos,
    thresholdNanos: evaluation.thresholdNanos,
    observedNanos: measured.observedNanos,
    baselineNanos: measured.baselineNanos,
    periodStart: measured.window.start,
    periodEnd: measured.window.end,
    explanation: JSON.stringify(explanation, bigintsAsText),
  });
  await recordEvent(tx, { orgId, now }, 'alert.triggered', {
    alert: { id: alert.id, name: alert.name, type: alert.alertType },
    trigger: {
      current_value: usd(evaluation.currentNanos),
      threshold_value: usd(evaluation.thresholdNanos),
      metric: metrics[alert.alertType],
    },
  });
  const organization = await getOrganization({ db: tx, actor: { orgId } });
  const notice = noticeOf(alert, trigger, explanation, organization);
  await queueNotices(tx, {
    organization,
    triggerId: trigger.id,
    notice,
    byEmail: alert.notifyEmail && hasMail,
    now,
  });
  return trigger;
}
