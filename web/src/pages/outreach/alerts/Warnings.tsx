import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { isOfMailServer, MailWarning, NoMailServer } from '../../../ui/NoMailServer.tsx';
import { TextLink } from '../../../ui/TextLink.tsx';

/** One line, for whatever reason emails are not sent. */
export function Warnings({ warnings }: { warnings: string[] }) {
  if (warnings.length === 0) return null;
  return (
    <MailWarning>
      <Text size="sm">
        <b>Email is off.</b>{' '}
        {warnings.map((warning) => (
          <span key={warning}>{reasonOf(warning)} </span>
        ))}
      </Text>
    </MailWarning>
  );
}

function reasonOf(warning: string): ReactNode {
  if (isOfMailServer(warning)) return <NoMailServer />;
  if (warning.includes('no owner or admin'))
    return (
      <>
        No owner or admin gets alert emails:{' '}
        <TextLink href="/settings/members" inherit underline="always">
          choose who does
        </TextLink>
        .
      </>
    );
  return warning;
}
