import type { Day } from '../../platform/lib/days.ts';
import { divideHalfEven } from '../../platform/lib/money.ts';
import type { Measured } from './measure.ts';
import type { Rule } from './rule.ts';

export type Previous = {
  /** The trigger that is not resolved yet. */
  open: { periodStart: Day } | null;
  /** The highest threshold that has been told to be exceeded on the same days; null when none has. */
  toldNanos: bigint | null;
};

export type Signal =
  /** `isOver`: a later period is triggered already, so this one is resolved at once. */
  { kind: 'trigger'; isOver: boolean } | { kind: 'resolve'; reason: 'condition_cleared' | 'period_ended' };

export type Evaluation = {
  /** Of the condition, whether or not anything is told of it. */
  state: 'ok' | 'triggered' | 'insufficient_data';
  conditionMet: boolean;
  /** Whether the alert's state already speaks of a later period. */
  isBehind: boolean;
  /** Billionths: of a US dollar spent, or of a percent of rise (to two decimals); 0 with insufficient data. */
  currentNanos: bigint;
  thresholdNanos: bigint;
  /** What has to happen, in this order. */
  signals: Signal[];
};

const nanosPerPercent = 1_000_000_000n;
const nanosPerHundredth = nanosPerPercent / 100n;
/** A billion percent: what is more would not fit into the database's integers. */
const highestShownRise = 1_000_000_000n * nanosPerPercent;
const leastRiseNanos = 1_000_000_000n; // one dollar

/**
 * Judges what was measured. Pure: the same rule, measurement and history always give the same signals, of which a
 * disabled rule gives none.
 */
export function evaluate(rule: Rule, measured: Measured, previous: Previous): Evaluation {
  const { thresholdNanos } = rule;
  const isInsufficient = rule.type === 'anomaly' && measured.baselineNanos === null;
  const conditionMet = isConditionMet(rule, measured);
  // A check on demand just after midnight can be ahead of the scheduled one, which still judges the period before.
  const isBehind = rule.type === 'budget' && (previous.open?.periodStart ?? '') > measured.window.start;
  return {
    state: isInsufficient ? 'insufficient_data' : conditionMet ? 'triggered' : 'ok',
    conditionMet,
    isBehind,
    currentNanos: rule.type === 'budget' ? measured.observedNanos : riseOver(rule, measured, conditionMet),
    thresholdNanos,
    signals: rule.enabled ? signalsOf(rule, measured, previous, { conditionMet, isBehind }) : [],
  };
}

/** Compared without division, so that no rounding decides. */
function isConditionMet({ type, thresholdNanos }: Rule, { observedNanos, baselineNanos }: Measured): boolean {
  if (type === 'budget') return observedNanos > thresholdNanos;
  if (baselineNanos === null) return false;
  const rise = observedNanos - baselineNanos;
  return rise >= leastRiseNanos && rise * 100n * nanosPerPercent > thresholdNanos * baselineNanos;
}

/** A rise that is over its threshold is never shown as equal to it. */
function riseOver({ thresholdNanos }: Rule, measured: Measured, conditionMet: boolean): bigint {
  const shown = shownRise(measured);
  return conditionMet && shown <= thresholdNanos ? thresholdNanos + 1n : shown;
}

function shownRise({ observedNanos, baselineNanos }: Measured): bigint {
  if (baselineNanos === null) return 0n;
  const rise = observedNanos - baselineNanos;
  const hundredths = divideHalfEven((rise < 0n ? -rise : rise) * 10_000n, baselineNanos);
  const shown = (rise < 0n ? -hundredths : hundredths) * nanosPerHundredth;
  return shown > highestShownRise ? highestShownRise : shown;
}

function signalsOf(
  rule: Rule,
  { window }: Measured,
  { open, toldNanos }: Previous,
  { conditionMet, isBehind }: Pick<Evaluation, 'conditionMet' | 'isBehind'>,
): Signal[] {
  // What has been told of the same days is told again only of a higher threshold.
  const isTold = toldNanos !== null && rule.thresholdNanos <= toldNanos;
  if (isBehind) return conditionMet && !isTold ? [{ kind: 'trigger', isOver: true }] : [];
  const isOfEarlierPeriod = rule.type === 'budget' && open !== null && open.periodStart < window.start;
  const signals: Signal[] = [];
  if (open && (!conditionMet || isOfEarlierPeriod)) {
    signals.push({ kind: 'resolve', reason: isOfEarlierPeriod ? 'period_ended' : 'condition_cleared' });
  }
  const isOpen = open !== null && signals.length === 0;
  if (conditionMet && !isOpen && !isTold) signals.push({ kind: 'trigger', isOver: false });
  return signals;
}
