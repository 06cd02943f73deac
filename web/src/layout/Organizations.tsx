import { VisuallyHidden } from '@mantine/core';
import { useOwnOrganizations } from '../api/session.ts';
import { late } from '../ui/late.ts';
import { LateMenu, type TargetProps } from '../ui/LateMenu.tsx';
import { MenuButton } from './FrameMenu.tsx';

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

export function initialOf(name: string): string | undefined {
  return /[\p{L}\p{N}]/u.exec(name)?.[0].toUpperCase();
}
