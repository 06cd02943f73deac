import { SimpleGrid } from '@mantine/core';
import { colorOf } from '../../../analysis/colors.ts';
import { ChartOrTable } from '../../../charts/ChartOrTable.tsx';
import { Keys } from '../../../charts/Legend.tsx';
import { dayColumn, numberColumn } from '../../../ui/cells.tsx';
import { DataTable } from '../../../ui/DataTable.tsx';
import { DayChart } from './DayChart.tsx';
import { measuresOf, type Day, type Measure } from './measures.ts';

export const chartHeight = 180;

type Props = { days: Day[]; things: 'Runs' | 'Jobs'; onDay: (day: string) => void };

export function Charts({ days, things, onDay }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {measuresOf(days, things).map((measure) => (
        <ChartOrTable
          key={measure.title}
          title={measure.title}
          label={inWords(measure, days)}
          height={chartHeight}
          chart={<DayChart days={days} measure={measure} onDay={onDay} height={chartHeight} />}
          table={<DayTable days={days} measure={measure} onDay={onDay} />}
        >
          {measure.lines.length > 1 && (
            <Keys
              keys={measure.lines.map(({ title }, index) => ({
                title,
                kind: 'line',
                color: colorOf(index),
              }))}
            />
          )}
        </ChartOrTable>
      ))}
    </SimpleGrid>
  );
}

function inWords({ title, lines, inWords: words }: Measure, days: Day[]): string {
  const values = days.flatMap((day) => lines.map(({ of }) => of(day))).filter((value) => value !== null);
  if (values.length === 0) return `${title}: nothing ended in ${days.length} days`;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return `${title} over ${days.length} days, from ${words(lowest)} to ${words(highest)}`;
}

type TableProps = { days: Day[]; measure: Measure; onDay: (day: string) => void };

function DayTable({ days, measure: { title, lines, inWords: words }, onDay }: TableProps) {
  return (
    <DataTable<Day>
      label={title}
      minWidth={200}
      maxHeight={chartHeight}
      rows={days.toReversed()}
      keyOf={({ date }) => date}
      columns={[
        dayColumn(({ date }) => date, onDay),
        ...lines.map((line) => numberColumn(line.title, line.of, words)),
      ]}
    />
  );
}
