import { Group, Skeleton, Stack, VisuallyHidden } from '@mantine/core';

const rowHeight = 44;
const widths = ['38%', '52%', '31%', '45%'];

/** Placeholder rows, together as tall as the result, so that nothing jumps. */
export function Loading({ height = 240 }: { height?: number }) {
  const rows = Array.from({ length: Math.max(1, Math.round(height / rowHeight)) });
  return (
    <Stack gap={0} h={height} aria-busy="true">
      <VisuallyHidden role="status">Loading</VisuallyHidden>
      {rows.map((_, index) => (
        <Group key={index} flex={1} mih={0} justify="space-between" wrap="nowrap" className="loading-row">
          <Skeleton height={14} w={widths[index % widths.length]!} />
          <Skeleton height={14} w="12%" />
        </Group>
      ))}
    </Stack>
  );
}
