import { Card, Group, Stack, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  title: string;
  aside?: ReactNode;
  /** For forms, which would leave half of a wide panel empty. */
  isNarrow?: boolean;
  children: ReactNode;
};

export function Panel({ title, aside, isNarrow = false, children }: Props) {
  return (
    <Card withBorder component="section" aria-label={title} p="md" {...(isNarrow && { maw: 720 })}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          {aside}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}
