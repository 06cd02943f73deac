import { Alert, Code } from '@mantine/core';
import type { ReactNode } from 'react';
import { InText } from './text.tsx';

/** The single wording for a server that cannot send email. `isHere` means that the setting is below. */
export function NoMailServer({ isHere = false }: { isHere?: boolean }) {
  return (
    <>
      No mail server is set: start Runcost with <Code>SMTP_URL</Code> and <Code>EMAIL_FROM</Code>.
      {!isHere && (
        <>
          {' '}
          <InText href="/settings/notifications">How to set it</InText>
        </>
      )}
    </>
  );
}

/** Whether an API warning is about the mail server. It then contains the names of its settings. */
export function isOfMailServer(warning: string): boolean {
  return warning.includes('SMTP_URL');
}

/** A warning above messages that will not arrive. */
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
