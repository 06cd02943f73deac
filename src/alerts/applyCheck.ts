import type { Transaction } from '../db/database.ts';
import type { DayCosts } from '../dashboard/getDayCosts.ts';
import { cliActor } from '../lib/actor.ts';
import { randomId } from '../lib/ids.ts';
import { usd } from '../lib/money.ts';
import { queueNotices } from '../notifications/queueNotices.ts';
import { getOrganization } from '../organizations/getOrganization.ts';
import { recordEvent } from '../webhooks/recordEvent.ts';
import type { AlertProgram } from './context.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { explainTrigger } from './explainTrigger.ts';
import { storableExplanation } from './listTriggers.ts';
import { measure, type Measured } from './measure.ts';
import { noticeOf } from './noticeOf.ts';
import { changeAlert, insertTrigger, type AlertRow, type TriggerRow } from './queries.ts';
import { resolve } from './resolve.ts';
import type { Rule } from './rule.ts';

export type Check = {
  alert: AlertRow;
  measured: Measured;
  evaluation: Evaluation;
  trigger: TriggerRow | null;
};

export type CheckInput = {
  alert: AlertRow;
  latest: TriggerRow | undefined;
  costs: DayCosts;
  /** The tick it is due at, or the instant of asking. */
  at: Date;
  how: 'scheduled' | 'on_demand';
};

/** Measures and evaluates an alert and carries out what follows: its state, triggers, events, and queued messages. */
export async function applyCheck(tx: Transaction, program: AlertProgram, input: CheckInput): Promise<Check> {
  const { alert, latest, costs, at, how } = input;
  const rule = ruleOf(alert);
  const measured = measure(rule, costs.costs, at, how, costs.firstDay);
  const evaluation = evaluate(rule, measured, {
    open: latest && !latest.resolvedAt ? { periodStart: latest.periodStart } : null,
    last: latest ? { periodStart: latest.periodStart, thresholdNanos: latest.thresholdNanos } : null,
  });
  const now = program.clock.now();
  let trigger: TriggerRow | null = null;
  for (const signal of evaluation.signals) {
    if (signal.kind === 'trigger') trigger = await startTrigger(tx, program, { alert, measured, evaluation });
    else if (latest) await resolve(tx, alert, latest, { resolution: signal.reason, now });
  }
  if (evaluation.state !== alert.state || trigger) {
    await changeAlert(tx, alert, {
      state: evaluation.state,
      ...(trigger ? { lastTriggeredAt: trigger.triggeredAt } : {}),
    });
  }
  return { alert, measured, evaluation, trigger };
}

function ruleOf(alert: AlertRow): Rule {
  const { alertType: type, checkFrequency: frequency, thresholdNanos, period, enabled } = alert;
  return { type, frequency, thresholdNanos, period, enabled };
}

const metrics = { budget: 'period_cost_usd', anomaly: 'cost_increase_percent' } as const;

async function startTrigger(
  tx: Transaction,
  program: AlertProgram,
  { alert, measured, evaluation }: { alert: AlertRow; measured: Measured; evaluation: Evaluation },
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
  const organization = await getOrganization({ db: tx, actor: cliActor(orgId) });
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
