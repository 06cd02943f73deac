import { Skeleton, Stack, Text } from '@mantine/core';

/** Says why it takes a while: every job of the days is looked at. It is as tall as what will come. */
export function AddingUp({ days, height }: { days: string; height: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      <Text size="sm" c="dimmed" role="status">
        Adding up the jobs of {days} days …
      </Text>
      <Skeleton height={height} />
    </Stack>
  );
}
