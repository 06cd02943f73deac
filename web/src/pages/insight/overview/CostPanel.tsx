import { Anchor, Text } from '@mantine/core';
import { lazy } from 'react';
import { Link } from 'wouter';
import { ChartOrTable } from '../../../ui/ChartOrTable.tsx';
import { Failed } from '../../../ui/Failed.tsx';
import { countOf, dollars, longDay } from '../../../ui/figures.ts';
import { Loading } from '../../../ui/Loading.tsx';
import { Money } from '../../../ui/Money.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Columns, keptNumber, WideTable } from '../../../ui/WideTable.tsx';
import { costDays, type CostDay } from './costDays.ts';
import { daysCompared } from './days.ts';
import { useForecast, useTrends } from './queries.ts';

const CostChart = lazy(async () => ({ default: (await import('./CostChart.tsx')).CostChart }));

const title = 'Daily cost';
const height = 300;

export function CostPanel({ onDay }: { onDay: (day: string) => void }) {
  const trends = useTrends();
  const forecast = useForecast();
  // Waits for both, so that the chart does not grow. A failed forecast is left out.
  const isWaiting = trends.isPending || forecast.isPending;
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
  const days = costDays(trends.data?.data ?? [], forecast.data);
  return (
    <ChartOrTable
      title={title}
      label={inWords(days)}
      height={height}
      chart={<CostChart days={days} height={height} onDay={onDay} />}
      table={<CostTable days={days} onDay={onDay} />}
    >
      <Text size="sm" c="dimmed">
        Click a day for details, or{' '}
        <Anchor component={Link} href="/explore" inherit underline="always">
          explore costs
        </Anchor>
        .
      </Text>
    </ChartOrTable>
  );
}

function inWords(days: CostDay[]): string {
  const past = days.filter(({ cost }) => cost !== null);
  const total = past.reduce((sum, { cost }) => sum + cost!, 0);
  const highest = past.toSorted((a, b) => b.cost! - a.cost!)[0];
  const coming = days.length - past.length;
  return [
    `Daily cost of the last ${countOf(past.length, 'day')}, ${dollars(total)} in total`,
    ...(highest?.cost ? [`highest on ${longDay(highest.date)} at ${dollars(highest.cost)}`] : []),
    ...(coming > 0 ? [`and the forecast for the remaining ${countOf(coming, 'day')} of the month`] : []),
  ].join(', ');
}

function fromToday(days: CostDay[]): CostDay[] {
  const past = days.filter(({ cost }) => cost !== null);
  return [...past.toReversed(), ...days.slice(past.length)];
}

type DaysProps = { days: CostDay[]; onDay: (day: string) => void };

function CostTable({ days, onDay }: DaysProps) {
  const amount = (value: number | null) => (value === null ? '–' : <Money amount={value} />);
  return (
    <WideTable label={title} minWidth={560} maxHeight={height}>
      <Columns
        texts={['Day (UTC)']}
        kept="Cost"
        numbers={['Cost', `${daysCompared} days earlier`, 'Forecast', 'Likely range']}
      />
      <tbody>
        {fromToday(days).map(({ date, cost, before, projected, band }) => (
          <tr key={date}>
            <th scope="row">
              {cost === null ? (
                longDay(date)
              ) : (
                <Anchor component="button" type="button" size="sm" onClick={() => onDay(date)}>
                  {longDay(date)}
                </Anchor>
              )}
            </th>
            <td className={keptNumber}>{amount(cost)}</td>
            <td className="number">{amount(before)}</td>
            <td className="number">{amount(projected)}</td>
            <td className="number">
              {band ? (
                <>
                  <Money amount={band[0]} /> – <Money amount={band[1]} />
                </>
              ) : (
                '–'
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}
