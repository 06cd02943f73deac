import { Button } from '@mantine/core';
import { Link } from 'wouter';
import { sentence } from './figures.ts';
import { Lost } from './Lost.tsx';

type Props = {
  what: string;
  href: string;
  list: string;
};

export function NotFound({ what, href, list }: Props) {
  return (
    <Lost
      title={`${sentence(what)} not found`}
      text="It may have been deleted, or the link is mistyped."
      actions={
        <Button component={Link} href={href}>
          All {list}
        </Button>
      }
    />
  );
}
