import { Alert, Code } from '@mantine/core';

const localNames =
  /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[|.*\.(local|internal|localhost)$)/;

export function isLocalAddress(url: string): boolean {
  const address = URL.parse(url);
  return address !== null && localNames.test(address.hostname);
}

/** Warns if a CI on the internet cannot reach the address. `sender` is its name. */
export function ReachNote({ url, sender }: { url: string; sender: string }) {
  const address = URL.parse(url);
  if (!address || !isLocalAddress(url)) return null;
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
