import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';

export function PageTitle({
  title,
  about,
  children,
}: {
  title: string;
  about?: ReactNode;
  children?: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Runcost`;
  }, [title]);
  return (
    <Group justify="space-between" align="flex-start" gap="sm">
      <Stack gap={2} miw={0}>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {about && (
          <Text component="div" c="dimmed" size="sm">
            {about}
          </Text>
        )}
      </Stack>
      {children && <Group gap="xs">{children}</Group>}
    </Group>
  );
}
