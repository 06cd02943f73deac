import { SimpleGrid, Stack, Text, type SimpleGridProps } from '@mantine/core';
import type { ReactNode } from 'react';

type Fact = readonly [title: string, value: ReactNode];

type Props = { facts: readonly (Fact | false)[]; className?: string; gap?: number } & SimpleGridProps;

/** Read-only values with their names. */
export function Facts({ facts, className = '', gap = 2, ...grid }: Props) {
  return (
    <SimpleGrid component="dl" cols={{ base: 1, xs: 2, md: 3 }} spacing="md" m={0} {...grid}>
      {facts.map(
        (fact) =>
          fact && (
            <Stack key={fact[0]} gap={gap} className={className}>
              <Text component="dt" size="sm" c="dimmed">
                {fact[0]}
              </Text>
              <Text component="dd" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
                {fact[1]}
              </Text>
            </Stack>
          ),
      )}
    </SimpleGrid>
  );
}
