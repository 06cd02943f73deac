import { Progress, Stack, Text } from '@mantine/core';
import type { Gauge } from './gauge.ts';

type Props = { gauge: Omit<Gauge, 'left'>; isExhausted: boolean; note?: string };

/** How much of what is included is used, in a line and a bar. */
export function UsedBar({ gauge: { title, used, most, amount, of, until }, isExhausted, note }: Props) {
  return (
    <Stack gap={6}>
      <Text size="sm" role="status">
        {title}: {amount} {of} used this month, {until}.{note && ` ${note}`}
      </Text>
      <Progress
        value={Math.min(100, (100 * used) / most)}
        {...(isExhausted && { color: 'red' })}
        size="lg"
        aria-label={title}
      />
    </Stack>
  );
}
