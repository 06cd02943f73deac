import { SimpleGrid, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** Settings as read-only text, for people who may not change them. */
export function Facts({ facts }: { facts: readonly [title: string, value: ReactNode][] }) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="md" m={0}>
      {facts.map(([title, value]) => (
        <Stack key={title} gap={2}>
          <Text component="dt" size="sm" c="dimmed">
            {title}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
            {value}
          </Text>
        </Stack>
      ))}
    </SimpleGrid>
  );
}
