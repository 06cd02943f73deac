import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** As tall as the result, so that nothing jumps. */
export function Loading({ height = 240 }: { height?: number }) {
  return (
    <Stack gap="xs" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Skeleton height={height} />
    </Stack>
  );
}
