import type { CostHistory } from '../dashboard/getDayCosts.ts';
import { evaluate, type Evaluation } from './evaluate.ts';
import { measure, type Measured } from './measure.ts';
import type { AlertRow, TriggerRow } from './queries.ts';
import type { Rule } from './rule.ts';

type CheckInput = {
  alert: AlertRow;
  latest: TriggerRow | undefined;
  history: CostHistory;
  /** The tick it is due at, or the instant of asking. */
  at: Date;
  how: 'scheduled' | 'on_demand';
};

/** What an alert's rule makes of the costs, and so what is to be done. */
export type Judgement = Pick<CheckInput, 'alert' | 'latest'> & { measured: Measured; evaluation: Evaluation };

/** Measures and evaluates an alert. Pure. */
export function judge({ alert, latest, history, at, how }: CheckInput): Judgement {
  const rule = ruleOf(alert);
  const measured = measure(rule, history.costs, at, how, history.firstDay);
  const evaluation = evaluate(rule, measured, {
    open: latest && !latest.resolvedAt ? { periodStart: latest.periodStart } : null,
    last: latest && isSameQuestion(rule, measured, latest) ? latest : null,
  });
  return { alert, latest, measured, evaluation };
}

/** A trigger of another rule that the alert had before, or of a longer or shorter period, tells nothing of this one. */
function isSameQuestion({ type }: Rule, { window }: Measured, trigger: TriggerRow): boolean {
  const wasBudget = trigger.baselineNanos === null;
  return wasBudget === (type === 'budget') && trigger.periodEnd === window.end;
}

export function ruleOf(alert: AlertRow): Rule {
  const { alertType: type, checkFrequency: frequency, thresholdNanos, period, enabled } = alert;
  return { type, frequency, thresholdNanos, period, enabled };
}
