import { alertType, alertTypes, unitOf } from '../../../parts/alerts/alertTypes.ts';
import type {
  AlertSettings,
  AlertType,
  Frequency,
  Kind,
  Measure,
  OneAlert,
  Period,
  Scope,
  ScopeType,
} from '../../../parts/alerts/types.ts';
import { ruleInWords, scopeInWords, scopeWord } from '../../../parts/alerts/words.ts';
import { changesOf, wordsIn } from '../../../ui/typed.ts';
import { checkedInWords, checkedPeriods, scopeChoices } from './words.ts';

/** `recipients` is text as typed: addresses separated by commas or spaces. */
export type AlertFields = Omit<AlertSettings, 'threshold_amount' | 'recipients'> & {
  threshold_amount: number | string;
  recipients: string;
};

const scopeTypes = scopeChoices.map(({ value }) => value);

export function newFields(params: URLSearchParams): AlertFields {
  const oneOf = <T extends string>(name: string, choices: readonly T[], otherwise: T): T =>
    choices.find((choice) => choice === params.get(name)) ?? otherwise;
  const threshold = Number(params.get('threshold_amount'));
  const types = alertTypes().map(({ type }) => type);
  const type = oneOf<AlertType>('alert_type', types, types[0]!);
  return {
    name: params.get('name') ?? '',
    alert_type: type,
    measure: oneOf<Measure>(
      'measure',
      measuresOf(type).map(({ measure }) => measure),
      'list_cost',
    ),
    scope: scopeIn(params, oneOf<ScopeType>('scope_type', scopeTypes, 'organization')),
    threshold_amount: threshold > 0 && Number.isFinite(threshold) ? threshold : '',
    check_frequency: oneOf<Frequency>('check_frequency', ['daily', 'weekly', 'monthly'], 'daily'),
    period: oneOf<Period>('period', ['day', 'week', 'month'], 'month'),
    notify_email: true,
    recipients: '',
    notify_chat: true,
    channel_ids: [],
    enabled: true,
  };
}

export function measuresOf(type: AlertType) {
  return alertTypes().find((each) => each.type === type)?.measures ?? [];
}

/** The periods and scopes that what it watches is limited to. */
export function limitsOf({ alert_type: type, measure }: Kind) {
  return measuresOf(type).find((each) => each.measure === measure);
}

/** A threshold of another kind is meaningless, so it is cleared. What the kind does not have becomes its default. */
export function ofKind(
  { scope, period }: Pick<AlertFields, 'scope' | 'period'>,
  { alert_type, measure }: Pick<AlertFields, 'alert_type' | 'measure'>,
): Partial<AlertFields> {
  const { periods = [period], scope_types = [scope.type] } = limitsOf({ alert_type, measure }) ?? {};
  return {
    alert_type,
    measure,
    threshold_amount: '',
    period: periods.includes(period) ? period : periods[0]!,
    scope: scope_types.includes(scope.type) ? scope : { type: 'organization' },
  };
}

function scopeIn(params: URLSearchParams, type: ScopeType): Scope {
  return type === 'organization' ? { type } : { type, value: params.get('scope_value') ?? '' };
}

/** What the form changes of an alert. */
export function fieldsOf(alert: OneAlert): AlertFields {
  const names = Object.keys(newFields(new URLSearchParams())) as (keyof AlertFields)[];
  const saved = Object.fromEntries(names.map((name) => [name, alert[name]])) as AlertSettings;
  return { ...saved, recipients: alert.recipients.join(', ') };
}

/** For example `Monthly budget: acme/api`, until someone types another name. */
export function suggestedName(fields: AlertFields): string {
  const scope = scopeOf(fields);
  const what = scope.type === 'workflow' || scope.value === '' ? null : scopeInWords(scope);
  const { by_period, names } = alertType(fields);
  const kind = names[by_period ? fields.period : checkedPeriods[fields.check_frequency]];
  return what === null ? kind : `${kind}: ${what}`.slice(0, 255);
}

export function settingsOf(fields: AlertFields, threshold: number): AlertSettings {
  const recipients = wordsIn(fields.recipients);
  return { ...fields, threshold_amount: threshold, recipients, scope: scopeOf(fields) };
}

function scopeOf({ scope: { type, value = '', repository = '' } }: AlertFields): Scope {
  if (type === 'organization') return { type };
  const trimmed = repository.trim();
  return { type, value: value.trim(), ...(trimmed === '' ? {} : { repository: trimmed }) };
}

export function scopeError({ scope: { type, value = '' } }: Pick<AlertFields, 'scope'>): string | null {
  return type === 'organization' || value.trim() !== '' ? null : `Enter a ${scopeWord(type)}.`;
}

/** The settings that differ from the saved ones. A new type or measure includes its threshold, whose unit can change. */
export function changedSettings(saved: AlertFields, settings: AlertSettings): Partial<AlertSettings> {
  const changes = changesOf(settingsOf(saved, Number(saved.threshold_amount)), settings);
  const { threshold_amount } = settings;
  const isSame = changes.alert_type === undefined && changes.measure === undefined;
  return isSame ? changes : { ...changes, threshold_amount };
}

export function thresholdError(fields: Kind & Pick<AlertFields, 'threshold_amount'>): string | null {
  const threshold = thresholdOf(fields);
  if (threshold === null) return 'Enter a number above zero.';
  const type = alertType(fields);
  const { max_threshold: most } = type;
  return threshold > most ? `Enter at most ${unitOf(type).threshold(most)}.` : null;
}

/** Null if no number above zero has been typed. */
export function thresholdOf({ threshold_amount }: Pick<AlertFields, 'threshold_amount'>): number | null {
  const threshold = threshold_amount === '' ? Number.NaN : Number(threshold_amount);
  return threshold > 0 && Number.isFinite(threshold) ? threshold : null;
}

export function alertInWords(fields: AlertFields): string {
  const threshold = thresholdOf(fields);
  if (scopeError(fields) !== null) return 'Choose what to watch.';
  if (threshold === null) return 'Enter a threshold.';
  const rule = ruleInWords({ ...fields, threshold_amount: threshold });
  const what = scopeInWords(scopeOf(fields)) ?? 'all CI';
  return `Triggers when ${alertType(fields).subject} ${what} is ${rule}. Checked ${checkedInWords(fields.check_frequency)}.`;
}

/** The next midnight, Monday or first of the month, in UTC. */
export function nextCheck(frequency: Frequency, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (frequency === 'monthly') return new Date(Date.UTC(year, month + 1, 1));
  const days = frequency === 'daily' ? 1 : 7 - ((now.getUTCDay() + 6) % 7);
  return new Date(Date.UTC(year, month, day + days));
}
