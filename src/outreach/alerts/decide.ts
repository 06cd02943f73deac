import { dayOf, type Day } from '../../platform/lib/days.ts';
import { larger } from '../../platform/lib/lists.ts';
import { measure, ruleOf, typeOf, type Rule } from './alertTypes.ts';
import type { AlertRow } from './queries.ts';
import type { CheckKind, Measured, MeasuredHistory, Condition } from './rules/rule.ts';
import { isSameScope } from './scope.ts';
import type { RecentTrigger } from './triggers.queries.ts';

type CheckInput = {
  alert: AlertRow;
  triggers: RecentTrigger[];
  history: MeasuredHistory;
  at: Date;
  kind: CheckKind;
};

export type CheckDecision = SignalDecision & {
  alert: AlertRow;
  at: Date;
  open: RecentTrigger | null;
  former: RecentTrigger | null;
  measured: Measured;
  history: MeasuredHistory;
  nextState: AlertRow['state'];
};

/** What a check of an alert changes, given its stored triggers. */
export function decideCheck({ alert, triggers, history, at, kind }: CheckInput): CheckDecision {
  const rule = ruleOf(alert);
  const measured = measure(rule, history, at, kind);
  const open = triggers.find(({ resolvedAt }) => resolvedAt === null) ?? null;
  // On demand, an anomaly may trigger again for the same days once its last trigger is resolved.
  const isOncePerWindow = typeOf(rule).isByPeriod || kind === 'scheduled';
  const announced = isOncePerWindow ? announcedIn(triggers, rule, measured) : [];
  const announcedNanos = announced.map(({ thresholdNanos }) => thresholdNanos).reduce(higher, null);
  const isOver = announced[0]?.resolution === 'period_ended';
  const decision = decideSignals(rule, measured, { open, announcedNanos, isOver });
  // A disabled alert has no open trigger, so it is never stored as triggered.
  const nextState = decision.isBehind || !rule.enabled ? alert.state : decision.state;
  return { ...decision, alert, at, open, former: announced[0] ?? null, measured, history, nextState };
}

function announcedIn(
  triggers: RecentTrigger[],
  { type, measure: of, scope }: Rule,
  { window }: Measured,
): RecentTrigger[] {
  return (
    triggers
      .filter((trigger) => trigger.alertType === type && trigger.measure === of)
      .filter((trigger) => isSameScope(trigger.scope, scope))
      .filter(({ periodStart, periodEnd }) => periodStart === window.start && periodEnd === window.end)
      // An earlier trigger comes from a clock that was ahead: it was about days that had not come yet.
      .filter(({ triggeredAt }) => dayOf(triggeredAt) >= window.start)
  );
}

function higher(highest: bigint | null, nanos: bigint): bigint {
  return highest === null ? nanos : larger(highest, nanos);
}

export type PastTriggers = {
  open: { periodStart: Day } | null;
  announcedNanos: bigint | null;
  isOver?: boolean;
};

export type Signal =
  /** With `isOver`, a later period has already triggered, so this trigger resolves at once. */
  | { kind: 'trigger'; isOver: boolean }
  /**
   * The condition holds again after its trigger was resolved. The trigger opens again, and nobody is notified
   * twice.
   */
  | { kind: 'reopen' }
  | { kind: 'resolve'; reason: 'condition_cleared' | 'period_ended' };

export type SignalDecision = Condition & {
  conditionMet: boolean;
  isBehind: boolean;
  thresholdNanos: bigint;
  signals: Signal[];
};

/** Which triggers start, open again or resolve. */
export function decideSignals(rule: Rule, measured: Measured, past: PastTriggers): SignalDecision {
  const { compareWithThreshold, isByPeriod } = typeOf(rule);
  const condition = compareWithThreshold(rule, measured);
  const conditionMet = condition.state === 'triggered';
  // A check on demand just after midnight can run before the scheduled one, which checks the period before.
  const isBehind =
    isByPeriod && (past.isOver === true || (past.open?.periodStart ?? '') > measured.window.start);
  const signals = rule.enabled ? signalsOf(rule, measured, past, { conditionMet, isBehind }) : [];
  return { ...condition, conditionMet, isBehind, thresholdNanos: rule.thresholdNanos, signals };
}

function signalsOf(
  rule: Rule,
  { window }: Measured,
  { open, announcedNanos }: PastTriggers,
  { conditionMet, isBehind }: Pick<SignalDecision, 'conditionMet' | 'isBehind'>,
): Signal[] {
  // The same days are announced again only for a higher threshold.
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
