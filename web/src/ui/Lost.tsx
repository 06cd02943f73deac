import { Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { useEffect, type ReactNode } from 'react';
import './lost.css';

type Props = { title: string; text: ReactNode; actions: ReactNode; children?: ReactNode };

/** Replaces a page that does not exist: says what is wrong and where to go. */
export function Lost({ title, text, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · Runcost`;
  }, [title]);
  return (
    <Stack className="lost" gap="md">
      <ThemeIcon variant="default" size={52} radius="lg" aria-hidden>
        <IconMapSearch size={26} stroke={1.5} />
      </ThemeIcon>
      <Stack gap={4}>
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text component="div" c="dimmed">
          {text}
        </Text>
      </Stack>
      {children}
      <Group gap="xs">{actions}</Group>
    </Stack>
  );
}
