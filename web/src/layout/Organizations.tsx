import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useOwnOrganizations } from '../api/session.ts';
import { late } from '../ui/late.ts';
import { LateMenu, type TargetProps } from '../ui/LateMenu.tsx';

const load = () => import('./OrganizationsMenu.tsx');
const OrganizationsMenu = late(load, 'OrganizationsMenu');

type SwitchProps = { organization: { id: string; name: string }; isRail: boolean };

/** Switches between the person's organizations. */
export function Organizations(props: SwitchProps) {
  const { data } = useOwnOrganizations();
  const target = (more: TargetProps) => <SwitchButton {...props} {...more} />;
  return (
    <LateMenu
      load={load}
      target={target}
      menu={<OrganizationsMenu {...props} target={target({})} organizations={data ?? []} />}
      isReady={data !== undefined}
    />
  );
}

function SwitchButton({ organization: { name }, isRail, ...props }: SwitchProps & TargetProps) {
  return (
    <MenuButton
      {...props}
      className="switch-button"
      initial={initialOf(name)}
      rail={isRail && { label: `${name}: switch organization`, hint: `${name}: switch` }}
    >
      <span className="switch-name">
        {name}
        <VisuallyHidden>: switch organization</VisuallyHidden>
      </span>
    </MenuButton>
  );
}

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

export function initialOf(name: string): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}
