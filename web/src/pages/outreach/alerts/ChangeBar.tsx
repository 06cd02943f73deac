import { Box, Text } from '@mantine/core';
import '../../../charts/charts.css';
import { Money } from '../../../ui/Money.tsx';

export function ChangeBar({ amount, longest }: { amount: number; longest: number }) {
  const share = longest === 0 ? 0 : (Math.abs(amount) / longest) * 50;
  return (
    <>
      <SignedMoney amount={amount} />
      <Box pos="relative" h={4} mt={4} miw={72} bg="var(--mantine-color-default-border)" aria-hidden>
        <Box
          pos="absolute"
          h="100%"
          w={`${share}%`}
          bg={amount > 0 ? 'var(--chart-up)' : 'var(--chart-down)'}
          style={{ [amount > 0 ? 'left' : 'right']: '50%' }}
        />
      </Box>
    </>
  );
}

export function SignedMoney({ amount }: { amount: number }) {
  return (
    <Text span inherit style={{ whiteSpace: 'nowrap' }}>
      {amount > 0 ? '+' : ''}
      <Money amount={amount} />
    </Text>
  );
}
