import { Anchor, Button, Stack, VisuallyHidden } from '@mantine/core';
import { useSignOut } from '../api/session.ts';
import { late } from '../ui/late.ts';
import { LateMenu, type TargetProps } from '../ui/LateMenu.tsx';
import { PlainDialog } from '../ui/PlainDialog.tsx';
import { useChange } from '../ui/useChange.ts';
import { MenuButton } from './FrameMenu.tsx';
import { initialOf } from './Organizations.tsx';

const load = () => import('./AccountMenu.tsx');
const AccountMenu = late(load, 'AccountMenu');

export type Session = {
  organization: { id: string; name: string };
  member: { email: string; name: string | null } | null;
  token: { name: string } | null;
  role: string;
  other_organizations: number;
};

type AccountProps = { session: Session; isRail: boolean; onShortcuts: () => void };

export function Account(props: AccountProps) {
  const target = (more: TargetProps) => <AccountButton {...props} {...more} />;
  return (
    <LateMenu
      load={load}
      target={target}
      menu={<AccountMenu target={target({})} isRail={props.isRail} onShortcuts={props.onShortcuts} />}
      failed={(close) => (
        <>
          {target({})}
          <PlainAccount onClose={close} />
        </>
      )}
    />
  );
}

function AccountButton({ session, isRail, onShortcuts: _, ...props }: AccountProps & TargetProps) {
  const { organization, member, token, role } = session;
  const person = member?.name ?? member?.email ?? (token ? `Token “${token.name}”` : 'Command-line link');
  // Then the organization is at the top of the navigation.
  const isSwitched = session.other_organizations > 0;
  const [name, note] = isSwitched ? [person, role] : [organization.name, `${person} · ${role}`];
  return (
    <MenuButton
      {...props}
      className="account-button"
      initial={initialOf(name)}
      rail={
        isRail && {
          label: `${organization.name}, ${person}, ${role}: account menu`,
          hint: `${organization.name} · ${person}`,
        }
      }
    >
      <span className="account-names">
        <span>{name}</span>
        <small>{note}</small>
        <VisuallyHidden>account menu</VisuallyHidden>
      </span>
    </MenuButton>
  );
}

/** Offers signing out if the menu fails to load. */
function PlainAccount({ onClose }: { onClose: () => void }) {
  const signOut = useChange({ act: useSignOut() });
  return (
    <PlainDialog title="The menu failed to load" onClose={onClose}>
      <Stack align="flex-start">
        <Anchor href="/docs">API documentation</Anchor>
        <Button variant="default" loading={signOut.isPending} onClick={() => signOut.mutate(undefined)}>
          Sign out
        </Button>
      </Stack>
    </PlainDialog>
  );
}
