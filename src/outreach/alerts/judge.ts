import { isDeepStrictEqual } from 'node:util';
import { larger } from '../../platform/lib/compare.ts';
import type { Day } from '../../platform/lib/days.ts';
import { measure, ruleOf, typeOf, type Rule } from './alertTypes.ts';
import type { AlertRow, RecentTrigger } from './queries.ts';
import type { CheckKind, Measured, MeasuredHistory, Verdict } from './rules/rule.ts';

type CheckInput = {
  alert: AlertRow;
  /** The open one, if there is any, and all that were triggered since the days that are judged began. */
  triggers: RecentTrigger[];
  history: MeasuredHistory;
  /** The tick it is due at, or the instant of asking. */
  at: Date;
  kind: CheckKind;
};

/** What an alert's rule makes of the costs, and so what is to be done. */
export type Judgement = {
  alert: AlertRow;
  at: Date;
  open: RecentTrigger | null;
  /** The latest trigger of the same rule and days, which one that reopens is; null where there is none. */
  former: RecentTrigger | null;
  measured: Measured;
  evaluation: Evaluation;
  nextState: AlertRow['state'];
};

/** Measures and evaluates an alert. Pure. */
export function judge({ alert, triggers, history, at, kind }: CheckInput): Judgement {
  const rule = ruleOf(alert);
  const measured = measure(rule, history, at, kind);
  const open = triggers.find(({ resolvedAt }) => resolvedAt === null) ?? null;
  // On demand, an anomaly is announced again once its last trigger is resolved, also for the same days.
  const isOncePerWindow = typeOf(rule).isByPeriod || kind === 'scheduled';
  const announced = isOncePerWindow ? announcedIn(triggers, rule, measured) : [];
  const announcedNanos = announced.map(({ thresholdNanos }) => thresholdNanos).reduce(higher, null);
  const isOver = announced[0]?.resolution === 'period_ended';
  const evaluation = evaluate(rule, measured, { open, announcedNanos, isOver });
  // A disabled alert has no open trigger, so it is never stored as triggered.
  const nextState = evaluation.isBehind || !rule.enabled ? alert.state : evaluation.state;
  return { alert, at, open, former: announced[0] ?? null, measured, evaluation, nextState };
}

/** A trigger of another type or scope that the alert had before, or of another period, does not count for this one. */
function announcedIn(
  triggers: RecentTrigger[],
  { type, scope }: Rule,
  { window }: Measured,
): RecentTrigger[] {
  return triggers
    .filter((trigger) => trigger.alertType === type && isDeepStrictEqual(trigger.scope, scope))
    .filter(({ periodStart, periodEnd }) => periodStart === window.start && periodEnd === window.end);
}

function higher(highest: bigint | null, nanos: bigint): bigint {
  return highest === null ? nanos : larger(highest, nanos);
}

export type Previous = {
  /** The trigger that is not resolved yet. */
  open: { periodStart: Day } | null;
  /** The highest threshold that has been announced as exceeded on the same days; null when none has. */
  announcedNanos: bigint | null;
  /** Whether a check of a later period has resolved the trigger of the same days. */
  isOver?: boolean;
};

export type Signal =
  /** `isOver`: a later period is triggered already, so this one is resolved at once. */
  | { kind: 'trigger'; isOver: boolean }
  /** The condition holds again after its trigger was resolved: that one is open again, and nobody is notified again. */
  | { kind: 'reopen' }
  | { kind: 'resolve'; reason: 'condition_cleared' | 'period_ended' };

export type Evaluation = Verdict & {
  conditionMet: boolean;
  /** Whether the alert's state already describes a later period. */
  isBehind: boolean;
  thresholdNanos: bigint;
  /** What has to happen, in this order. */
  signals: Signal[];
};

/**
 * Judges what was measured. Pure: the same rule, measurement and history always give the same signals, of which a
 * disabled rule gives none.
 */
export function evaluate(rule: Rule, measured: Measured, previous: Previous): Evaluation {
  const { evaluate: verdictOf, isByPeriod } = typeOf(rule);
  const verdict = verdictOf(rule, measured);
  const conditionMet = verdict.state === 'triggered';
  // A check on demand just after midnight can be ahead of the scheduled one, which still judges the period before.
  const isBehind =
    isByPeriod && (previous.isOver === true || (previous.open?.periodStart ?? '') > measured.window.start);
  const signals = rule.enabled ? signalsOf(rule, measured, previous, { conditionMet, isBehind }) : [];
  return { ...verdict, conditionMet, isBehind, thresholdNanos: rule.thresholdNanos, signals };
}

function signalsOf(
  rule: Rule,
  { window }: Measured,
  { open, announcedNanos }: Previous,
  { conditionMet, isBehind }: Pick<Evaluation, 'conditionMet' | 'isBehind'>,
): Signal[] {
  // What has been announced of the same days is announced again only for a higher threshold.
  const isAnnounced = announcedNanos !== null && rule.thresholdNanos <= announcedNanos;
  if (isBehind) return conditionMet && !isAnnounced ? [{ kind: 'trigger', isOver: true }] : [];
  const isOfEarlierPeriod = typeOf(rule).isByPeriod && open !== null && open.periodStart < window.start;
  const signals: Signal[] = [];
  if (open && (!conditionMet || isOfEarlierPeriod)) {
    signals.push({ kind: 'resolve', reason: isOfEarlierPeriod ? 'period_ended' : 'condition_cleared' });
  }
  const isOpen = open !== null && signals.length === 0;
  if (conditionMet && !isOpen) {
    signals.push(isAnnounced ? { kind: 'reopen' } : { kind: 'trigger', isOver: false });
  }
  return signals;
}
