import type { ReactNode } from 'react';

export type Value = string | number | null;

export type Column<Row> = {
  title: string;
  cell: (row: Row) => ReactNode;
  /** The value to sort by; null sorts last. */
  value?: (row: Row) => Value;
  /** The name of its order if it differs from the title. */
  sort?: string;
  /** Its text in a CSV; by default the value. Null leaves the column out. */
  csv?: ((row: Row) => string) | null;
  isNumber?: boolean;
  /** The main amount, which stays beside the name on phones. */
  isMain?: boolean;
  /** Whether its values are clear without the title, which phones then leave out. */
  isPlain?: boolean;
  isHiddenOnPhones?: boolean;
  className?: string;
  total?: ReactNode;
};

export type Order = { column: string; isDescending: boolean };

export const sortOf = ({ sort, title }: { sort?: string; title: string }): string => sort ?? title;

type Clicked = { title: string; sort?: string; isNumber?: boolean };

/** The order after a click on a header. Numbers start with the largest, names with A. */
export function orderAfter(clicked: Clicked, order: Order | null): Order {
  const column = sortOf(clicked);
  return { column, isDescending: order?.column === column ? !order.isDescending : clicked.isNumber === true };
}

export function sortedBy<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | null,
): Row[] {
  const value = columns.find((column) => sortOf(column) === order?.column)?.value;
  if (!order || !value) return [...rows];
  const sign = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [first, second] = [value(a), value(b)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return sign * compared(first, second);
  });
}

function compared(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return String(a).localeCompare(String(b), 'en', { numeric: true });
}
