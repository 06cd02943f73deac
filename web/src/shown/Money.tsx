import { Text, Tooltip } from '@mantine/core';
import { dollars, exactDollars } from './figures.ts';

/** US dollars to the cent, with the exact amount on hover and focus. */
export function Money({ amount }: { amount: number }) {
  return (
    <Tooltip label={exactDollars(amount)}>
      <Text span inherit tabIndex={0} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {dollars(amount)}
      </Text>
    </Tooltip>
  );
}
