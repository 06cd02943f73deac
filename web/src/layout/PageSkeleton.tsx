import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';

/** Has the shape that most pages start with: a title, a sentence and a panel. */
export function PageSkeleton() {
  return (
    <Stack gap="md" aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      <Stack gap={6} mih={52}>
        <Skeleton height={26} w={180} mt={3} />
        <Skeleton height={14} w="min(360px, 80%)" />
      </Stack>
      <Skeleton height={480} />
    </Stack>
  );
}
