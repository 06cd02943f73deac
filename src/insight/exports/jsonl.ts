import { usd } from '../../platform/lib/money.ts';
import type { Cell, Column } from './column.ts';
import { instantText } from './instantText.ts';

/** One JSON object a line; decimals are exact JSON numbers, as everywhere in the API. */
export function jsonLines(columns: readonly Column[], records: readonly Cell[][]): Buffer {
  const lines = records.map((cells) => {
    const fields = columns.map((column, index) => [column.name, valueOf(cells[index]!, column)] as const);
    return `${JSON.stringify(Object.fromEntries(fields))}\n`;
  });
  return Buffer.from(lines.join(''));
}

function valueOf(cell: Cell, { kind }: Column): unknown {
  if (cell === null) return null;
  if (kind === 'decimal') return usd(cell as bigint);
  if (kind === 'integer') return JSON.rawJSON((cell as bigint).toString());
  return cell instanceof Date ? instantText(cell, kind) : cell;
}
