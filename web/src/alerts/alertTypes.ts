import { axisDollars, count, dollars, withMinus } from '../ui/figures.ts';
import type { AlertType, DescribedType } from './types.ts';

let known: readonly DescribedType[] = [];

/** They are the same for every organization. `loadAlertTypes` sets them before anything shows an alert. */
export function setAlertTypes(types: readonly DescribedType[]): void {
  known = types;
}

export function alertTypes(): readonly DescribedType[] {
  return known;
}

/** An alert can have a type of a later version, which this server does not know. */
export function alertType(name: AlertType): DescribedType {
  return known.find(({ type }) => type === name) ?? { ...known[0]!, type: name, title: name };
}

type Unit = {
  prefix?: string;
  suffix?: string;
  threshold: (amount: number) => string;
  /** Rounded. */
  value: (value: number) => string;
  onAxis: (value: number) => string;
};

const exactDollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 9,
  trailingZeroDisplay: 'stripIfInteger',
});
const exactPercents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 });
const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1, signDisplay: 'negative' });

export const units: Record<DescribedType['unit'], Unit> = {
  usd: {
    prefix: '$',
    threshold: (amount) => exactDollars.format(amount),
    value: dollars,
    onAxis: axisDollars,
  },
  percent: {
    suffix: '%',
    threshold: (amount) => `${exactPercents.format(amount)}%`,
    value: (value) => withMinus(`${percents.format(value)}%`),
    onAxis: (value) => withMinus(`${count(value)}%`),
  },
};
