import { Text } from '@mantine/core';
import { directionClass } from './figures.ts';

const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const smallPercents = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

type Props = {
  percent: number;
  /** Whether more is red and less is green. */
  isCost?: boolean;
  fw?: number;
};

/** A change in percent. Screen readers get its direction as a word. */
export function Trend({ percent, isCost = false, fw = 600 }: Props) {
  if (percent === 0)
    return (
      <Text span inherit>
        No change
      </Text>
    );
  const size = Math.abs(percent);
  return (
    <Text
      span
      inherit
      fw={fw}
      {...(isCost && { className: directionClass(percent) })}
      style={{ fontVariantNumeric: 'tabular-nums' }}
    >
      <svg
        role="img"
        aria-label={percent > 0 ? 'up' : 'down'}
        width="0.6em"
        height="0.6em"
        viewBox="0 0 10 10"
      >
        <path d={percent > 0 ? 'M0 9 5 1 10 9Z' : 'M0 1 5 9 10 1Z'} fill="currentColor" />
      </svg>{' '}
      {(size < 10 ? smallPercents : percents).format(size)}%
    </Text>
  );
}
