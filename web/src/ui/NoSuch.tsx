import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from './Empty.tsx';
import { PageTitle } from './PageTitle.tsx';

type Props = {
  /** What the address names, such as `alert`. */
  what: string;
  /** Where all of them are listed. */
  href: string;
  /** What is listed there, such as `alerts`. */
  list: string;
};

/** The page of something that does not exist, or no longer, and the way back to the list. */
export function NoSuch({ what, href, list }: Props) {
  return (
    <>
      <PageTitle title={what[0]!.toUpperCase() + what.slice(1)} />
      <Empty title={`There is no such ${what}`}>
        It may have been deleted.{' '}
        <Anchor component={Link} href={href} underline="always">
          All {list}
        </Anchor>
      </Empty>
    </>
  );
}
