import { Text } from '@mantine/core';
import { dollars, exactDollars } from './figures.ts';

/** US dollars to the cent, with the exact amount on hover. */
export function Money({ amount }: { amount: number }) {
  return (
    <Text span inherit aria-description={exactDollars(amount)} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {dollars(amount)}
    </Text>
  );
}
