import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from './Empty.tsx';
import { PageTitle } from './PageTitle.tsx';

type Props = {
  what: string;
  href: string;
  list: string;
};

export function NotFound({ what, href, list }: Props) {
  const name = what[0]!.toUpperCase() + what.slice(1);
  return (
    <>
      <PageTitle title={`${name} not found`} />
      <Empty>
        It may have been deleted.{' '}
        <Anchor component={Link} href={href} underline="always">
          All {list}
        </Anchor>
      </Empty>
    </>
  );
}
