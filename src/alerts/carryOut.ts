import type { Transaction } from '../db/database.ts';
import { randomId } from '../lib/ids.ts';
import { usd } from '../lib/money.ts';
import { queueNotices } from '../notifications/queueNotices.ts';
import { getOrganization } from '../organizations/getOrganization.ts';
import { recordEvent } from '../webhooks/recordEvent.ts';
import type { AlertProgram } from './context.ts';
import { explainTrigger, storableExplanation } from './explainTrigger.ts';
import { ruleOf, type Judgement } from './judge.ts';
import { noticeOf } from './noticeOf.ts';
import { changeAlert, insertTrigger, type TriggerRow } from './queries.ts';
import { resolve } from './resolve.ts';

/** Carries out what follows from a judgement: state, triggers, events, and queued messages. Answers a new trigger. */
export async function carryOut(
  tx: Transaction,
  program: AlertProgram,
  judgement: Judgement,
): Promise<TriggerRow | null> {
  const { alert, latest, evaluation } = judgement;
  const now = program.clock.now();
  let trigger: TriggerRow | null = null;
  for (const signal of evaluation.signals) {
    if (signal.kind === 'trigger') trigger = await startTrigger(tx, program, judgement);
    else if (latest) await resolve(tx, alert, latest, { resolution: signal.reason, now });
  }
  if (evaluation.state !== alert.state || trigger) {
    await changeAlert(tx, alert, {
      state: evaluation.state,
      ...(trigger ? { lastTriggeredAt: trigger.triggeredAt } : {}),
    });
  }
  return trigger;
}

const metrics = { budget: 'period_cost_usd', anomaly: 'cost_increase_percent' } as const;

async function startTrigger(
  tx: Transaction,
  program: AlertProgram,
  { alert, measured, evaluation }: Judgement,
): Promise<TriggerRow> {
  const { orgId } = alert;
  const now = program.clock.now();
  const explanation = await explainTrigger(tx, orgId, ruleOf(alert), measured);
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
    explanation: storableExplanation(explanation),
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
  const notice = noticeOf(alert, trigger, explanation, { organization, publicUrl: program.publicUrl });
  await queueNotices(tx, {
    organization,
    triggerId: trigger.id,
    notice,
    byEmail: alert.notifyEmail && program.mailer !== null,
    now,
  });
  return trigger;
}
