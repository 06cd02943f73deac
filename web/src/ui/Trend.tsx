import { Text } from '@mantine/core';

const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** A change in percent with its direction, in words for those who hear it. */
export function Trend({ percent }: { percent: number }) {
  if (percent === 0)
    return (
      <Text span inherit>
        unchanged
      </Text>
    );
  return (
    <Text span inherit fw={600} style={{ fontVariantNumeric: 'tabular-nums' }}>
      <span aria-hidden="true">{percent > 0 ? '▲' : '▼'} </span>
      {percents.format(Math.abs(percent))}% {percent > 0 ? 'more' : 'less'}
    </Text>
  );
}
