import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../ui/Empty.tsx';
import { PageTitle } from '../ui/PageTitle.tsx';

export function Page() {
  return (
    <>
      <PageTitle title="Not found" />
      <Empty title="Page not found">
        <Anchor component={Link} href="/" underline="always">
          Go to the overview
        </Anchor>
      </Empty>
    </>
  );
}
