import { Alert, Anchor, Code, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** One line, whatever keeps emails back. */
export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" variant="outline" px="md" py={8}>
      <Text size="sm">
        <b>Email is off.</b>{' '}
        {warnings.map((warning) => (
          <span key={warning}>{reasonOf(warning)} </span>
        ))}
      </Text>
    </Alert>
  );
}

function reasonOf(warning: string): ReactNode {
  if (warning.includes('SMTP_URL'))
    return (
      <>
        The server has no mail server: set <Code>SMTP_URL</Code> and <Code>EMAIL_FROM</Code>, or{' '}
        <SettingsLink href="/settings/notifications">set up a chat</SettingsLink>.
      </>
    );
  if (warning.includes('no owner or admin'))
    return (
      <>
        No owner or admin gets alert emails:{' '}
        <SettingsLink href="/settings/members">choose who does</SettingsLink>.
      </>
    );
  return warning;
}

function SettingsLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor component={Link} href={href} inherit underline="always">
      {children}
    </Anchor>
  );
}
