import { Text } from '@mantine/core';
import { dollars, exactDollars } from './figures.ts';

export function Money({ amount }: { amount: number }) {
  return (
    <Text span inherit aria-description={exactDollars(amount)} style={{ fontVariantNumeric: 'tabular-nums' }}>
      {dollars(amount)}
    </Text>
  );
}
