import { Alert, Anchor, Code, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** What keeps an alert's messages from arriving, each with what to do about it. */
export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      title="Nobody will be told by email"
      // The title in yellow could hardly be read on white.
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
        <Code style={{ overflowWrap: 'anywhere' }}>EMAIL_FROM=ci@example.com</Code>. A chat, if one is set in
        the <SettingsLink href="/settings">settings</SettingsLink>, is told all the same.
      </>
    );
  }
  if (warning.includes('alert_emails')) {
    return (
      <>
        Add an owner or admin under <SettingsLink href="/settings/members">members</SettingsLink>, or switch
        alert emails on for one who is there.
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
