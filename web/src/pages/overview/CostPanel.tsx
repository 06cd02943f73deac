import { Anchor, Select, Table } from '@mantine/core';
import { lazy } from 'react';
import { ChartOrTable } from '../../shown/ChartOrTable.tsx';
import { Failed } from '../../shown/Failed.tsx';
import { dollars, longDay } from '../../shown/figures.ts';
import { Loading } from '../../shown/Loading.tsx';
import { Money } from '../../shown/Money.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { Columns, WideTable } from '../../shown/WideTable.tsx';
import { costDays, type CostDay } from './costDays.ts';
import { daysCompared } from './days.ts';
import { useProjection, useTrends } from './queries.ts';

const CostChart = lazy(async () => ({ default: (await import('./CostChart.tsx')).CostChart }));

const title = 'Cost a day';
const height = 300;

/** `onDay` opens what a day cost. */
export function CostPanel({ onDay }: { onDay: (day: string) => void }) {
  const trends = useTrends();
  const projection = useProjection();
  // Both, so that the chart does not grow wider under the eyes. A projection that fails is left out.
  const isWaiting = trends.isPending || projection.isPending;
  if (trends.error && !trends.data)
    return (
      <Panel title={title}>
        <Failed error={trends.error} retry={() => void trends.refetch()} />
      </Panel>
    );
  if (isWaiting)
    return (
      <Panel title={title}>
        <Loading height={height} />
      </Panel>
    );
  const days = costDays(trends.data?.data ?? [], projection.data);
  return (
    <ChartOrTable
      title={title}
      label={inWords(days)}
      height={height}
      chart={<CostChart days={days} height={height} onDay={onDay} />}
      table={<CostTable days={days} onDay={onDay} />}
    >
      <DayChoice days={days} onDay={onDay} />
    </ChartOrTable>
  );
}

function inWords(days: CostDay[]): string {
  const past = days.filter(({ cost }) => cost !== null);
  const total = past.reduce((sum, { cost }) => sum + cost!, 0);
  const dearest = past.toSorted((a, b) => b.cost! - a.cost!)[0];
  const coming = days.length - past.length;
  return [
    `Cost of each of the last ${past.length} days, ${dollars(total)} in all`,
    ...(dearest?.cost ? [`most on ${longDay(dearest.date)} with ${dollars(dearest.cost)}`] : []),
    ...(coming > 0 ? [`and what is expected of the ${coming} days to the end of the month`] : []),
  ].join(', ');
}

type DaysProps = { days: CostDay[]; onDay: (day: string) => void };

/** What a press on a bar does, for those who have no pointer, or no room for it. */
function DayChoice({ days, onDay }: DaysProps) {
  const known = days.filter(({ cost }) => cost !== null).toReversed();
  return (
    <Select
      label="What a day cost"
      description="Or press a day in the chart"
      placeholder="Choose a day"
      maw={280}
      value={null}
      onChange={(day) => day && onDay(day)}
      data={known.map(({ date, cost }) => ({ value: date, label: `${longDay(date)}: ${dollars(cost!)}` }))}
      maxDropdownHeight={240}
    />
  );
}

function CostTable({ days, onDay }: DaysProps) {
  const amount = (value: number | null) => (value === null ? '–' : <Money amount={value} />);
  return (
    <WideTable label={title} minWidth={560} maxHeight={height}>
      <Columns
        texts={['Day (UTC)']}
        numbers={['Cost', `${daysCompared} days before`, 'At the usual pace', 'Expected between']}
      />
      <Table.Tbody>
        {days.toReversed().map(({ date, cost, before, projected, band }) => (
          <Table.Tr key={date}>
            <Table.Th scope="row" fw={400}>
              {cost === null ? (
                longDay(date)
              ) : (
                <Anchor component="button" type="button" size="sm" onClick={() => onDay(date)}>
                  {longDay(date)}
                </Anchor>
              )}
            </Table.Th>
            <Table.Td className="number">{amount(cost)}</Table.Td>
            <Table.Td className="number">{amount(before)}</Table.Td>
            <Table.Td className="number">{amount(projected)}</Table.Td>
            <Table.Td className="number">
              {band ? (
                <>
                  <Money amount={band[0]} /> – <Money amount={band[1]} />
                </>
              ) : (
                '–'
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
