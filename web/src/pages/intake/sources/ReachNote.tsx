import { Alert, Code } from '@mantine/core';
import { usePublicUrl } from '../../../api/session.ts';
import { sentence } from '../../../ui/figures.ts';

/** Warns that a CI on the internet cannot reach this server. `sender` is the CI's name; your own may be in the same network. */
export function ReachNote({ sender, isOwn = false }: { sender: string; isOwn?: boolean }) {
  const { url, isPublic } = usePublicUrl();
  if (isPublic) return null;
  const { host, hostname } = new URL(url);
  const where = /^(localhost|127\.|\[::1\])/.test(hostname) ? 'on this machine' : 'in your own network';
  const title = `${sentence(sender)} ${isOwn ? 'may not' : 'cannot'} reach this address`;
  return (
    <Alert color="yellow" variant="outline" p="xs" title={title}>
      <Code>{host}</Code> is reachable only {where}. {isOwn ? `If ${sender} is elsewhere, start` : 'Start'}{' '}
      the server with <Code>PUBLIC_URL</Code> set to{' '}
      {isOwn ? 'an address that it reaches' : 'a public address'}, or open a tunnel to it.
    </Alert>
  );
}
