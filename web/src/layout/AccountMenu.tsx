import { Menu, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconBook, IconKeyboard, IconLogout } from '@tabler/icons-react';
import { useState } from 'react';
import { useSignOut } from '../api/session.ts';
import { useChange } from '../ui/useChange.ts';
import { AccountButton, type AccountProps } from './Account.tsx';
import { schemes } from './schemes.ts';

const iconProps = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

export function AccountMenu(props: AccountProps) {
  const [isOpen, setOpen] = useState(true);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const signOut = useChange({ act: useSignOut() });
  return (
    <Menu
      opened={isOpen}
      onChange={setOpen}
      position={props.isRail ? 'right-end' : 'top-start'}
      width={232}
      shadow="md"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      transitionProps={{ duration: 0 }}
    >
      <Menu.Target>
        <AccountButton {...props} />
      </Menu.Target>
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
        <Menu.Item leftSection={<IconKeyboard {...iconProps} />} onClick={props.onShortcuts}>
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
