import { createDictionary, type Column } from './dayColumns.ts';
import { createMemory, type Values } from './sumRows.ts';

/** Asks `of` once for each distinct combination of the columns' values, however many rows have it. */
export function mappedColumn(
  { rows }: { rows: number },
  columns: readonly Column[],
  of: (values: Values) => string | null,
): Column {
  const { values, codeOf } = createDictionary();
  const find = (place: number) => {
    const found: (string | null)[] = [];
    let rest = place;
    for (const column of columns.toReversed()) {
      found.unshift(column.values[rest % column.values.length]!);
      rest = Math.floor(rest / column.values.length);
    }
    return codeOf(of(found));
  };
  const size = columns.reduce((product, column) => product * column.values.length, 1);
  const known = createMemory(size, find);
  const codes = new Uint32Array(rows);
  for (let row = 0; row < rows; row++) {
    let place = 0;
    for (const column of columns) place = place * column.values.length + column.codes[row]!;
    codes[row] = known(place);
  }
  return { values, codes };
}
