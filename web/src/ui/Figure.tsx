import { Card, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';

export function Figures({ children }: { children: ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="md">
      {children}
    </SimpleGrid>
  );
}

export function Figure({ label, value, note }: { label: string; value: ReactNode; note?: ReactNode }) {
  return (
    <Card withBorder p="md">
      <Text size="sm" c="dimmed">
        {label}
      </Text>
      <Text component="div" fz={28} lh={1.3} fw={700} style={{ fontVariantNumeric: 'tabular-nums' }}>
        {value}
      </Text>
      <Text component="div" size="sm" c="dimmed" mih={22}>
        {note}
      </Text>
    </Card>
  );
}
