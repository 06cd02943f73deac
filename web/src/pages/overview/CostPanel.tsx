import { Table } from '@mantine/core';
import { lazy } from 'react';
import { ChartOrTable } from '../../shown/ChartOrTable.tsx';
import { Failed } from '../../shown/Failed.tsx';
import { dollars, longDay } from '../../shown/figures.ts';
import { Loading } from '../../shown/Loading.tsx';
import { Panel } from '../../shown/Panel.tsx';
import { Columns, WideTable } from '../../shown/WideTable.tsx';
import { costDays, type CostDay } from './costDays.ts';
import { useProjection, useTrends } from './queries.ts';

const CostChart = lazy(async () => ({ default: (await import('./CostChart.tsx')).CostChart }));

const title = 'Cost a day';
const height = 300;

export function CostPanel() {
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
      chart={<CostChart days={days} height={height} />}
      table={<CostTable days={days} />}
    />
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

function CostTable({ days }: { days: CostDay[] }) {
  const amount = (value: number | null) => (value === null ? '–' : dollars(value));
  return (
    <WideTable label={title} minWidth={560} maxHeight={height}>
      <Columns texts={['Day (UTC)']} numbers={['Cost', '30 days before', 'Projected', 'Expected between']} />
      <Table.Tbody>
        {days.toReversed().map(({ date, cost, before, projected, band }) => (
          <Table.Tr key={date}>
            <Table.Th scope="row" fw={400}>
              {longDay(date)}
            </Table.Th>
            <Table.Td className="number">{amount(cost)}</Table.Td>
            <Table.Td className="number">{amount(before)}</Table.Td>
            <Table.Td className="number">{amount(projected)}</Table.Td>
            <Table.Td className="number">{band ? band.map(dollars).join(' – ') : '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </WideTable>
  );
}
