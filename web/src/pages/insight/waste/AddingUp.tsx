import { Skeleton, Stack, Text } from '@mantine/core';

/** It takes a while, because the server reads every job. As tall as the result, so that nothing jumps. */
export function AddingUp({ days, height }: { days: string; height: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      <Text size="sm" c="dimmed" role="status">
        Adding up the jobs of {days} days…
      </Text>
      <Skeleton height={height} />
    </Stack>
  );
}
