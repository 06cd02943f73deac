import { Button } from '@mantine/core';
import { IconShare2 } from '@tabler/icons-react';
import { late } from '../ui/late.ts';
import { LateMenu, type TargetProps } from '../ui/LateMenu.tsx';
import { Caret } from './Caret.tsx';
import type { Props } from './ShareOpened.tsx';

const load = () => import('./ShareOpened.tsx');
const ShareOpened = late(load, 'ShareOpened');

/** Shares the view by its address, or by a link for people without an account. */
export function ShareMenu(props: Omit<Props, 'target'>) {
  const isExplore = props.page === 'explore';
  const target = (more: TargetProps) => (
    <Button
      {...more}
      size="xs"
      variant="default"
      className={isExplore ? 'icon-on-phones' : ''}
      leftSection={isExplore && <IconShare2 size={16} stroke={1.7} aria-hidden="true" />}
      rightSection={<Caret />}
    >
      Share
    </Button>
  );
  return <LateMenu load={load} target={target} menu={<ShareOpened {...props} target={target} />} />;
}
