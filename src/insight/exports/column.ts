/**
 * What a column holds: `decimal` is a whole number of billionths, money too; `second` an instant to the second; `list`
 * some texts, `object` texts and numbers by name.
 */
export type ColumnKind =
  | 'text'
  | 'integer'
  | 'decimal'
  | 'instant'
  | 'second'
  | 'day'
  | 'boolean'
  | 'list'
  | 'object';

export type Cell = string | bigint | boolean | Date | string[] | Record<string, string | number> | null;

export type Column = { name: string; kind: ColumnKind; isNullable: boolean };

/** A column with how its cell is got from a row. */
export type ColumnOf<Row> = Column & { cellOf: (row: Row) => Cell };

/** A column that always has a value. */
export function required<Row>(
  name: string,
  kind: ColumnKind,
  cellOf: (row: Row) => Exclude<Cell, null>,
): ColumnOf<Row> {
  return { name, kind, isNullable: false, cellOf };
}

/** A column whose cells can be empty. */
export function optional<Row>(name: string, kind: ColumnKind, cellOf: (row: Row) => Cell): ColumnOf<Row> {
  return { name, kind, isNullable: true, cellOf };
}
