import { Text } from '@mantine/core';

const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const smallPercents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A change in percent. Screen readers get its direction as a word. */
export function Trend({ percent }: { percent: number }) {
  if (percent === 0)
    return (
      <Text span inherit>
        No change
      </Text>
    );
  const size = Math.abs(percent);
  return (
    <Text span inherit fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
      <span role="img" aria-label={percent > 0 ? 'up' : 'down'}>
        {percent > 0 ? '▲' : '▼'}
      </span>{' '}
      {(size < 10 ? smallPercents : percents).format(size)}%
    </Text>
  );
}
