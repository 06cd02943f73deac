import { Menu } from '@mantine/core';
import type { ReactElement } from 'react';
import type { TargetProps } from '../ui/LateMenu.tsx';
import { MenuOpened } from '../ui/MenuOpened.tsx';

export type Option = { value: string; title: string; isDisabled?: boolean };

type Props = {
  target: (props: TargetProps) => ReactElement;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
};

export function PickOpened({ target, value, options, onChange }: Props) {
  return (
    <MenuOpened target={target} position="bottom-start" width="max-content" maxHeight={360}>
      <Menu.RadioGroup value={value} onChange={onChange}>
        {options.map((option) => (
          <Menu.RadioItem
            key={option.value}
            value={option.value}
            closeMenuOnClick
            {...(option.isDisabled ? { disabled: true } : {})}
          >
            {option.title}
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </MenuOpened>
  );
}
