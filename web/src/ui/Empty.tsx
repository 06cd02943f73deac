import { Card, Stack, Text, ThemeIcon } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { SectionTitle } from './Panel.tsx';

type Props = {
  icon?: Icon;
  /** Left out if the page's title says it. */
  title?: string;
  children?: ReactNode;
};

export function Empty({ icon: Shown, title, children }: Props) {
  return (
    <Card withBorder p="xl" className="empty">
      <Stack gap="xs" align="center" ta="center">
        {Shown && (
          <ThemeIcon variant="default" size={44} radius="lg" mb={4} aria-hidden>
            <Shown size={22} stroke={1.6} />
          </ThemeIcon>
        )}
        {title !== undefined && <SectionTitle>{title}</SectionTitle>}
        {children && (
          <Text component="div" size="sm" c="dimmed" w="100%" maw={520} style={{ textWrap: 'balance' }}>
            {children}
          </Text>
        )}
      </Stack>
    </Card>
  );
}
