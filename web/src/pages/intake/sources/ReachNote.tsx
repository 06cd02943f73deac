import { Alert, Code } from '@mantine/core';
import { isPublicAddress } from '../../../../../src/platform/lib/publicAddress.ts';

/** Warns if a CI on the internet cannot reach the address. `sender` is its name. */
export function ReachNote({ url, sender }: { url: string; sender: string }) {
  const address = URL.parse(url);
  if (!address || isPublicAddress(url)) return null;
  return (
    <Alert
      color="yellow"
      variant="outline"
      p="xs"
      title={`${sender} cannot reach this address`}
      styles={{ label: { color: 'var(--mantine-color-text)' } }}
    >
      <Code>{address.host}</Code> is reachable only in your own network. Start the server with{' '}
      <Code>PUBLIC_URL</Code> set to a public address, or open a tunnel to it.
    </Alert>
  );
}
