import { SimpleGrid, Table } from '@mantine/core';
import { lazy } from 'react';
import { ChartOrTable } from '../../shown/ChartOrTable.tsx';
import { longDay } from '../../shown/figures.ts';
import { Columns, WideTable } from '../../shown/WideTable.tsx';
import { measures, type Measure } from './measures.ts';
import type { Workflow, WorkflowDay } from './queries.ts';

const DayChart = lazy(async () => ({ default: (await import('./DayChart.tsx')).DayChart }));

const height = 200;

/** Cost, runs, duration and success, day by day. */
export function Charts({ workflow: { daily } }: { workflow: Workflow }) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {measures.map((measure) => (
        <ChartOrTable
          key={measure.title}
          title={measure.title}
          label={inWords(measure, daily)}
          height={height}
          chart={<DayChart days={daily} measure={measure} height={height} />}
          table={<DayTable days={daily} measure={measure} />}
        />
      ))}
    </SimpleGrid>
  );
}

function inWords({ title, of, inWords: words }: Measure, days: WorkflowDay[]): string {
  const values = days.map(of).filter((value) => value !== null);
  if (values.length === 0) return `${title}: no runs in ${days.length} days`;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return `${title}, over ${days.length} days from ${words(least)} to ${words(most)}`;
}

function DayTable({ days, measure }: { days: WorkflowDay[]; measure: Measure }) {
  return (
    <WideTable label={measure.title} minWidth={200} maxHeight={height}>
      <Columns texts={['Day (UTC)']} numbers={[measure.title]} />
      <Table.Tbody>
        {days.toReversed().map((day) => {
          const value = measure.of(day);
          return (
            <Table.Tr key={day.date}>
              <Table.Th scope="row" fw={400}>
                {longDay(day.date)}
              </Table.Th>
              <Table.Td className="number">{value === null ? '–' : measure.inWords(value)}</Table.Td>
            </Table.Tr>
          );
        })}
      </Table.Tbody>
    </WideTable>
  );
}
