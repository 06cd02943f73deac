import { Button, Group, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import { sentence } from './figures.ts';
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

export function NotFound({ what, href, list }: { what: string; href: string; list: string }) {
  return (
    <Lost
      title={`${sentence(what)} not found`}
      text="It may have been deleted, or the link is mistyped."
      actions={
        <Button component={Link} href={href}>
          All {list}
        </Button>
      }
    />
  );
}
