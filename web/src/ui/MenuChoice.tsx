import { Menu, type MenuItemProps } from '@mantine/core';
import type { ReactNode } from 'react';
import { Note } from './text.tsx';

type Props = MenuItemProps & { label: ReactNode; about: ReactNode; onClick: () => void };

/** An item of a menu, with a line that says what it is for. */
export function MenuChoice({ label, about, ...props }: Props) {
  return (
    <Menu.Item {...props}>
      {label}
      <Note size="xs">{about}</Note>
    </Menu.Item>
  );
}
