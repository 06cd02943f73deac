import { Card, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = {
  /** Left out where the page's title says it. */
  title?: string;
  children?: ReactNode;
};

export function Empty({ title, children }: Props) {
  return (
    <Card withBorder p="xl" className="empty">
      <Stack gap="xs" align="center" ta="center">
        {title !== undefined && (
          <Title order={2} size="h4">
            {title}
          </Title>
        )}
        {children && (
          <Text component="div" size="sm" c="dimmed" w="100%" maw={520} style={{ textWrap: 'balance' }}>
            {children}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
