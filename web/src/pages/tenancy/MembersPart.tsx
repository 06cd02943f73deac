import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { AllowedButton, RightsNote, rolesUpTo, useWhyNot, type Role } from '../../ui/rights.tsx';
import { useChange } from '../../ui/useChange.ts';
import { When } from '../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../ui/WideTable.tsx';
import { MemberForm } from './MemberForm.tsx';
import { membersKey, membersQuery, tokensKey, type Member } from './queries.ts';
import { whyNoEmails } from './words.ts';

type Opened = { what: 'add' } | { what: 'edit' | 'remove'; member: Member } | null;

export function MembersPart() {
  const members = useQuery(membersQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const close = () => setOpened(null);
  return (
    <Panel
      title="Members"
      aside={
        <AllowedButton size="compact-md" reason={reason} onClick={() => setOpened({ what: 'add' })}>
          Add member
        </AllowedButton>
      }
    >
      <RightsNote reason={reason} />
      <Loaded query={members} height={240}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No members yet">
              Add the people who manage costs. Owners and admins get alert emails, and any member can have
              tokens.
            </Empty>
          ) : (
            <MemberTable members={list} reason={reason} onOpen={setOpened} />
          )
        }
      </Loaded>
      {opened?.what === 'add' && <MemberForm member={null} onClose={close} />}
      {opened?.what === 'edit' && <MemberForm member={opened.member} onClose={close} />}
      {opened?.what === 'remove' && <RemoveMember member={opened.member} onClose={close} />}
    </Panel>
  );
}

type TableProps = { members: Member[]; reason: string | null; onOpen: (opened: Opened) => void };

function MemberTable({ members, reason, onOpen }: TableProps) {
  return (
    <WideTable label="Members" minWidth={720}>
      <Columns texts={['Member', 'Role', 'Alert emails', 'Added', 'Actions']} />
      <tbody>
        {members.map((member) => (
          <MemberRow key={member.id} member={member} reason={reason} onOpen={onOpen} />
        ))}
      </tbody>
    </WideTable>
  );
}

function useMemberReason(role: Role, reason: string | null): string | null {
  const { data: session } = useSession();
  if (reason !== null || !session || rolesUpTo(session.role).includes(role)) return reason;
  return `Your role is ${session.role}, so you cannot edit or remove an ${role}.`;
}

type RowProps = { member: Member; reason: string | null; onOpen: (opened: Opened) => void };

function MemberRow({ member, reason, onOpen }: RowProps) {
  const whyNot = useMemberReason(member.role, reason);
  const { data: session } = useSession();
  return (
    <tr>
      <th scope="row" style={breaking}>
        <Stack gap={0}>
          <Group gap={6}>
            <Text size="sm" fw={500}>
              {member.name ?? member.email}
            </Text>
            {session?.member?.email === member.email && (
              <Badge variant="outline" tt="none" size="sm">
                you
              </Badge>
            )}
          </Group>
          {member.name !== null && (
            <Text size="sm" c="dimmed">
              {member.email}
            </Text>
          )}
        </Stack>
      </th>
      <td>{member.role}</td>
      <td>{member.alert_emails && whyNoEmails(member.role) === null ? 'yes' : 'no'}</td>
      <td>
        <When at={member.created_at} />
      </td>
      <td>
        <Group gap="xs" wrap="nowrap">
          <AllowedButton
            size="compact-sm"
            variant="default"
            reason={whyNot}
            aria-label={`Edit ${member.email}`}
            onClick={() => onOpen({ what: 'edit', member })}
          >
            Edit
          </AllowedButton>
          <AllowedButton
            size="compact-sm"
            variant="default"
            reason={whyNot}
            aria-label={`Remove ${member.email}`}
            onClick={() => onOpen({ what: 'remove', member })}
          >
            Remove
          </AllowedButton>
        </Group>
      </td>
    </tr>
  );
}

function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const remove = useChange({
    act: async () => {
      await api.DELETE('/api/v1/members/{id}', { params: { path: { id: member.id } } });
    },
    done: `${member.email} was removed.`,
    refresh: [membersKey, tokensKey],
  });
  return (
    <Confirm
      title="Remove this member?"
      label="Remove member"
      isBusy={remove.isPending}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSettled: onClose })}
    >
      {member.email} gets no more emails, and their tokens and sessions end immediately. All other sessions
      that started from a command-line sign-in link end too.
    </Confirm>
  );
}
