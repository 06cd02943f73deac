import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../ui/Empty.tsx';
import { PageTitle } from '../ui/PageTitle.tsx';

export function Page() {
  return (
    <>
      <PageTitle title="Not found" />
      <Empty title="There is no such page">
        <Anchor component={Link} href="/" underline="always">
          To the overview
        </Anchor>
      </Empty>
    </>
  );
}
