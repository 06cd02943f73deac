import { Button } from '@mantine/core';
import { Link } from 'wouter';

/** The costs of a page in Explore. */
export function ExploreLink({ href }: { href: string }) {
  return (
    <Button component={Link} href={href} size="xs" variant="default">
      Explore
    </Button>
  );
}
