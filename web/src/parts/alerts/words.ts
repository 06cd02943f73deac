import { calendar } from '../../api/calendar.ts';
import { alertType, unitOf } from './alertTypes.ts';
import type { Standing } from './budgets.ts';
import type { Kind, ListedAlert, Period, Rule, Scope } from './types.ts';

const standingWords: Record<Standing, string> = {
  over: 'over',
  close: 'close',
  silent: 'no recipients',
  fine: 'OK',
  unknown: 'not enough history',
  off: 'off',
};

export function thresholdInWords(kind: Kind, amount: number): string {
  return unitOf(alertType(kind)).threshold(amount);
}

export function ruleInWords(rule: Rule): string {
  const threshold = thresholdInWords(rule, rule.threshold_amount);
  return `${alertType(rule).exceeds} ${threshold} ${spanInWords(rule)}`.trimEnd();
}

/** For example `per month`, or `vs the same weekday`. */
export function spanInWords(rule: Kind & Pick<Rule, 'period' | 'check_frequency'>): string {
  const { compared_with: comparedWith, by_period } = alertType(rule);
  if (comparedWith) return `vs ${comparedWith[rule.check_frequency].short}`;
  return by_period ? `per ${budgetPeriod(rule.period)}` : '';
}

/** Weeks of budgets begin on Monday, also where other weeks begin on Sunday. */
function budgetPeriod(period: Period): string {
  return period === 'week' && calendar().week_start === 'sunday' ? 'week from Monday' : period;
}

export function scopeWord(type: Scope['type']): string {
  return type.replace('_', ' ');
}

/** Null means the whole organization. */
export function scopeInWords({ type, value = '', repository, name }: Scope): string | null {
  if (type === 'organization') return null;
  if (type === 'branch') return `branch ${value}${repository ? ` of ${repository}` : ''}`;
  const isNamed = type === 'team' || type === 'cost_center' || type === 'actor_kind';
  return isNamed ? `${scopeWord(type)} ${value}` : (name ?? value);
}

/**
 * If `alert` is null, the words fit alerts of any type. An anomaly over its threshold has not triggered before its next
 * check.
 */
export function standingInWords(
  standing: Standing,
  alert: (Kind & Pick<ListedAlert, 'state'>) | null,
): string {
  if (alert === null)
    return { ...standingWords, silent: 'without recipients', unknown: 'without enough history' }[standing];
  if (standing !== 'over') return standingWords[standing];
  const { by_period, over_state } = alertType(alert);
  return alert.state === 'triggered' && !by_period ? 'triggered' : over_state;
}
