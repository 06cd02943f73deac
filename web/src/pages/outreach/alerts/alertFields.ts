import { alertType, alertTypes, unitOf } from '../../../parts/alerts/alertTypes.ts';
import type {
  AlertSettings,
  AlertType,
  Frequency,
  OneAlert,
  Period,
  Scope,
  ScopeType,
} from '../../../parts/alerts/types.ts';
import { ruleInWords, scopeInWords } from '../../../parts/alerts/words.ts';
import { countOf } from '../../../ui/figures.ts';
import { changesOf, wordsIn } from '../../../ui/typed.ts';
import { checkedInWords, checkedPeriods } from './words.ts';

/** `recipients` is text as typed: addresses separated by commas or spaces. */
export type AlertFields = Omit<AlertSettings, 'threshold_amount' | 'recipients'> & {
  threshold_amount: number | string;
  recipients: string;
};

const scopeTypes: ScopeType[] = ['organization', 'repository', 'workflow', 'branch', 'team'];

export function newFields(params: URLSearchParams): AlertFields {
  const oneOf = <T extends string>(name: string, choices: readonly T[], otherwise: T): T =>
    choices.find((choice) => choice === params.get(name)) ?? otherwise;
  const threshold = Number(params.get('threshold_amount'));
  const types = alertTypes().map(({ type }) => type);
  return {
    name: params.get('name') ?? '',
    alert_type: oneOf<AlertType>('alert_type', types, types[0]!),
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
  const { by_period, names } = alertType(fields.alert_type);
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
  return type === 'organization' || value.trim() !== '' ? null : `Enter a ${type}.`;
}

/** The settings that differ from the saved ones. A new type includes its threshold, whose unit changes too. */
export function changedSettings(saved: AlertFields, settings: AlertSettings): Partial<AlertSettings> {
  const changes = changesOf(settingsOf(saved, Number(saved.threshold_amount)), settings);
  const { threshold_amount } = settings;
  return changes.alert_type === undefined ? changes : { ...changes, threshold_amount };
}

export function thresholdError(fields: Pick<AlertFields, 'threshold_amount' | 'alert_type'>): string | null {
  const threshold = thresholdOf(fields);
  if (threshold === null) return 'Enter a number above zero.';
  const type = alertType(fields.alert_type);
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
  const {
    notify_email: byEmail,
    notify_chat: inChat,
    recipients,
    channel_ids,
  } = settingsOf(fields, threshold);
  const people = recipients.length === 0 ? 'owners and admins' : countOf(recipients.length, 'recipient');
  const channels =
    channel_ids.length > 0 ? countOf(channel_ids.length, 'channel') : inChat && 'the default channel';
  const ways = [byEmail && `emails ${people}`, channels && `notifies ${channels}`].filter(Boolean);
  const rule = ruleInWords({ ...fields, threshold_amount: threshold });
  const what = scopeInWords(scopeOf(fields)) ?? 'all CI';
  return [
    `Triggers when the cost of ${what} is ${rule}.`,
    `Checked ${checkedInWords(fields.check_frequency)}.`,
    ways.length === 0 ? 'Nobody is notified.' : `Then it ${ways.join(' and ')}.`,
  ].join(' ');
}

/** The next midnight, Monday or first of the month, in UTC. */
export function nextCheck(frequency: Frequency, now: Date): Date {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  if (frequency === 'monthly') return new Date(Date.UTC(year, month + 1, 1));
  const days = frequency === 'daily' ? 1 : 7 - ((now.getUTCDay() + 6) % 7);
  return new Date(Date.UTC(year, month, day + days));
}
