import { Menu, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { MoreButton, type RowMenuProps } from './RowMenu.tsx';

export function RowMenuOpened({ of, items }: RowMenuProps) {
  const [isOpen, setOpen] = useState(false);
  const target = useRef<HTMLButtonElement>(null);
  const focusTarget = () => target.current?.focus({ preventScroll: true });
  // Takes over the focus from the button that it replaces, so that closing the menu returns it here.
  useEffect(() => {
    focusTarget();
    setOpen(true);
  }, []);
  return (
    <Menu opened={isOpen} onChange={setOpen} position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <MoreButton of={of} ref={target} />
      </Menu.Target>
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
            {reason !== null && (
              <Text size="xs" c="dimmed">
                {reason}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
