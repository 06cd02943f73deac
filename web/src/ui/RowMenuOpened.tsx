import { Menu, Text } from '@mantine/core';
import { MoreButton, type RowMenuProps } from './RowMenu.tsx';

export function RowMenuOpened({ of, items }: RowMenuProps) {
  return (
    <Menu defaultOpened position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <MoreButton of={of} />
      </Menu.Target>
      <Menu.Dropdown>
        {items.map(({ label, onClick, reason = null }) => (
          <Menu.Item key={label} disabled={reason !== null} onClick={onClick}>
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
