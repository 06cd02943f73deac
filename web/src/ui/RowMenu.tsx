import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { late } from './late.ts';
import { LateMenu, type TargetProps } from './LateMenu.tsx';
import type { Item } from './RowMenuOpened.tsx';

const load = () => import('./RowMenuOpened.tsx');
const RowMenuOpened = late(load, 'RowMenuOpened');

type MenuProps = {
  target: (props: TargetProps) => ReactElement;
  items: readonly Item[];
  width?: number;
};

/** A menu of actions below its button. */
export function ActionMenu(props: MenuProps) {
  return <LateMenu load={load} target={props.target} menu={<RowMenuOpened {...props} />} />;
}

type Props = {
  /** What the actions apply to, for screen readers. */
  of: string;
  items: readonly Item[];
};

/** One button for a row's actions. */
export function RowMenu({ of, items }: Props) {
  const target = (props: TargetProps) => (
    <ActionIcon
      {...props}
      variant="subtle"
      color="gray"
      size={28}
      className="row-icon"
      aria-label={`Actions for ${of}`}
    >
      <IconDots size={18} aria-hidden />
    </ActionIcon>
  );
  return <ActionMenu target={target} items={items} width={220} />;
}
