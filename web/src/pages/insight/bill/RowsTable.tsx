import { Stack, Text } from '@mantine/core';
import { count, dollars, longDay } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { breaking, Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import type { Grouping } from './filter.ts';
import type { Row } from './queries.ts';
import { causesOf, causeWords } from './words.ts';

const names = ['day', 'sku', 'repository'] as const;
const headings = { day: 'Day', sku: 'SKU', repository: 'Repository' };
const amounts = [
  ['our_cost', 'Runcost'],
  ['bill_gross', 'Gross'],
  ['bill_discount', 'Discounts'],
  ['bill_net', 'Bill'],
  ['difference', 'Difference'],
  ['unexplained', 'Unexplained'],
] as const;

export function RowsTable({ rows, by }: { rows: Row[]; by: Grouping }) {
  const shown = names.filter((name) => by === 'all' || by === name);
  // With three name columns there is less room. Discounts are gross minus net.
  const columns = amounts.filter(([name]) => by !== 'all' || name !== 'bill_discount');
  const numbers = ['Runcost min', 'Bill min', ...columns.map(([, heading]) => heading)];
  return (
    <WideTable label="Runcost vs. bill" minWidth={1_000}>
      <Columns
        texts={[...shown.map((name) => headings[name]), 'Causes']}
        numbers={numbers}
        kept="Difference"
      />
      <tbody>
        {rows.map((row) => (
          <tr key={names.map((name) => row[name]).join('\n')}>
            {shown.map((name) => (
              <td key={name} style={name === 'repository' ? { ...breaking, minWidth: 180 } : {}}>
                {textOf(row, name)}
              </td>
            ))}
            <td>
              <Causes row={row} />
            </td>
            <td className="number">{count(row.our_minutes)}</td>
            <td className="number">{count(row.bill_minutes)}</td>
            {columns.map(([name]) => (
              <td key={name} className={name === 'difference' ? keptNumber : 'number'}>
                <Money amount={row[name]} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}

function textOf(row: Row, name: (typeof names)[number]): string {
  const text = row[name] ?? '';
  if (text === '') return 'No repository';
  return name === 'day' ? longDay(text) : text;
}

function Causes({ row }: { row: Row }) {
  const causes = causesOf(row);
  if (causes.length === 0) return '–';
  return (
    <Stack gap={0}>
      {causes.map(([cause, amount]) => (
        <Text key={cause} size="sm">
          {causeWords[cause].label} {dollars(amount)}
        </Text>
      ))}
    </Stack>
  );
}
