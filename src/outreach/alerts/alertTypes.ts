import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import type { Frequency, Period } from './periods.ts';
import { anomaly } from './rules/anomaly.ts';
import { budget } from './rules/budget.ts';
import type { AlertType, CheckKind, CommonRule, Measured, MeasuredHistory } from './rules/rule.ts';

/** Every alert type: another one is a file beside theirs, and a line here. */
export const alertTypes = { budget, anomaly };

export type AlertTypeName = keyof typeof alertTypes;
export const alertTypeNames = Object.keys(alertTypes) as AlertTypeName[];

/** What an alert watches for, and how often. */
export type Rule = ReturnType<(typeof alertTypes)[AlertTypeName]['ruleOf']>;

/** What is particular to the type of the rule. The compiler cannot see that the two belong together. */
export function typeOf<R extends Rule>({ type }: R): AlertType<R> {
  return alertTypes[type] as unknown as AlertType<R>;
}

type RuleColumns = Omit<CommonRule, 'scope' | 'frequency'> & {
  alertType: AlertTypeName;
  checkFrequency: Frequency;
  period: Period;
};

/** The rule of an alert's row. */
export function ruleOf({ alertType, checkFrequency, thresholdNanos, period, enabled }: RuleColumns): Rule {
  const scope = { type: 'organization' } as const;
  return alertTypes[alertType].ruleOf({ scope, thresholdNanos, frequency: checkFrequency, period, enabled });
}

/** The one measurement that triggers, shares and previews are judged from. */
export function measure(rule: Rule, history: MeasuredHistory, at: Date, kind: CheckKind): Measured {
  return typeOf(rule).measure(rule, history, at, kind);
}

/** The threshold in billionths; throws where the amount is no such number or too high for the type. */
export function readThreshold(amount: number, type: AlertTypeName): bigint {
  const nanos = toNanos(amount);
  if (nanos === null) throw invalid('body.threshold_amount', 'must have at most nine decimals');
  const { noun, unit, maxThreshold } = alertTypes[type].schema;
  if (nanos > BigInt(maxThreshold) * 1_000_000_000n) {
    throw invalid('body.threshold_amount', `must be at most ${maxThreshold} ${unit} for ${noun}`);
  }
  return nanos;
}
