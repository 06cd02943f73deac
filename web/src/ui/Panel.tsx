import { Card, Group, Stack, Title, type TitleProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { RowLink } from './TextLink.tsx';

type Props = {
  title: string;
  aside?: ReactNode;
  /** Beside the title, instead of `aside`: where to find more. */
  more?: { href: string; label: string };
  /** For forms, which would leave half of a wide panel empty. */
  isNarrow?: boolean;
  children: ReactNode;
};

export function Panel({
  title,
  more,
  aside = more && <RowLink href={more.href}>{more.label}</RowLink>,
  isNarrow = false,
  children,
}: Props) {
  return (
    <Card withBorder component="section" aria-label={title} p="md" {...(isNarrow && { maw: 720 })}>
      <Stack gap="md">
        <Group justify="space-between" gap="xs">
          <SectionTitle>{title}</SectionTitle>
          {aside}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}

export function SectionTitle(props: TitleProps) {
  return <Title order={2} size="h4" {...props} />;
}
