import { Group, Stack, Text, Title } from '@mantine/core';
import { IconChevronLeft } from '@tabler/icons-react';
import { useEffect, type ReactNode } from 'react';
import { TextLink } from './TextLink.tsx';

type Props = {
  title: string;
  /** For the browser's tab and history, if the title contains something that should not be there. */
  tabTitle?: string;
  about?: ReactNode;
  /** The list that contains the page's subject. */
  back?: { href: string; label: string };
  /** Shown beside the title, such as a status. */
  badge?: ReactNode;
  children?: ReactNode;
};

export function PageTitle({ title, tabTitle = title, about, back, badge, children }: Props) {
  useEffect(() => {
    document.title = `${tabTitle} · Runcost`;
  }, [tabTitle]);
  return (
    <Group justify="space-between" gap="sm" className="page-title">
      <Stack gap={2} miw={0}>
        {back && (
          <TextLink href={back.href} size="sm" className="back-link">
            <IconChevronLeft size={14} aria-hidden="true" />
            {back.label}
          </TextLink>
        )}
        <Group gap="4px 10px">
          <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
            {title}
          </Title>
          {badge}
        </Group>
        {about && (
          <Text component="div" c="dimmed" size="sm">
            {about}
          </Text>
        )}
      </Stack>
      {children && (
        <Group gap="xs" className="page-actions">
          {children}
        </Group>
      )}
    </Group>
  );
}
