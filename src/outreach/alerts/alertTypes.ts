import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import { units } from '../../platform/lib/units.ts';
import type { Frequency, Period } from './periods.ts';
import { anomaly } from './rules/anomaly.ts';
import { budget } from './rules/budget.ts';
import {
  type AlertType,
  type CheckKind,
  type CommonRule,
  type Measured,
  type MeasuredHistory,
} from './rules/rule.ts';
import { scopeTypes } from './scope.ts';

export const alertTypes = { budget, anomaly };

export type AlertTypeName = keyof typeof alertTypes;
export const alertTypeNames = Object.keys(alertTypes) as AlertTypeName[];

export type Rule = ReturnType<(typeof alertTypes)[AlertTypeName]['ruleOf']>;

/** The compiler cannot see that the rule and its type match. */
export function typeOf<R extends Rule>({ type }: R): AlertType<R> {
  return alertTypes[type] as unknown as AlertType<R>;
}

type RuleColumns = Omit<CommonRule, 'frequency'> & {
  alertType: AlertTypeName;
  checkFrequency: Frequency;
  period: Period;
};

export function ruleOf(columns: RuleColumns): Rule {
  const { alertType, scope, checkFrequency, thresholdNanos, period, enabled } = columns;
  return alertTypes[alertType].ruleOf({ scope, thresholdNanos, frequency: checkFrequency, period, enabled });
}

/** False if a newer version stored a type that this version does not know. */
export function isKnown({ alertType, scope }: Pick<RuleColumns, 'alertType' | 'scope'>): boolean {
  return Object.hasOwn(alertTypes, alertType) && scopeTypes.includes(scope.type);
}

/** Of the types that add up a calendar period, like a budget, or false of an unknown type. */
export function isByPeriod({ alertType }: Pick<RuleColumns, 'alertType'>): boolean {
  return namesOf(({ isByPeriod: is }) => is).includes(alertType);
}

export function namesOf(isWanted: (type: (typeof alertTypes)[AlertTypeName]) => boolean): AlertTypeName[] {
  return alertTypeNames.filter((name) => isWanted(alertTypes[name]));
}

export function measure(rule: Rule, history: MeasuredHistory, at: Date, kind: CheckKind): Measured {
  return typeOf(rule).measure(rule, history, at, kind);
}

export function readThreshold(amount: number, type: AlertTypeName): bigint {
  const nanos = toNanos(amount);
  if (nanos === null) throw invalid('threshold_amount', 'must have at most nine decimals');
  requireBounds(nanos, type);
  return nanos;
}

export function requireBounds(nanos: bigint, type: AlertTypeName): void {
  const { noun, unit, max_threshold: most } = alertTypes[type].described;
  if (nanos > BigInt(most) * 1_000_000_000n) {
    throw invalid('threshold_amount', `must be at most ${most} ${units[unit].title} for ${noun}`);
  }
}
