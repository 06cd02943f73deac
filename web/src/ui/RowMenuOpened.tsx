import { Menu } from '@mantine/core';
import { useRef, type ReactElement } from 'react';
import type { TargetProps } from './LateMenu.tsx';
import { MenuOpened } from './MenuOpened.tsx';
import { Note } from './text.tsx';

export type Item = {
  label: string;
  /** What it is for. */
  about?: string;
  onClick: () => void;
  /** Why it cannot be chosen. */
  reason?: string | null;
};

type Props = {
  target: (props: TargetProps) => ReactElement;
  items: readonly Item[];
  width?: number;
};

export function RowMenuOpened({ target, items, width }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <MenuOpened target={target} button={button} {...(width && { width })}>
      {items.map(({ label, about, onClick, reason = null }) => (
        <Menu.Item
          key={label}
          disabled={reason !== null}
          onClick={() => {
            button.current?.focus({ preventScroll: true }); // A dialog returns the focus to it.
            onClick();
          }}
        >
          {label}
          {(reason ?? about) && <Note size="xs">{reason ?? about}</Note>}
        </Menu.Item>
      ))}
    </MenuOpened>
  );
}
