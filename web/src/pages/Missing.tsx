import { Anchor } from '@mantine/core';
import { Link } from 'wouter';
import { Empty } from '../shown/Empty.tsx';

export function Page() {
  return (
    <Empty title="There is no such page">
      <Anchor component={Link} href="/">
        To the overview
      </Anchor>
    </Empty>
  );
}
