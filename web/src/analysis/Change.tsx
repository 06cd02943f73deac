import { Text } from '@mantine/core';
import { Trend } from '../ui/Trend.tsx';
import { metrics, type Metric } from './words.ts';

type Props = { value: number; previous: number; metric: Metric };

/** For example `▲ 12%`, with the amounts on hover, or `new` if there was nothing before. */
export function Change({ value, previous, metric }: Props) {
  const words = metrics[metric];
  const difference = Math.round((value - previous) * 1e9) / 1e9;
  const description = `${words.amount(previous)} before, ${difference < 0 ? 'down' : 'up'} ${words.amount(Math.abs(difference))}`;
  if (difference === 0)
    return (
      <Text span inherit c="dimmed">
        {value === 0 ? '–' : 'No change'}
      </Text>
    );
  if (previous === 0)
    return (
      <Text span inherit c="dimmed" aria-description={description}>
        new
      </Text>
    );
  return (
    <span aria-description={description}>
      <Trend percent={(difference / previous) * 100} isCost={!words.isWhole} />
    </span>
  );
}
