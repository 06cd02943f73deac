import type { Column } from '../operations.ts';
import { signedDollars } from '../platform/lib/amountTexts.ts';
import { formatCount, printTable } from './output.ts';
import type { Answer } from './session.ts';
import { cellOf, nanosOf } from './tables.ts';

/** A column of a table of groups: its heading, and the cell of a group or of the total. */
export type Figure = readonly [heading: string, cell: (figures: Answer) => string];

type Groups = { group_by: string[]; groups: Answer[]; other?: Answer; total: Answer };

/** A row for each group, one for those beyond the limit, and the total. */
export function printGroups(
  { group_by: names, groups, other, total }: Groups,
  figures: readonly Figure[],
): void {
  const named = (text: string) => names.map((_, index) => (index === 0 ? text : ''));
  const rows: [string[], Answer][] = groups.map((group) => [
    group.by.map(({ name }: { name: string }) => name),
    group,
  ]);
  if (other)
    rows.push([named(`${formatCount(other.groups)} ${other.groups === 1 ? 'other' : 'others'}`), other]);
  rows.push([named('total'), total]);
  printTable(
    [...names.map(headingOf), ...figures.map(([heading]) => heading)],
    rows.map(([texts, each]) => [...texts, ...figures.map(([, cell]) => cell(each))]),
  );
}

export function headingOf(name: string): string {
  return name.replaceAll('_', ' ').toUpperCase();
}

export const percentText = (percent: number): string => `${percent.toFixed(1)}%`;

/** The share of a group, or of the total, which has none. */
export function percentFigure(amount: string): Figure {
  return ['SHARE', (each) => percentText(each.share_percent ?? (Number(each[amount]) === 0 ? 0 : 100))];
}

export const figure = (heading: string, field: string, kind: Column['kind']): Figure => [
  heading,
  (each) => cellOf(each[field], kind),
];

export function signedUsdFigure(heading: string, field: string): Figure {
  return [heading, (each) => signedDollars(nanosOf(each[field]))];
}

export const countFigure = (heading: string, field: string): Figure => [
  heading,
  (each) => (each[field] === null ? '-' : formatCount(Math.round(each[field]))),
];

/** `new` if there was nothing before. */
export const changePercentFigure: Figure = [
  '%',
  ({ change, change_percent: percent }) => {
    const nanos = nanosOf(change);
    if (nanos === 0n) return '0.0%';
    return percent === null ? 'new' : `${nanos > 0n ? '+' : '−'}${percentText(Math.abs(percent))}`;
  },
];

export function periodText({ period, previous_period: previous }: Answer): string {
  const compared = previous ? `, compared with ${previous.start} to ${previous.end}` : '';
  return `${period.start} to ${period.end}${compared}.`;
}
