import { Text, Tooltip } from '@mantine/core';
import { dollars } from './figures.ts';

const exact = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 9,
});

/** US dollars to the cent, with the exact amount on hover and focus. */
export function Money({ amount }: { amount: number }) {
  return (
    <Tooltip label={exact.format(amount)}>
      <Text span inherit tabIndex={0} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {dollars(amount)}
      </Text>
    </Tooltip>
  );
}
