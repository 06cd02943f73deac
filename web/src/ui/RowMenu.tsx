import { ActionIcon } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { late } from './late.ts';
import { LateMenu, type TargetProps } from './LateMenu.tsx';

const load = () => import('./RowMenuOpened.tsx');
const RowMenuOpened = late(load, 'RowMenuOpened');

type Props = {
  /** What the actions apply to, for screen readers. */
  of: string;
  items: readonly { label: string; onClick: () => void; reason?: string | null }[];
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
  return <LateMenu load={load} target={target} menu={<RowMenuOpened target={target} items={items} />} />;
}
