import { Text } from '@mantine/core';
import { directionClass } from '../ui/figures.ts';
import { Trend } from '../ui/Trend.tsx';
import { metrics, type Metric } from './words.ts';

type Props = { value: number; previous: number; metric: Metric };

/** For example `▲ 12%`, with the amounts on hover, or `new` if there was nothing before. */
export function Change({ value, previous, metric }: Props) {
  const words = metrics[metric];
  const difference = differenceOf({ value, previous });
  const description = `${words.amount(previous)} before, ${difference < 0 ? 'down' : 'up'} ${words.amount(Math.abs(difference))}`;
  if (difference === 0) return <NoChange value={value} />;
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

/** For columns, which sort by the amount: `+$12.30 ▲ 12%`, or `+$12.30 new`. */
export function ChangeCell({ value, previous, metric }: Props) {
  const words = metrics[metric];
  const difference = differenceOf({ value, previous });
  if (difference === 0) return <NoChange value={value} />;
  const percent = previous === 0 ? null : (difference / previous) * 100;
  return (
    <span className="unbroken" aria-description={`${words.amount(previous)} before`}>
      <span className={words.isWhole ? undefined : directionClass(percent)}>
        {difference < 0 ? '−' : '+'}
        {words.cell(Math.abs(difference))}
      </span>{' '}
      <Text span size="xs" {...(percent === null && { c: 'dimmed' })}>
        {percent === null ? 'new' : <Trend percent={percent} isCost={!words.isWhole} fw={400} />}
      </Text>
    </span>
  );
}

function NoChange({ value }: Pick<Props, 'value'>) {
  return (
    <Text span inherit c="dimmed">
      {value === 0 ? '–' : 'No change'}
    </Text>
  );
}

/** Without the digits that subtraction of fractions adds. */
function differenceOf({ value, previous }: Pick<Props, 'value' | 'previous'>): number {
  return Math.round((value - previous) * 1e9) / 1e9;
}
