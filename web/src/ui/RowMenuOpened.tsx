import { Menu } from '@mantine/core';
import { useEffect, useRef, useState, type ReactElement } from 'react';
import type { TargetProps } from './LateMenu.tsx';
import { Note } from './text.tsx';

type Props = {
  target: (props: TargetProps) => ReactElement;
  items: readonly { label: string; onClick: () => void; reason?: string | null }[];
};

export function RowMenuOpened({ target, items }: Props) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const focusTarget = () => button.current?.focus({ preventScroll: true });
  // Takes over the focus from the button that it replaces, so that closing the menu returns it here.
  useEffect(() => {
    focusTarget();
    setOpen(true);
  }, []);
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" width={220}>
      <Menu.Target>{target({ ref: button })}</Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label, onClick, reason = null }) => (
          <Menu.Item
            key={label}
            disabled={reason !== null}
            onClick={() => {
              focusTarget(); // A dialog returns the focus to it.
              onClick();
            }}
          >
            {label}
            {reason !== null && <Note size="xs">{reason}</Note>}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
