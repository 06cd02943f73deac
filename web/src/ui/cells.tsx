import { Anchor, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Column } from './columns.ts';
import { count, longDay } from './figures.ts';
import { Money, Note, StatusBadge, When } from './text.tsx';

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

/** A value that is shown in words; – if it is null. */
export function shownColumn<Row, T extends string | number>(
  title: string,
  value: (row: Row) => T | null,
  shown: (value: T) => ReactNode,
  rest?: Rest<Row>,
): Column<Row> {
  const cell = (row: Row) => {
    const known = value(row);
    return known === null ? '–' : shown(known);
  };
  return { title, value, cell, ...rest };
}

export function textColumn<Row>(
  title: string,
  value: (row: Row) => string | null,
  rest?: Rest<Row>,
): Column<Row> {
  return shownColumn(title, value, (text) => text, rest);
}

/** The days of a chart. A click opens one. */
export function dayColumn<Row>(day: (row: Row) => string, onDay: (day: string) => void): Column<Row> {
  return shownColumn('Day (UTC)', day, (known) => (
    <Anchor component="button" type="button" size="sm" onClick={() => onDay(known)}>
      {longDay(known)}
    </Anchor>
  ));
}

/** The name of a row, with a note below it. */
export function nameColumn<Row>(
  title: string,
  name: (row: Row) => string,
  noteOf: (row: Row) => ReactNode,
  rest?: Rest<Row> & Pick<Column<Row>, 'value'>,
): Column<Row> {
  const cell = (row: Row) => {
    const note = noteOf(row);
    return (
      <>
        <Text size="sm" fw={500}>
          {name(row)}
        </Text>
        {note && <Note className="row-note">{note}</Note>}
      </>
    );
  };
  return { title, value: name, cell, ...rest };
}

export function statusColumn<Row>(status: (row: Row) => string, rest?: Rest<Row>): Column<Row> {
  const badge = (shown: string) => <StatusBadge status={shown} />;
  return shownColumn('Status', status, badge, { className: 'row-beside', ...rest });
}

export function numberColumn<Row>(
  title: string,
  value: (row: Row) => number | null,
  shown: (value: number) => ReactNode,
  rest?: Rest<Row>,
): Column<Row> {
  return shownColumn(title, value, shown, { isNumber: true, ...rest });
}

export function moneyColumn<Row>(
  title: string,
  amount: (row: Row) => number | null,
  rest?: Rest<Row>,
): Column<Row> {
  return numberColumn(title, amount, (known) => <Money amount={known} />, rest);
}

export function countColumn<Row>(title: string, value: (row: Row) => number, rest?: Rest<Row>): Column<Row> {
  return numberColumn(title, value, count, rest);
}
