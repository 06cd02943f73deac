import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { organizationQuery, tokensQuery } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { actorInWords } from '../../parts/people/actors.ts';
import { timeColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { Dialog } from '../../ui/Dialog.tsx';
import { below, Form, type Field } from '../../ui/Form.tsx';
import { NoMailServer } from '../../ui/NoMailServer.tsx';
import { SectionTitle } from '../../ui/Panel.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { roleColumn, roleOptions, rolesUpTo, type Role } from '../../ui/rights.tsx';
import type { Removal } from '../../ui/rowActions.tsx';
import { SecretOnce } from '../../ui/SecretOnce.tsx';
import { useChange } from '../../ui/useChange.ts';
import { invitationsKey, invitationsQuery, type Invitation } from './queries.ts';
import { inDays, roleWords } from './words.ts';

/** Shown once after creating or resending: a link to share, or why the email was not sent. */
type Handed = Pick<Invitation, 'id' | 'email' | 'email_error'> & { link: string | null };

export function InvitationsPart() {
  const invitations = useQuery(invitationsQuery);
  const tokens = useQuery(tokensQuery);
  const [handed, setHanded] = useState<Handed | null>(null);
  const { data: session } = useSession();
  const whyNot = ({ role }: Invitation) =>
    session && !rolesUpTo(session.role).includes(role) ? `Your role is ${session.role}.` : null;
  const resend = useChange({
    act: async (invitation: Invitation) => {
      const params = { path: { id: invitation.id } };
      return (await api.POST('/api/v1/invitations/{id}/resend', { params, body: {} })).data!.data;
    },
    refresh: [invitationsKey],
  });
  // Renders nothing without invitations. It is below all members, so that nothing moves when the first one appears.
  if (!invitations.error && (invitations.data?.length ?? 0) === 0) return null;
  return (
    <Stack gap="xs">
      <SectionTitle>Open invitations</SectionTitle>
      <ResourcePanel
        label="Open invitations"
        query={invitations}
        columns={columnsFor(new Map(tokens.data?.map(({ id, name }) => [id, name])))}
        rowActions={{
          of: (invitation) => `the invitation of ${nameOf(invitation)}`,
          more: (invitation) => [
            {
              label: invitation.sent_by_email ? 'Resend' : 'New link',
              reason: whyNot(invitation),
              onClick: () => resend.mutate(invitation, { onSuccess: setHanded }),
            },
          ],
          remove: { ...revocation, reason: whyNot },
        }}
        minWidth={680}
        empty={null}
      >
        {handed && <HandOver handed={handed} onClose={() => setHanded(null)} />}
      </ResourcePanel>
    </Stack>
  );
}

const nameOf = ({ email }: { email: string | null }) => email ?? 'Anybody with the link';

function columnsFor(names: ReadonlyMap<string, string>): Column<Invitation>[] {
  return [
    {
      title: 'Invited',
      value: nameOf,
      cell: (invitation) => (
        <>
          {nameOf(invitation)}
          {invitation.email_error !== null && (
            <Text size="xs" c="var(--mantine-color-error)">
              Email not sent: {invitation.email_error}
            </Text>
          )}
        </>
      ),
    },
    roleColumn,
    {
      title: 'Invited by',
      isPlain: true,
      value: ({ invited_by: by }) => by,
      className: 'breaking',
      cell: ({ invited_by: by, sent_by_email: isMailed }) =>
        `${actorInWords(by, names).who}, ${isMailed ? 'by email' : 'by a link'}`,
    },
    timeColumn('Expires', ({ expires_at: at }) => at),
  ];
}

const revocation: Removal<Invitation> = {
  verb: 'Revoke',
  what: 'invitation',
  text: (invitation) => `The link for ${nameOf(invitation)} stops working immediately.`,
  act: ({ id }) => api.DELETE('/api/v1/invitations/{id}', { params: { path: { id } } }),
  done: () => 'Invitation revoked.',
  refresh: [invitationsKey],
};

export function useRoleField(): (role: Role) => Field<{ role: Role }> {
  const options = roleOptions(useSession().data?.role ?? 'viewer');
  return (role) => ({
    name: 'role',
    kind: 'choice',
    label: 'Role',
    description: roleWords[role],
    options,
    ...below,
  });
}

const lifetimes = [1, 7, 30].map(inDays);

const nobody = { email: '', role: 'member' as Role, valid_days: '7', send_email: true };

export function Invite({ onClose, onAdd }: { onClose: () => void; onAdd: () => void }) {
  const organization = useQuery(organizationQuery);
  const hasMail = organization.data?.mail_configured === true;
  const isMailed = ({ email, send_email: isWanted }: typeof nobody) =>
    hasMail && isWanted && email.trim() !== '';
  const roleField = useRoleField();
  return (
    <Form
      title="Invite"
      size="md"
      label={(values) => (isMailed(values) ? 'Send invitation' : 'Create link')}
      initial={nobody}
      fields={({ values }) => [
        {
          name: 'email',
          label: 'Email (optional)',
          type: 'email',
          maxLength: 254,
          description: 'Without one, the first person to open the link can use it.',
          'data-autofocus': true,
        },
        roleField(values.role),
        { name: 'valid_days', kind: 'choice', label: 'Expires', options: lifetimes },
        {
          name: 'send_email',
          kind: 'switch',
          label: 'Send the link by email',
          description: hasMail ? (
            'Only the email contains it, so accepting proves the address.'
          ) : organization.data ? (
            <>
              <NoMailServer />. Copy the link instead.
            </>
          ) : undefined,
          disabled: !hasMail || values.email.trim() === '',
          checked: isMailed(values),
        },
        <Anchor component="button" type="button" size="sm" w="fit-content" onClick={onAdd}>
          Add a member without an invitation
        </Anchor>,
      ]}
      act={async (values) => {
        const { email, role, valid_days: days } = values;
        const body = { email: email || null, role, valid_days: Number(days), send_email: isMailed(values) };
        return (await api.POST('/api/v1/invitations', { body })).data!.data;
      }}
      refresh={[invitationsKey]}
      after={(handed) => <HandOver handed={handed} onClose={onClose} />}
      onClose={onClose}
    />
  );
}

function HandOver({ handed: first, onClose }: { handed: Handed; onClose: () => void }) {
  const makeLink = useChange({
    act: async () => {
      const params = { path: { id: first.id } };
      const body = { send_email: false };
      return (await api.POST('/api/v1/invitations/{id}/resend', { params, body })).data!.data;
    },
    refresh: [invitationsKey],
  });
  const handed: Handed = makeLink.data ?? first;
  if (handed.link !== null) {
    return (
      <SecretOnce title="Invitation link" what="the link" value={handed.link} onSaved={onClose}>
        Send it to the person you invite. The first person to open it becomes a member. It works once.
      </SecretOnce>
    );
  }
  const isSent = handed.email_error === null;
  return (
    <Dialog size="md" onClose={onClose} title={isSent ? 'Invitation sent' : 'The email was not sent'}>
      <Stack>
        {isSent ? (
          <Text size="sm">{handed.email} got an email with the link.</Text>
        ) : (
          <Alert color="red" variant="outline" style={{ overflowWrap: 'anywhere' }}>
            The mail server did not take it: {handed.email_error}. The invitation stays open: resend it later,
            or create a link and send it yourself.
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant={isSent ? 'filled' : 'default'} onClick={onClose} data-autofocus>
            {isSent ? 'Done' : 'Close'}
          </Button>
          {!isSent && (
            <Button loading={makeLink.isPending} onClick={() => makeLink.mutate(undefined)}>
              Create a link
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
