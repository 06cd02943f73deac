import { evaluate, type Evaluation } from './evaluate.ts';
import { measure, type Measured, type MeasuredHistory } from './measure.ts';
import type { AlertRow, RecentTrigger } from './queries.ts';
import type { Rule } from './rule.ts';

type CheckInput = {
  alert: AlertRow;
  /** The open one, if there is any, and all that were triggered since the days that are judged began. */
  triggers: RecentTrigger[];
  history: MeasuredHistory;
  /** The tick it is due at, or the instant of asking. */
  at: Date;
  how: 'scheduled' | 'on_demand';
};

/** What an alert's rule makes of the costs, and so what is to be done. */
export type Judgement = {
  alert: AlertRow;
  at: Date;
  open: RecentTrigger | null;
  measured: Measured;
  evaluation: Evaluation;
  nextState: AlertRow['state'];
};

/** Measures and evaluates an alert. Pure. */
export function judge({ alert, triggers, history, at, how }: CheckInput): Judgement {
  const rule = ruleOf(alert);
  const measured = measure(rule, history, at, how);
  const open = triggers.find(({ resolvedAt }) => resolvedAt === null) ?? null;
  // Asked on demand, an anomaly is told anew once its last trigger is resolved, also of the same days.
  const told = rule.type === 'budget' || how === 'scheduled' ? toldOf(rule, measured, triggers) : null;
  const evaluation = evaluate(rule, measured, { open, toldNanos: told });
  return {
    alert,
    at,
    open,
    measured,
    evaluation,
    nextState: evaluation.isBehind ? alert.state : evaluation.state,
  };
}

/** A trigger of another rule that the alert had before, or of a longer or shorter period, tells nothing of this one. */
function toldOf({ type }: Rule, { window }: Measured, triggers: RecentTrigger[]): bigint | null {
  return triggers
    .filter(({ baselineNanos }) => (baselineNanos === null) === (type === 'budget'))
    .filter(({ periodStart, periodEnd }) => periodStart === window.start && periodEnd === window.end)
    .map(({ thresholdNanos }) => thresholdNanos)
    .reduce<bigint | null>((most, nanos) => (most === null || nanos > most ? nanos : most), null);
}

export function ruleOf(alert: AlertRow): Rule {
  const { alertType: type, checkFrequency: frequency, thresholdNanos, period, enabled } = alert;
  return { type, frequency, thresholdNanos, period, enabled };
}
