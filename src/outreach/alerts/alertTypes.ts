import type { CostMeasure } from '../../ledger/costs/costMeasures.ts';
import { invalid } from '../../platform/lib/errors.ts';
import { toNanos } from '../../platform/lib/money.ts';
import { units } from '../../platform/lib/units.ts';
import type { Frequency, Period } from './periods.ts';
import { anomaly } from './rules/anomaly.ts';
import { budget } from './rules/budget.ts';
import type { Described } from './rules/described.schema.ts';
import {
  type AlertType,
  type CheckKind,
  type CommonRule,
  type Measured,
  type MeasuredHistory,
  type OtherMeasure,
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
  const {
    alertType,
    checkFrequency: frequency,
    scope,
    measure: of,
    thresholdNanos,
    period,
    enabled,
  } = columns;
  return alertTypes[alertType].ruleOf({ scope, measure: of, thresholdNanos, frequency, period, enabled });
}

/** False if a newer version stored a type that this version does not know. */
export function isKnown({ alertType, measure: of, scope }: Kind & Pick<RuleColumns, 'scope'>): boolean {
  const isType = Object.hasOwn(alertTypes, alertType);
  return isType && measuresOf(alertType).includes(of) && scopeTypes.includes(scope.type);
}

/** What decides on the unit and words of an alert. */
export type Kind = Pick<RuleColumns, 'alertType' | 'measure'>;

export function kindOf({ type, measure: of }: Rule): Kind {
  return { alertType: type, measure: of };
}

export function measuresOf(alertType: AlertTypeName): CostMeasure[] {
  return ['list_cost', ...(Object.keys(alertTypes[alertType].otherMeasures) as CostMeasure[])];
}

export function otherMeasureOf({ alertType, measure: of }: Kind): OtherMeasure | undefined {
  return alertTypes[alertType].otherMeasures[of];
}

export function describedOf(kind: Kind): Described {
  return { ...alertTypes[kind.alertType].described, ...otherMeasureOf(kind)?.described };
}

/** The `metric` of its events. */
export function metricOf(kind: Kind): string {
  return otherMeasureOf(kind)?.metric ?? alertTypes[kind.alertType].metric;
}

/** Not every type can watch every measure, and some measures have only some periods and scopes. */
export function requireMeasure({
  period,
  scope,
  ...kind
}: Kind & Pick<RuleColumns, 'period' | 'scope'>): void {
  const { noun } = alertTypes[kind.alertType].described;
  const known = measuresOf(kind.alertType);
  if (!known.includes(kind.measure)) throw invalid('measure', `must be ${known.join(' or ')} for ${noun}`);
  const { periods, scopeTypes: scopes } = otherMeasureOf(kind) ?? {};
  if (periods?.includes(period) === false)
    throw invalid('period', `must be ${periods.join(' or ')} with the measure ${kind.measure}`);
  if (scopes?.includes(scope.type) === false)
    throw invalid('scope.type', `must be ${scopes.join(' or ')} with the measure ${kind.measure}`);
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

export function readThreshold(amount: number, kind: Kind): bigint {
  const nanos = toNanos(amount);
  if (nanos === null) throw invalid('threshold_amount', 'must have at most nine decimals');
  requireBounds(nanos, kind);
  return nanos;
}

export function requireBounds(nanos: bigint, kind: Kind): void {
  const { noun, unit, max_threshold: most } = describedOf(kind);
  if (nanos > BigInt(most) * 1_000_000_000n) {
    throw invalid('threshold_amount', `must be at most ${most} ${units[unit].title} for ${noun}`);
  }
}
