import type { Column } from './columns.ts';
import { count } from './figures.ts';
import { Money } from './Money.tsx';
import { When } from './When.tsx';

type Rest<Row> = Partial<Omit<Column<Row>, 'title' | 'value' | 'cell'>>;

type TimeRest<Row> = Rest<Row> & {
  /** Shown if there is no time. */
  none?: string;
  look?: { full?: boolean; isRough?: boolean; isNext?: boolean; inRow?: boolean };
};

export function timeColumn<Row>(
  title: string,
  at: (row: Row) => string | null,
  { none = '–', look, ...rest }: TimeRest<Row> = {},
): Column<Row> {
  const cell = (row: Row) => {
    const time = at(row);
    return time === null ? none : <When at={time} {...look} />;
  };
  return { title, value: at, cell, ...rest };
}

export function moneyColumn<Row>(title: string, amount: (row: Row) => number, rest?: Rest<Row>): Column<Row> {
  return { title, isNumber: true, value: amount, cell: (row) => <Money amount={amount(row)} />, ...rest };
}

export function countColumn<Row>(title: string, value: (row: Row) => number, rest?: Rest<Row>): Column<Row> {
  return { title, isNumber: true, value, cell: (row) => count(value(row)), ...rest };
}
