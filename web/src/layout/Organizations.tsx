import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
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
    <UnstyledButton
      {...props}
      className="switch-button"
      {...(isRail && { 'aria-label': `${name}: switch organization`, 'data-hint': `${name}: switch` })}
    >
      <span className="account-initial" aria-hidden>
        {initialOf(name)}
      </span>
      {!isRail && (
        <>
          <span className="switch-name">
            {name}
            <VisuallyHidden>: switch organization</VisuallyHidden>
          </span>
          <IconSelector size={16} stroke={1.6} aria-hidden />
        </>
      )}
    </UnstyledButton>
  );
}

export function initialOf(name: string): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}
