import type { AlertSettings, AlertType, Frequency, OneAlert, Period } from './types.ts';

export type AlertFields = Omit<AlertSettings, 'threshold_amount'> & { threshold_amount: number | string };

export const fieldNames = [
  'name',
  'alert_type',
  'threshold_amount',
  'check_frequency',
  'period',
  'notify_email',
  'enabled',
];

export function newFields(params: URLSearchParams): AlertFields {
  const oneOf = <T extends string>(name: string, choices: readonly T[], otherwise: T): T =>
    choices.find((choice) => choice === params.get(name)) ?? otherwise;
  const threshold = Number(params.get('threshold_amount'));
  return {
    name: params.get('name') ?? '',
    alert_type: oneOf<AlertType>('alert_type', ['budget', 'anomaly'], 'budget'),
    threshold_amount: threshold > 0 && Number.isFinite(threshold) ? threshold : '',
    check_frequency: oneOf<Frequency>('check_frequency', ['daily', 'weekly', 'monthly'], 'daily'),
    period: oneOf<Period>('period', ['day', 'week', 'month'], 'month'),
    notify_email: true,
    enabled: true,
  };
}

export function fieldsOf(alert: OneAlert): AlertFields {
  const { name, alert_type, threshold_amount, check_frequency, period, notify_email, enabled } = alert;
  return { name, alert_type, threshold_amount, check_frequency, period, notify_email, enabled };
}

/** The settings that differ from the saved ones. A new type always comes with its threshold, whose unit changes too. */
export function changedSettings(saved: AlertFields, settings: AlertSettings): Partial<AlertSettings> {
  const hasOtherType = settings.alert_type !== saved.alert_type;
  return Object.fromEntries(
    Object.entries(settings).filter(
      ([field, value]) =>
        value !== saved[field as keyof AlertFields] || (field === 'threshold_amount' && hasOtherType),
    ),
  );
}

const highest = {
  budget: { amount: 1_000_000_000, words: '$1,000,000,000' },
  anomaly: { amount: 1_000_000, words: '1,000,000%' },
};

export function thresholdError(fields: Pick<AlertFields, 'threshold_amount' | 'alert_type'>): string | null {
  const threshold = thresholdOf(fields);
  if (threshold === null) return 'Enter a number above zero.';
  const { amount, words } = highest[fields.alert_type];
  return threshold > amount ? `Enter at most ${words}.` : null;
}

/** Null if no number above zero has been typed. */
export function thresholdOf({ threshold_amount }: Pick<AlertFields, 'threshold_amount'>): number | null {
  const threshold = threshold_amount === '' ? Number.NaN : Number(threshold_amount);
  return threshold > 0 && Number.isFinite(threshold) ? threshold : null;
}
