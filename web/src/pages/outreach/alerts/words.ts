import { alertType, unitOf } from '../../../parts/alerts/alertTypes.ts';
import type {
  Frequency,
  Kind,
  ListedAlert,
  Period,
  Preview,
  Rule,
  Scope,
  ScopeType,
  Trigger,
} from '../../../parts/alerts/types.ts';
import { scopeInWords } from '../../../parts/alerts/words.ts';
import { countOf, leftOutInWords, sentence } from '../../../ui/figures.ts';

const checked: Record<Frequency, string> = {
  daily: 'every day',
  weekly: 'on Mondays',
  monthly: 'on the 1st of the month',
};
const ends: Record<string, string> = {
  condition_cleared: 'no longer over the threshold',
  team_removed: 'no ownership rule names the team any more',
  period_ended: 'the period ended',
  alert_changed: 'the alert was changed',
  alert_disabled: 'the alert was turned off',
  alert_deleted: 'the alert was deleted',
};

export function valueInWords(kind: Kind, value: number): string {
  const described = alertType(kind);
  const { value: textOf } = unitOf(described);
  const text = textOf(value);
  return described.compared_with && value > 0 && text !== textOf(0) ? `+${text}` : text;
}

const maxNamed = 5;

export const recipientInWords = ({ to, channel_id: channel }: ListedAlert['reaches'][number]): string =>
  channel === null ? to : `channel “${to}”`;

export function reachInWords(reaches: ListedAlert['reaches']): string {
  const [named, left] = [reaches.slice(0, maxNamed).map(recipientInWords), reaches.length - maxNamed];
  if (named.length === 0) return 'Nobody is notified.';
  return `Notifies ${lists.format(left > 0 ? [...named, `${left} more`] : named)}.`;
}

const lists = new Intl.ListFormat('en-US');

export const checkedPeriods: Record<Frequency, Period> = { daily: 'day', weekly: 'week', monthly: 'month' };

/** Used on its own. Names of repositories and workflows keep their case. */
export function watchedInWords(scope: Scope): string {
  const words = scopeInWords(scope) ?? 'whole organization';
  return ['repository', 'workflow'].includes(scope.type) ? words : sentence(words);
}

/** What one value of the preview covers. */
const comparedPeriodOf = (rule: Kind & Pick<Rule, 'period' | 'check_frequency'>): Period =>
  alertType(rule).by_period ? rule.period : checkedPeriods[rule.check_frequency];

const neededHistory: Record<Period, string> = {
  day: '7 days',
  week: '4 whole weeks',
  month: '2 whole months',
};

export function noSuggestionInWords(rule: Kind & Pick<Rule, 'period' | 'check_frequency'>): string {
  return `A suggestion needs ${neededHistory[comparedPeriodOf(rule)]} of costs within these 90 days.`;
}

export function suggestionInWords(
  rule: Kind & Pick<Rule, 'period' | 'check_frequency'>,
  suggestion: NonNullable<Preview['suggestion']>,
): string {
  const { highest_usual, outliers, raised_for_current_period } = suggestion;
  const normal = comparedPeriodOf(rule);
  const when = normal === 'day' ? 'on a normal day' : `in a normal ${normal}`;
  const highest = `the highest was ${valueInWords(rule, highest_usual)}`;
  const without = outliers === 0 ? '' : `, without ${countOf(outliers, 'outlier')}`;
  const raised = raised_for_current_period
    ? ` The suggestion is higher because this ${normal} is heading above that.`
    : '';
  const leftOut = suggestion.left_out_days.length === 0 ? '' : ` ${leftOutInWords(suggestion.left_out_days)}`;
  const exceeded = suggestion.exceeded_in_current_period
    ? ` This ${normal} already exceeds it, so the alert triggers at once.`
    : '';
  return `It wouldn’t have triggered ${when}: ${highest}${without}.${raised}${leftOut}${exceeded}`;
}

export function checkedInWords(frequency: Frequency): string {
  return checked[frequency];
}

/** Why a rise is normal, such as ` as at each month end`; empty for the usual baseline. */
export function recurrenceInWords({
  recurs,
  period,
}: Pick<Preview['series'][number], 'recurs' | 'period'>): string {
  if (recurs === null) return '';
  return recurs === 'month_end'
    ? ' as at each month end'
    : ` as on day ${Number(period.end.slice(8))} of each month`;
}

export function stateOf({ enabled, state }: Pick<ListedAlert, 'enabled' | 'state'>): string {
  if (!enabled) return 'off';
  return { ok: 'OK', insufficient_data: 'not enough history' }[state as string] ?? state;
}

export function resolutionInWords(resolution: string): string {
  return ends[resolution] ?? resolution.replaceAll('_', ' ');
}

/** Whether any message of a trigger was delivered. Its recipients are not stored, and today's settings can differ. */
export function deliveryInWords({ notified }: Pick<Trigger, 'notified'>): string {
  return notified ? 'delivered' : 'not delivered';
}

/** The percentages of a budget that its spend has reached in the current period; null if there are none. */
export function reachedInWords(shares: ListedAlert['reached_shares']): string | null {
  const listOf = (isBefore: boolean) =>
    shares
      .filter(({ reached_before }) => reached_before === isBefore)
      .map(({ percentage }) => `${percentage}%`)
      .join(', ');
  const [before, since] = [listOf(true), listOf(false)];
  const parts = [before && `${before} before it was created, changed or turned on`, since];
  return parts.filter(Boolean).join('; ') || null;
}

/** A check at midnight counts the day before. */
export function lastDayBefore(at: string): string {
  return new Date(new Date(at).getTime() - 1).toISOString().slice(0, 10);
}

export const periodChoices: { value: Period; label: string }[] = [
  { value: 'day', label: 'Day' },
  { value: 'week', label: 'Week, from Monday' },
  { value: 'month', label: 'Calendar month' },
];
export const scopeChoices: { value: ScopeType; label: string }[] = [
  { value: 'organization', label: 'Whole organization' },
  { value: 'repository', label: 'Repository' },
  { value: 'workflow', label: 'Workflow' },
  { value: 'branch', label: 'Branch' },
  { value: 'team', label: 'Team' },
  { value: 'cost_center', label: 'Cost center' },
  { value: 'actor_kind', label: 'Kind of actor' },
];
export const frequencyChoices: { value: Frequency; label: string }[] = [
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Every Monday' },
  { value: 'monthly', label: 'On the 1st of each month' },
];
