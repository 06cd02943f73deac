import { Group, Progress, Stack, Text } from '@mantine/core';
import type { Attempt } from './queries.ts';
import { milliseconds } from './words.ts';

const colors = ['blue.4', 'violet.4', 'grape.4', 'teal.6', 'gray.5'];

function phasesOf(attempt: Attempt): { name: string; took: number; color: string }[] {
  const { dns_ms, connect_ms, tls_ms, first_byte_ms, total_ms } = attempt;
  const known = [
    { name: 'DNS', took: dns_ms },
    { name: 'Connect', took: connect_ms },
    { name: 'TLS', took: tls_ms },
    { name: 'Wait', took: first_byte_ms },
  ];
  const measured = known.reduce((sum, { took }) => sum + (took ?? 0), 0);
  const rest = total_ms === null ? null : Math.max(0, total_ms - measured);
  return [...known, { name: 'Other', took: rest }].flatMap(({ name, took }, index) =>
    took === null ? [] : [{ name, took, color: colors[index]! }],
  );
}

export function Phases({ attempt }: { attempt: Attempt }) {
  const phases = phasesOf(attempt);
  const total = attempt.total_ms;
  if (total === null || phases.length === 0) return null;
  return (
    <Stack gap={4} maw={560}>
      <Progress.Root size="md" radius="sm" aria-hidden>
        {phases.map(({ name, took, color }) => (
          <Progress.Section
            key={name}
            value={total === 0 ? 0 : (100 * took) / total}
            color={color}
            withAria={false}
          />
        ))}
      </Progress.Root>
      <Group gap="xs">
        {phases.map(({ name, took, color }) => (
          <Text key={name} size="sm" c="dimmed">
            <Text span c={color} aria-hidden>
              ■
            </Text>{' '}
            {name} {milliseconds(took)}
          </Text>
        ))}
        <Text size="sm" fw={600}>
          {milliseconds(total)} total
        </Text>
      </Group>
    </Stack>
  );
}
