import { Alert, Anchor, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';

/** The one wording of the fact that the server cannot send email. `isHere`: the way to set it stands below. */
export function NoMailServer({ isHere = false }: { isHere?: boolean }) {
  return (
    <>
      No mail server is set: start Runcost with <Code>SMTP_URL</Code> and <Code>EMAIL_FROM</Code>.
      {!isHere && (
        <>
          {' '}
          <Anchor component={Link} href="/settings/notifications" inherit underline="always">
            How to set it
          </Anchor>
        </>
      )}
    </>
  );
}

/** Whether a warning of the API says so: it has the names of the settings. */
export function isOfMailServer(warning: string): boolean {
  return warning.includes('SMTP_URL');
}

/** A line above what will not arrive. */
export function MailWarning({ children }: { children: ReactNode }) {
  return (
    <Alert
      color="yellow"
      variant="outline"
      px="md"
      py={8}
      styles={{ message: { color: 'var(--mantine-color-text)' } }}
    >
      {children}
    </Alert>
  );
}
