import { Anchor, AppShell, Burger, Button, Group, NavLink, Stack, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useEffect, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { useSignOut } from '../api/session.ts';
import { useChange } from '../ui/useChange.ts';
import { SchemeSwitch } from './SchemeSwitch.tsx';
import { StaleNotice } from './StaleNotice.tsx';

const areas = [
  ['/', 'Overview'],
  ['/explore', 'Explore'],
  ['/workflows', 'Workflows'],
  ['/showback', 'Showback'],
  ['/waste', 'Waste'],
  ['/bill', 'Bill'],
  ['/alerts', 'Alerts'],
  ['/webhooks', 'Webhooks'],
  ['/exports', 'Exports'],
  ['/backfills', 'Backfills'],
  ['/settings', 'Settings'],
] as const;

type Session = { organization: { name: string }; member: { email: string } | null; role: string };

type Props = {
  session: Session;
  children: ReactNode;
};

export function Shell({ session, children }: Props) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const [path] = useLocation();
  // Below Mantine's `sm`, the menu covers the page or is hidden.
  const isNarrow = useMediaQuery('(width < 48em)', undefined, { getInitialValueInEffect: false });
  useEffect(() => close(), [path]);
  const isIn = (area: string) =>
    area === '/'
      ? path === '/'
      : path === area || path.startsWith(`${area}/`) || (area === '/workflows' && path.startsWith('/runs/'));
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap" miw={0}>
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
              aria-expanded={isOpen}
              aria-controls="menu"
            />
            <Anchor component={Link} href="/" fw={700} c="inherit" underline="never">
              Runcost
            </Anchor>
            <Text c="dimmed" truncate title={session.organization.name}>
              {session.organization.name}
            </Text>
          </Group>
          <SchemeSwitch />
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs" id="menu" inert={isNarrow && !isOpen}>
        <Stack justify="space-between" h="100%">
          <nav aria-label="Main">
            {areas.map(([href, label]) => (
              <NavLink
                key={href}
                component={Link}
                href={href}
                label={label}
                active={isIn(href)}
                {...(isIn(href) ? { 'aria-current': 'page' as const } : {})}
              />
            ))}
          </nav>
          <Account session={session} />
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1} inert={isNarrow && isOpen}>
        <Stack gap="md" maw={1680} mx="auto">
          {children}
          <StaleNotice />
        </Stack>
      </AppShell.Main>
    </AppShell>
  );
}

function Account({ session: { member, role } }: { session: Session }) {
  const signOut = useChange({ act: useSignOut() });
  return (
    <Stack gap="xs" p="xs">
      <Text size="xs" c="dimmed" truncate>
        {member?.email ?? 'Service account'} · {role}
      </Text>
      <Anchor href="/docs" size="xs">
        API documentation
      </Anchor>
      <Button
        variant="default"
        size="xs"
        loading={signOut.isPending}
        onClick={() => signOut.mutate(undefined)}
      >
        Sign out
      </Button>
    </Stack>
  );
}
