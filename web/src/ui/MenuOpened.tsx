import { Menu, type MenuProps } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement, type ReactNode, type RefObject } from 'react';
import type { TargetProps } from './LateMenu.tsx';

type Props = Omit<MenuProps, 'opened' | 'onChange'> & {
  target: (props: TargetProps) => ReactElement;
  button?: RefObject<HTMLButtonElement | null>;
  maxHeight?: number | string;
  children: ReactNode;
};

/** The menu of a `LateMenu`, which opens at once. */
export function MenuOpened({ target, button: given, maxHeight, children, ...look }: Props) {
  const [isOpen, setOpen] = useState(false);
  const own = useRef<HTMLButtonElement>(null);
  const button = given ?? own;
  // Takes over the focus from the button that it replaces, so that closing the menu returns it here.
  useEffect(() => {
    button.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" {...look}>
      <Menu.Target>{target({ ref: button })}</Menu.Target>
      <Menu.Dropdown
        {...(maxHeight && { mah: maxHeight, style: { overflowY: 'auto', overflowWrap: 'anywhere' } })}
      >
        {children}
      </Menu.Dropdown>
    </Menu>
  );
}
