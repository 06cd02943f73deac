import { Group, Paper, Stack, Text } from '@mantine/core';

type Props = { title: string; lines: [name: string, value: string][] };

export function ChartNote({ title, lines }: Props) {
  return (
    <Paper withBorder shadow="sm" px="sm" py={6} bg="var(--mantine-color-body)">
      <Stack gap={2}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        {lines.map(([name, value]) => (
          <Group key={name} justify="space-between" gap="lg" wrap="nowrap">
            <Text size="sm">{name}</Text>
            <Text size="sm" style={{ fontVariantNumeric: 'tabular-nums', whiteSpace: 'nowrap' }}>
              {value}
            </Text>
          </Group>
        ))}
      </Stack>
    </Paper>
  );
}
