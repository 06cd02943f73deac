import { Alert, Button, type ButtonProps } from '@mantine/core';
import { useSession } from '../api/session.ts';

const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

/** The roles that someone with this role may give, take away or pass on. */
export function rolesUpTo(role: string): Role[] {
  return roles.slice(0, roles.indexOf(role as Role) + 1);
}

/** `admins and owners`, `members, admins and owners`. */
const inOneBreath = new Intl.ListFormat('en-GB', { type: 'conjunction' });

type WhyNot = (needed: { role: Role; scope: string | null }) => string | null;

/** Tells why whoever is signed in may not do something; null where they may. The server decides all the same. */
export function useWhyNot(): WhyNot {
  const { data: session } = useSession();
  return ({ role, scope }) => {
    if (!session) return 'Nobody is signed in.';
    const isScoped = scope === null || (session.scopes as readonly string[]).includes(scope);
    if (!isScoped) return `The token that you signed in with has no scope ${scope}.`;
    const mine = session.role as Role;
    if (roles.indexOf(mine) >= roles.indexOf(role)) return null;
    const able = roles.slice(roles.indexOf(role)).map((each) => `${each}s`);
    return `Only ${inOneBreath.format(able)} may do this; your role is ${mine}.`;
  };
}

type Props = ButtonProps & {
  /** Why it may not be pressed; null: it may. */
  reason: string | null;
  onClick: () => void;
  'aria-label'?: string;
};

/** A button that can still be reached where it may not be pressed, and then tells why. */
export function AllowedButton({ reason, onClick, ...props }: Props) {
  if (reason === null) return <Button onClick={onClick} {...props} />;
  return (
    <Button
      {...props}
      data-disabled
      aria-disabled
      aria-description={reason}
      onClick={(event) => event.preventDefault()}
    />
  );
}

/** Says once, above what is disabled, why it is. */
export function RightsNote({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <Alert variant="outline" color="gray" p="xs" title="You can look at this, but not change it">
      {reason}
    </Alert>
  );
}
