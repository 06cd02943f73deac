import { Text } from '@mantine/core';
import { dollars, exactDollars } from './figures.ts';

/** US dollars to the cent, with the exact amount on hover and focus. */
export function Money({ amount }: { amount: number }) {
  return (
    <Text
      span
      inherit
      tabIndex={0}
      aria-description={exactDollars(amount)}
      style={{ fontVariantNumeric: 'tabular-nums' }}
    >
      {dollars(amount)}
    </Text>
  );
}
