import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconBook, IconKeyboard, IconLogout } from '@tabler/icons-react';
import { useState, type ReactElement } from 'react';
import { useSignOut } from '../api/session.ts';
import { useChange } from '../ui/useChange.ts';
import { menuProps } from './FrameMenu.tsx';
import { schemes } from './schemes.ts';

const iconProps = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

type Props = { target: ReactElement; isRail: boolean; onShortcuts: () => void };

export function AccountMenu({ target, isRail, onShortcuts }: Props) {
  const [isOpen, setOpen] = useState(true);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useChange({ act: useSignOut() });
  return (
    <Menu opened={isOpen} onChange={setOpen} width={232} {...menuProps(isRail, 'end')}>
      <Menu.Target>{target}</Menu.Target>
      <Menu.Dropdown aria-label="Account">
        <Menu.Label>Theme</Menu.Label>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(scheme) => setColorScheme(scheme as MantineColorScheme)}
        >
          {schemes.map(({ value, label, icon: SchemeIcon }) => (
            <Menu.RadioItem key={value} value={value} rightSection={<SchemeIcon {...iconProps} />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item component="a" href="/docs" leftSection={<IconBook {...iconProps} />}>
          API documentation
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard {...iconProps} />} onClick={onShortcuts}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout {...iconProps} />}
          disabled={signOut.isPending}
          onClick={() => signOut.mutate(undefined)}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
