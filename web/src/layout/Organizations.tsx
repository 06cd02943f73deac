import { UnstyledButton, VisuallyHidden, type UnstyledButtonProps } from '@mantine/core';
import { IconSelector } from '@tabler/icons-react';
import { lazy, Suspense, useState, type ComponentPropsWithRef } from 'react';
import { useOwnOrganizations, type OwnOrganization } from '../api/session.ts';
import { Boundary } from '../ui/Boundary.tsx';

const load = () => import('./OrganizationsMenu.tsx');
const OrganizationsMenu = lazy(async () => ({ default: (await load()).OrganizationsMenu }));

export type SwitchProps = { organization: { id: string; name: string }; isRail: boolean };

/** Switches between the person's organizations. The menu loads with the first click. */
export function Organizations(props: SwitchProps) {
  const [isWanted, setWanted] = useState(false);
  const { data } = useOwnOrganizations();
  const near = () => void load().catch(() => {}); // A click tries again.
  const plain = (
    <SwitchButton
      {...props}
      aria-haspopup="menu"
      onPointerEnter={near}
      onFocus={near}
      onClick={() => setWanted(true)}
    />
  );
  if (!isWanted || !data) return plain;
  return (
    <Boundary fallback={() => <SwitchButton {...props} onClick={() => window.location.reload()} />}>
      <Suspense fallback={plain}>
        <OrganizationsMenu {...props} organizations={data} />
      </Suspense>
    </Boundary>
  );
}

type ButtonProps = SwitchProps & UnstyledButtonProps & ComponentPropsWithRef<'button'>;

export function SwitchButton({ organization: { name }, isRail, ...props }: ButtonProps) {
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

export function needsSignIn({ is_entered: isEntered, single_sign_on_required: isRequired }: OwnOrganization) {
  return isRequired && !isEntered;
}
