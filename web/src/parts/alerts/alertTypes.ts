import { axisDollars, dollars, limitDollars, sentence, withMinus } from '../../ui/figures.ts';
import type { AlertType, DescribedType } from './types.ts';

let known: readonly DescribedType[] = [];

/** They are the same for every organization. `loadAlertTypes` sets them before anything shows an alert. */
export function setAlertTypes(types: readonly DescribedType[]): void {
  known = types;
}

export function alertTypes(): readonly DescribedType[] {
  return known;
}

export function alertType(name: AlertType): DescribedType {
  return known.find(({ type }) => type === name) ?? { ...unknown, type: name, ...namesOf(name) };
}

/** Words that fit any type. A page that was opened before an update meets types that it does not know. */
const unknown: Omit<DescribedType, 'type' | 'title' | 'names'> = {
  noun: 'an alert',
  about: '',
  condition: 'its condition holds',
  unit: 'none' as DescribedType['unit'],
  unit_title: 'its unit',
  unit_prefix: '',
  unit_suffix: '',
  max_threshold: 1_000_000_000,
  exceeds: 'over',
  value_title: 'Value',
  within: 'Its condition does not hold.',
  over: 'Its condition holds.',
  over_state: 'over threshold',
  pending: 'not checked yet',
  baseline_title: 'Before',
  baseline_days: 'the days before',
  compared_with: null,
  by_period: false,
};

function namesOf(type: string) {
  const title = sentence(type.replaceAll('_', ' '));
  return { title, names: { day: title, week: title, month: title } };
}

type Unit = {
  threshold: (amount: number) => string;
  /** Rounded. */
  value: (value: number) => string;
  onAxis: (value: number) => string;
};

const money: Unit = { threshold: limitDollars, value: dollars, onAxis: axisDollars };
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });
const rounded = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, signDisplay: 'negative' });

/** How amounts of a type are written: money as everywhere, others as the server says. */
export function unitOf({ unit, unit_prefix: prefix, unit_suffix: suffix }: DescribedType): Unit {
  if (unit === 'usd') return money;
  const by = (format: Intl.NumberFormat) => (value: number) =>
    withMinus(`${prefix}${format.format(value)}${suffix}`);
  return { threshold: by(exact), value: by(rounded), onAxis: by(exact) };
}
