import { Anchor, SimpleGrid } from '@mantine/core';
import { lazy, type ReactNode } from 'react';
import { ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { longDay } from '../../../ui/figures.ts';
import { Money } from '../../../ui/Money.tsx';
import { Columns, WideTable } from '../../../ui/WideTable.tsx';
import { measures, type Measure } from './measures.ts';
import type { Workflow, WorkflowDay } from './queries.ts';
import type { DayKind } from './runFilter.ts';

const DayChart = lazy(async () => ({ default: (await import('./DayChart.tsx')).DayChart }));

const height = 200;

type Props = { workflow: Workflow; onDay: (kind: DayKind, day: string) => void };

export function Charts({ workflow: { daily }, onDay }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
      {measures.map((measure) => {
        const open = (day: string) => onDay(measure.dayKind, day);
        return (
          <ChartOrTable
            key={measure.title}
            title={measure.title}
            label={inWords(measure, daily)}
            height={height}
            chart={<DayChart days={daily} measure={measure} height={height} onDay={open} />}
            table={<DayTable days={daily} measure={measure} onDay={open} />}
          />
        );
      })}
    </SimpleGrid>
  );
}

function inWords({ title, of, inWords: words }: Measure, days: WorkflowDay[]): string {
  const values = days.map(of).filter((value) => value !== null);
  if (values.length === 0) return `${title}: no runs in ${days.length} days`;
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return `${title} over ${days.length} days, from ${words(lowest)} to ${words(highest)}`;
}

type TableProps = { days: WorkflowDay[]; measure: Measure; onDay: (day: string) => void };

function DayTable({ days, measure, onDay }: TableProps) {
  return (
    <WideTable label={measure.title} minWidth={200} maxHeight={height}>
      <Columns texts={['Day (UTC)']} numbers={[measure.title]} />
      <tbody>
        {days.toReversed().map((day) => {
          const value = measure.of(day);
          return (
            <tr key={day.date}>
              <th scope="row">
                <Anchor component="button" type="button" size="sm" onClick={() => onDay(day.date)}>
                  {longDay(day.date)}
                </Anchor>
              </th>
              <td className="number">{shown(measure, value)}</td>
            </tr>
          );
        })}
      </tbody>
    </WideTable>
  );
}

function shown({ exactly, inWords: words }: Measure, value: number | null): ReactNode {
  if (value === null) return '–';
  return exactly ? <Money amount={value} /> : words(value);
}
