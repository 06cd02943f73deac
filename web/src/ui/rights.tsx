import { Button, Group, type ButtonProps } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useSession } from '../api/session.ts';
import type { Column } from './columns.ts';
import { sentence } from './figures.ts';

const roles = ['viewer', 'member', 'admin', 'owner'] as const;
export type Role = (typeof roles)[number];

export function rolesUpTo(role: string): Role[] {
  return roles.slice(0, roles.indexOf(role as Role) + 1);
}

/** Roles that a person with this role may give. */
export function roleOptions(role: string): { value: Role; label: string }[] {
  return rolesUpTo(role).map((each) => ({ value: each, label: sentence(each) }));
}

/** For example `admins and owners` or `members, admins, and owners`. */
const lists = new Intl.ListFormat('en-US', { type: 'conjunction' });

type WhyNot = (needed: { role: Role; scope: string | null }) => string | null;

/** Why the current session may not do something; null if it may. The server checks again. */
export function useWhyNot(): WhyNot {
  const { data: session } = useSession();
  return ({ role, scope }) => {
    if (!session) return 'You are not signed in.';
    const isScoped = scope === null || (session.scopes as readonly string[]).includes(scope);
    if (!isScoped) return `Your token does not have the ${scope} scope.`;
    return roleReason(session.role, role);
  };
}

const can = 'can do this';

function roleReason(mine: string, role: Role): string | null {
  if (roles.indexOf(mine as Role) >= roles.indexOf(role)) return null;
  const able = roles.slice(roles.indexOf(role)).map((each) => `${each}s`);
  return `Only ${lists.format(able)} ${can}. Your role is ${mine}.`;
}

/** The look of the usual buttons beside a title or in a row. */
export const small = { size: 'compact-sm', variant: 'default' } as const;

type Props = ButtonProps & {
  reason: string | null;
  onClick: () => void;
  'aria-label'?: string;
  'aria-expanded'?: boolean;
  'aria-controls'?: string;
};

/** Renders nothing if the person's role never allows the action, because a `RightsNote` on the page says so once. */
export function AllowedButton({ reason, onClick, ...props }: Props) {
  const { data: session } = useSession();
  if (reason === null) return <Button onClick={onClick} {...props} />;
  if (session && roles.some((role) => roleReason(session.role, role) === reason)) return null;
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

/** A button among others, such as in a row of a table. */
export function SmallButton({ reason = null, ...props }: Omit<Props, 'reason'> & { reason?: string | null }) {
  if (reason === null) return <Button {...small} {...props} />;
  return <AllowedButton {...small} reason={reason} {...props} />;
}

export function RightsNote({ reason }: { reason: string | null }) {
  if (reason === null) return null;
  return (
    <Group gap={6} wrap="nowrap" c="dimmed" fz="sm" role="note">
      <IconLock size={15} stroke={1.7} aria-hidden style={{ flex: 'none' }} />
      <span>View only. {reason.replace(can, 'can make changes')}</span>
    </Group>
  );
}

export const roleColumn: Column<{ role: Role }> = {
  title: 'Role',
  isPlain: true,
  value: ({ role }) => rolesUpTo(role).length,
  csv: ({ role }) => role,
  cell: ({ role }) => sentence(role),
};

export function whyNoEmails(role: Role): string | null {
  if (role === 'owner' || role === 'admin') return null;
  return 'Only owners and admins get alert emails.';
}
