import { Badge, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { type Member, membersKey, membersQuery, tokensKey } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { initialOf } from '../../layout/Organizations.tsx';
import { textColumn, timeColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { Form } from '../../ui/Form.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import {
  AllowedButton,
  RightsNote,
  roleColumn,
  rolesUpTo,
  useWhyNot,
  whyNoEmails,
} from '../../ui/rights.tsx';
import type { RowActions } from '../../ui/rowActions.tsx';
import { Note } from '../../ui/text.tsx';
import { InvitationsPart, Invite, useRoleField } from './InvitationsPart.tsx';

type Opened = 'add' | 'invite' | null;

export function MembersPart() {
  const members = useQuery(membersQuery);
  const [opened, setOpened] = useState<Opened>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const close = () => setOpened(null);
  const { data: session } = useSession();
  const withoutMember = useWithoutMember();
  const people = (
    <ResourcePanel
      label="Members"
      query={members}
      columns={columnsFor(reason)}
      rowActions={reason === null ? actionsOf(session?.role) : null}
      minWidth={680}
      fileName="runcost-members"
      isOfPage
      lead={reason === null ? withoutMember : <RightsNote reason={reason} />}
      actions={
        <AllowedButton size="compact-sm" reason={reason} onClick={() => setOpened('invite')}>
          Invite
        </AllowedButton>
      }
      empty={{
        title: 'No members yet',
        text: 'Invite the people who manage costs. Owners and admins get alert emails, and any member can have tokens.',
      }}
    >
      {opened === 'invite' && <Invite onClose={close} onAdd={() => setOpened('add')} />}
      {opened === 'add' && <MemberForm member={null} onClose={close} />}
    </ResourcePanel>
  );
  // Waits for the members, because the invitations below would move.
  if (reason !== null || members.isPending) return people;
  return (
    <Stack gap="xl">
      {people}
      <InvitationsPart />
    </Stack>
  );
}

/** Explains why the signed-in session is not in the list; null if it is. */
function useWithoutMember(): string | null {
  const { data: session } = useSession();
  if (!session || session.member) return null;
  return `You signed in with a token or on the server, so you are not in this list. Your role is ${session.role}.`;
}

function getsEmails({ alert_emails: wants, role }: Member): string {
  return wants && whyNoEmails(role) === null ? 'On' : 'Off';
}

function columnsFor(reason: string | null): Column<Member>[] {
  return [
    {
      title: 'Member',
      value: ({ email }) => email,
      cell: (member) => <MemberName member={member} />,
    },
    roleColumn,
    textColumn('Alert emails', getsEmails),
    timeColumn('Added', ({ created_at }) => created_at, { isHiddenOnPhones: true }),
    ...(reason === null
      ? [timeColumn('Last seen', ({ last_seen_at: at }: Member) => at, { none: 'Not recorded' })]
      : []),
  ];
}

function MemberName({ member }: { member: Member }) {
  const { data: session } = useSession();
  return (
    <>
      <Group gap={8} className="member-name">
        <span className="member-initial" aria-hidden>
          {initialOf(member.name ?? '') ?? initialOf(member.email)}
        </span>
        <Text size="sm" fw={500}>
          {member.name ?? member.email}
        </Text>
        {session?.member?.email === member.email && (
          <Badge variant="outline" tt="none" size="sm">
            you
          </Badge>
        )}
      </Group>
      {member.name !== null && <Note className="row-note">{member.email}</Note>}
    </>
  );
}

function actionsOf(mine: string | undefined): RowActions<Member> {
  const reason = ({ role }: Member) =>
    mine === undefined || rolesUpTo(mine).includes(role)
      ? null
      : `Your role is ${mine}, so you cannot edit or remove an ${role}.`;
  return {
    of: ({ email }) => email,
    edit: { reason, form: (member, close) => <MemberForm member={member} onClose={close} /> },
    remove: {
      verb: 'Remove',
      what: 'member',
      reason,
      text: ({ email }) =>
        `${email} gets no more emails, and their tokens and sessions end immediately. Their share links stop ` +
        'working. All other sessions that started from a command-line sign-in link end too.',
      act: ({ id }) => api.DELETE('/api/v1/members/{id}', { params: { path: { id } } }),
      done: ({ email }) => `${email} was removed.`,
      refresh: [membersKey, tokensKey],
    },
  };
}

const none: Pick<Member, 'email' | 'name' | 'role' | 'alert_emails'> = {
  email: '',
  name: null,
  role: 'member',
  alert_emails: true,
};

function MemberForm({ member, onClose }: { member: Member | null; onClose: () => void }) {
  const { email, name, role, alert_emails } = member ?? none;
  const roleField = useRoleField();
  return (
    <Form
      title={member ? 'Edit member' : 'Add member'}
      size="md"
      label={member ? 'Save' : 'Add member'}
      initial={{ email, name, role, alert_emails }}
      fields={({ values }) => {
        const whyNoEmail = whyNoEmails(values.role);
        return [
          {
            name: 'email',
            label: 'Email',
            type: 'email',
            required: true,
            maxLength: 254,
            'data-autofocus': true,
          },
          { name: 'name', label: 'Name (optional)', maxLength: 255 },
          roleField(values.role),
          {
            name: 'alert_emails',
            kind: 'switch',
            label: 'Send alert emails',
            description: whyNoEmail,
            disabled: whyNoEmail !== null,
            ...(whyNoEmail !== null && { checked: false }),
          },
        ];
      }}
      act={async (values) => {
        const body = { ...values, name: values.name || null };
        if (member) await api.PUT('/api/v1/members/{id}', { params: { path: { id: member.id } }, body });
        else await api.POST('/api/v1/members', { body });
      }}
      done={member ? 'Member saved.' : 'Member added.'}
      refresh={[membersKey, ['session']]}
      onClose={onClose}
    />
  );
}
