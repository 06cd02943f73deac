import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <Card withBorder p="xl">
      <Stack gap="xs" align="center" ta="center">
        <Title order={2} size="h4">
          {title}
        </Title>
        {children && (
          <Text component="div" c="dimmed" w="100%" maw={520}>
            {children}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
