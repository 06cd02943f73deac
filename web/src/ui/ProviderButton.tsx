import { Button } from '@mantine/core';
import { IconExternalLink } from '@tabler/icons-react';

const hosts: Record<string, string> = { 'github.com': 'GitHub', 'gitlab.com': 'GitLab' };

export function ProviderButton({ href }: { href: string }) {
  const { host } = new URL(href);
  return (
    <Button
      component="a"
      href={href}
      target="_blank"
      rel="noreferrer"
      size="xs"
      variant="default"
      rightSection={<IconExternalLink size={14} aria-hidden="true" />}
    >
      Open on {hosts[host] ?? host}
    </Button>
  );
}
