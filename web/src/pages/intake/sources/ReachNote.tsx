import { Alert, Code } from '@mantine/core';
import { usePublicUrl } from '../../../api/session.ts';

/** Warns that a CI on the internet cannot reach this server. `sender` is the CI's name. */
export function ReachNote({ sender }: { sender: string }) {
  const { url, isPublic } = usePublicUrl();
  if (isPublic) return null;
  return (
    <Alert color="yellow" variant="outline" p="xs" title={`${sender} cannot reach this address`}>
      <Code>{new URL(url).host}</Code> is reachable only in your own network. Start the server with{' '}
      <Code>PUBLIC_URL</Code> set to a public address, or open a tunnel to it.
    </Alert>
  );
}
