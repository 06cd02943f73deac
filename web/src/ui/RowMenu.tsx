import { ActionIcon, Menu, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';

type Item = { label: string; onClick: () => void; reason?: string | null };

type Props = {
  /** Whose actions they are, for those who only hear the button. */
  of: string;
  items: readonly Item[];
};

/** The actions of a row that few people need: one quiet button in place of several. */
export function RowMenu({ of, items }: Props) {
  return (
    <Menu position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={28} aria-label={`Actions for ${of}`}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
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
