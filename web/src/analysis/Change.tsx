import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { directionClass } from '../ui/figures.ts';
import { Trend } from '../ui/Trend.tsx';
import { metrics, type Metric } from './words.ts';

type Props = {
  value: number;
  previous: number;
  metric: Metric;
  /** How an amount is written. */
  shown?: (amount: number) => string;
};

/** For columns, which sort by the amount: `+$12.30 ▲ 12%`, or `+$12.30 new`. */
export function ChangeCell(props: Props) {
  return <Change {...props} isSmall />;
}

/** For example `+$12.30 ▲ 12%`, or `+$12.30 new` if there was nothing before. */
export function Change({
  value,
  previous,
  metric,
  shown = metrics[metric].cell,
  isSmall = false,
}: Props & { isSmall?: boolean }) {
  const { isWhole, amount } = metrics[metric];
  // Without the digits that subtraction of fractions adds.
  const difference = Math.round((value - previous) * 1e9) / 1e9;
  if (difference === 0)
    return (
      <Text span inherit c="dimmed">
        {value === 0 ? '–' : 'No change'}
      </Text>
    );
  const percent = previous === 0 ? null : (difference / previous) * 100;
  return (
    <span className="unbroken" aria-description={`${amount(previous)} before`}>
      <Text span inherit fw={isSmall ? 400 : 600} {...(!isWhole && { className: directionClass(percent) })}>
        {difference < 0 ? '−' : '+'}
        {shown(Math.abs(difference))}
      </Text>{' '}
      <Text
        span
        {...(isSmall ? { size: 'xs' } : { inherit: true })}
        {...(percent === null && { c: 'dimmed' })}
      >
        {percent === null ? 'new' : <Trend percent={percent} isCost={!isWhole} fw={400} />}
      </Text>
    </span>
  );
}

type ComparedProps = Omit<Props, 'previous'> & {
  /** Null if nothing is compared. */
  previous: number | null;
  /** The days of `previous`. */
  days?: string;
  /** Shown if nothing is compared. */
  children?: ReactNode;
};

/** For example `+$12.30 ▲ 12% vs $102.50, Oct 1 – Oct 30`. */
export function Compared({ previous, days, children, ...props }: ComparedProps) {
  const { value, metric, shown = metrics[metric].cell } = props;
  if (previous === null) return children;
  if (previous === 0) return 'None in the previous period';
  // A change between two amounts that look equal would seem a mistake.
  if (value !== previous && shown(value) === shown(previous)) return 'About the same as before';
  return (
    <>
      <Change {...props} previous={previous} /> vs {shown(previous)}
      {days && (
        <>
          , <span className="unbroken">{days}</span>
        </>
      )}
    </>
  );
}
