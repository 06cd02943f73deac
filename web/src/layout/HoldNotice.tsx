import { Alert, Code } from '@mantine/core';

export type Held = { hold: string | null; command_line: string };

/** A copy of an installation is on hold: it sends nothing until someone resumes it. */
export function HoldNotice({ session }: { session: Held | undefined }) {
  if (!session?.hold) return null;
  return (
    <Alert color="yellow" variant="light" mb="md" role="status">
      <b>On hold.</b> {session.hold} No messages, webhooks, alert checks or backfills leave it until{' '}
      <Code>{session.command_line} resume</Code>
    </Alert>
  );
}
