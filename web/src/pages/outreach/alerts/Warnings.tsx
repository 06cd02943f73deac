import { Alert, Anchor, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      title="Email is off"
      // A yellow title has too little contrast on white.
      styles={{ title: { color: 'var(--mantine-color-text)' } }}
    >
      <Stack gap="xs" maw={860}>
        {warnings.map((warning) => (
          <Text key={warning} size="sm">
            {warning} {adviceFor(warning)}
          </Text>
        ))}
      </Stack>
    </Alert>
  );
}

function adviceFor(warning: string): ReactNode {
  if (warning.includes('SMTP_URL')) {
    return (
      <>
        Start the server with both, for example{' '}
        <Code style={{ overflowWrap: 'anywhere' }}>SMTP_URL=smtps://user:password@mail.example.com</Code> and{' '}
        <Code style={{ overflowWrap: 'anywhere' }}>EMAIL_FROM=ci@example.com</Code>. Slack and Teams are still
        notified, if you set them up in{' '}
        <SettingsLink href="/settings/notifications">Settings, Notifications</SettingsLink>.
      </>
    );
  }
  if (warning.includes('no owner or admin')) {
    return (
      <>
        Add an owner or admin in <SettingsLink href="/settings/members">Settings, Members</SettingsLink>, or
        turn on alert emails for an existing one.
      </>
    );
  }
  return null;
}

function SettingsLink({ href, children }: { href: string; children: string }) {
  return (
    <Anchor component={Link} href={href} inherit underline="always">
      {children}
    </Anchor>
  );
}
