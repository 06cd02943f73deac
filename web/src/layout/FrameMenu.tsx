import { UnstyledButton } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { TargetProps } from '../ui/LateMenu.tsx';

type ButtonProps = TargetProps & {
  className: string;
  initial: string | undefined;
  /** Its words where the navigation shows only icons. */
  rail: { label: string; hint: string } | false;
  children: ReactNode;
};

/** A button of the navigation that opens a menu. */
export function MenuButton({ initial, rail, children, ...props }: ButtonProps) {
  return (
    <UnstyledButton {...props} {...(rail && { 'aria-label': rail.label, 'data-hint': rail.hint })}>
      <span className="account-initial" aria-hidden>
        {initial}
      </span>
      {!rail && (
        <>
          {children}
          <IconSelector size={16} stroke={1.6} aria-hidden />
        </>
      )}
    </UnstyledButton>
  );
}

/** Of menus of the navigation. They load when they open. */
export const menuProps = (isRail: boolean, side: 'start' | 'end') =>
  ({
    position: isRail ? (`right-${side}` as const) : side === 'start' ? 'bottom-start' : 'top-start',
    shadow: 'md',
    withinPortal: false,
    withInitialFocusPlaceholder: false,
    transitionProps: { duration: 0 },
  }) as const;
