import { Group, Paper, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import './charts.css';
import { Note } from '../ui/text.tsx';

type Line = { key: string; color: string; title: string; amount: string };

type Props = {
  title: string;
  amount?: string | undefined;
  /** Shown beside the amount, such as its change. */
  aside?: ReactNode;
  lines?: readonly Line[];
  children?: ReactNode;
};

export function ChartNote({ title, amount, aside, lines = [], children }: Props) {
  return (
    <Paper
      withBorder
      shadow="md"
      px="sm"
      py={8}
      bg="var(--mantine-color-body)"
      maw={320}
      className="chart-note"
    >
      <Stack gap={3} fz="xs">
        <Note size="xs">{title}</Note>
        {(amount ?? aside) && (
          <Group gap="xs" align="baseline">
            {amount && (
              <Text size="sm" fw={700}>
                {amount}
              </Text>
            )}
            {aside && <Text size="xs">{aside}</Text>}
          </Group>
        )}
        {lines.map(({ key, color, title: name, amount: part }) => (
          <Group key={key} justify="space-between" gap="lg" wrap="nowrap">
            <Group gap={6} wrap="nowrap" miw={0}>
              <span className="swatch" style={{ background: color }} />
              <Text size="xs" truncate>
                {name}
              </Text>
            </Group>
            <Text size="xs" className="number">
              {part}
            </Text>
          </Group>
        ))}
        {children}
      </Stack>
    </Paper>
  );
}
