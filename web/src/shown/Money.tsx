import { Text, Tooltip } from '@mantine/core';

const cents = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const exact = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 9,
});

/** US dollars to the cent; an amount too small for that keeps a digit that can be seen. */
export function dollars(amount: number): string {
  if (amount !== 0 && Math.abs(amount) < 0.005) return `${amount < 0 ? '−' : ''}< $0.01`;
  return cents.format(amount);
}

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
