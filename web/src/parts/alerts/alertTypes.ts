import {
  axisDollars,
  dollars,
  forecastDollars,
  limitDollars,
  roughDollars,
  sentence,
  withMinus,
} from '../../ui/figures.ts';
import type { DescribedType, Kind } from './types.ts';

let known: readonly DescribedType[] = [];

/** They are the same for every organization. `loadAlertTypes` sets them before anything shows an alert. */
export function setAlertTypes(types: readonly DescribedType[]): void {
  known = types;
}

export function alertTypes(): readonly DescribedType[] {
  return known;
}

export function alertType({ alert_type: name, measure }: Kind): DescribedType {
  const type = known.find((each) => each.type === name);
  if (!type) return { ...unknown, type: name, ...namesOf(name) };
  return { ...type, ...type.measures.find((each) => each.measure === measure) };
}

/** Words that fit any type. A page that was opened before an update meets types that it does not know. */
const unknown: Omit<DescribedType, 'type' | 'title' | 'names'> = {
  noun: 'an alert',
  about: '',
  condition: 'its condition holds',
  unit: 'none' as DescribedType['unit'],
  observed_unit: 'usd',
  unit_title: 'its unit',
  unit_prefix: '',
  unit_suffix: '',
  max_threshold: 1_000_000_000,
  exceeds: 'over',
  value_title: 'Value',
  subject: 'the value of',
  in_short: 'values',
  has_forecast: false,
  within: 'Its condition does not hold.',
  over: 'Its condition holds.',
  over_state: 'over threshold',
  pending: 'not checked yet',
  baseline_title: 'Before',
  baseline_days: 'the days before',
  compared_with: null,
  by_period: false,
  measures: [],
};

function namesOf(type: string) {
  const title = sentence(type.replaceAll('_', ' '));
  return { title, names: { day: title, week: title, month: title } };
}

export type Unit = {
  threshold: (amount: number) => string;
  /** Rounded. */
  value: (value: number) => string;
  onAxis: (value: number) => string;
  /** A forecast that is rounded already, and one that is not. */
  forecast: (rounded: number) => string;
  rough: (value: number) => string;
  /** A part of such an amount in percent would read as the amount. */
  isPercent: boolean;
};

export const money: Unit = {
  threshold: limitDollars,
  value: dollars,
  onAxis: axisDollars,
  forecast: forecastDollars,
  rough: roughDollars,
  isPercent: false,
};
const exact = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });
const rounded = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, signDisplay: 'negative' });

/** How amounts of a type are written: money as everywhere, others as the server says. */
export function unitOf({ unit, unit_prefix: prefix, unit_suffix: suffix }: DescribedType): Unit {
  if (unit === 'usd') return money;
  const by = (format: Intl.NumberFormat) => (value: number) =>
    withMinus(`${prefix}${format.format(value)}${suffix}`);
  const [value, threshold] = [by(rounded), by(exact)];
  return {
    threshold,
    value,
    onAxis: threshold,
    forecast: value,
    rough: value,
    isPercent: unit === 'percent',
  };
}

/** How what an alert has counted is written: an anomaly counts dollars, and its value is in percent. */
export function observedUnitOf(described: DescribedType): Unit {
  return described.observed_unit === described.unit ? unitOf(described) : money;
}
