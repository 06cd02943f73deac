import { calendar } from '../api/calendar.ts';
import type { Standing } from './budgets.ts';
import type { AlertType, Frequency, ListedAlert, Period, Rule, Scope } from './types.ts';

const amounts = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 9,
  trailingZeroDisplay: 'stripIfInteger',
});
const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });

const comparedWith: Record<Frequency, string> = {
  daily: 'the same weekday',
  weekly: 'a normal week',
  monthly: 'a normal 30 days',
};

const standingWords: Record<Standing, string> = {
  over: 'over',
  close: 'close',
  fine: 'OK',
  unknown: 'not enough history',
  off: 'off',
};

export function thresholdInWords(type: AlertType, amount: number): string {
  return type === 'budget' ? amounts.format(amount) : `${percents.format(amount)}%`;
}

export function ruleInWords(rule: Rule): string {
  const threshold = thresholdInWords(rule.alert_type, rule.threshold_amount);
  return rule.alert_type === 'budget'
    ? `over ${threshold} per ${budgetPeriod(rule.period)}`
    : `up more than ${threshold} vs ${comparedWith[rule.check_frequency]}`;
}

/** Weeks of budgets begin on Monday, also where other weeks begin on Sunday. */
export function budgetPeriod(period: Period): string {
  return period === 'week' && calendar().week_start === 'sunday' ? 'week from Monday' : period;
}

/** Null means the whole organization. */
export function scopeInWords({ type, value = '', repository, name }: Scope): string | null {
  if (type === 'organization') return null;
  if (type === 'branch') return `branch ${value}${repository ? ` of ${repository}` : ''}`;
  return type === 'team' ? `team ${value}` : (name ?? value);
}

export function comparedInWords(frequency: Frequency): string {
  return comparedWith[frequency];
}

/**
 * If `alert` is null, the words fit alerts of any type. An anomaly over its threshold has not triggered before its next
 * check.
 */
export function standingInWords(
  standing: Standing,
  alert: Pick<ListedAlert, 'alert_type' | 'state'> | null,
): string {
  if (alert === null) return { ...standingWords, unknown: 'without enough history' }[standing];
  if (standing !== 'over') return standingWords[standing];
  if (alert.alert_type === 'budget') return 'over budget';
  return alert.state === 'triggered' ? 'triggered' : 'over threshold';
}
