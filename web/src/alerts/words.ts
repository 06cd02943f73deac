import type { Standing } from './budgets.ts';
import type { AlertType, Frequency, ListedAlert, Rule, Scope } from './types.ts';

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
    ? `over ${threshold} per ${rule.period}`
    : `up more than ${threshold} vs ${comparedWith[rule.check_frequency]}`;
}

/** Null for the whole organization. */
export function scopeInWords({ type, value = '', repository, name }: Scope): string | null {
  if (type === 'organization') return null;
  if (type === 'branch') return `branch ${value}${repository ? ` of ${repository}` : ''}`;
  return type === 'team' ? `team ${value}` : (name ?? value);
}

export function comparedInWords(frequency: Frequency): string {
  return comparedWith[frequency];
}

/** Of an alert of any type, if that is null. An anomaly that is over has not triggered before it is checked. */
export function standingInWords(
  standing: Standing,
  alert: Pick<ListedAlert, 'alert_type' | 'state'> | null,
): string {
  if (alert === null) return { ...standingWords, unknown: 'without enough history' }[standing];
  if (standing !== 'over') return standingWords[standing];
  if (alert.alert_type === 'budget') return 'over budget';
  return alert.state === 'triggered' ? 'triggered' : 'over threshold';
}
