import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Column } from '../../ui/columns.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { AllowedButton, rolesUpTo, useWhyNot } from '../../ui/rights.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useChange } from '../../ui/useChange.ts';
import { useCreating } from '../../ui/useCreating.ts';
import { When } from '../../ui/When.tsx';
import { CreateToken } from './CreateToken.tsx';
import { membersQuery, tokensKey, tokensQuery, type Token } from './queries.ts';
import { scopeWords, type Scope } from './words.ts';

export function TokensPart() {
  const tokens = useQuery(tokensQuery);
  const [isCreating, { open, close }] = useCreating();
  const [revoking, setRevoking] = useState<Token | null>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const members = useQuery(membersQuery);
  const holderOf = ({ member_id: id }: Token) =>
    id === null ? 'service account' : (members.data?.find((member) => member.id === id)?.email ?? id);
  return (
    <ResourcePanel
      label="Tokens"
      query={tokens}
      rowsOf={(list) => list}
      columns={columnsFor(holderOf, setRevoking)}
      keyOf={({ id }) => id}
      minWidth={860}
      fileName="runcost-tokens"
      lead={
        <>
          Sent as <Code>Authorization: Bearer …</Code>. The role and the scopes of a token together limit what
          it can do.
        </>
      }
      actions={
        <AllowedButton size="compact-sm" reason={reason} onClick={open}>
          New token
        </AllowedButton>
      }
      empty={{
        title: 'No tokens yet',
        text: 'Create one token per script, with only the rights it needs.',
      }}
    >
      {isCreating && reason === null && <CreateToken onClose={close} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(null)} />}
    </ResourcePanel>
  );
}

function statusOf({ revoked_at: revokedAt, expires_at: expiresAt }: Token): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt).getTime() <= Date.now() ? 'expired' : 'active';
}

function columnsFor(holderOf: (token: Token) => string, onRevoke: (token: Token) => void): Column<Token>[] {
  return [
    {
      title: 'Token',
      value: ({ name }) => name,
      className: 'breaking',
      cell: (token) => (
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {token.name}
          </Text>
          <Text size="sm" c="dimmed">
            {holderOf(token)}
          </Text>
          <Text size="xs" c="dimmed">
            {token.id}
          </Text>
        </Stack>
      ),
    },
    { title: 'Status', value: statusOf, cell: (token) => <StatusBadge status={statusOf(token)} /> },
    {
      title: 'Role',
      value: ({ role }) => rolesUpTo(role).length,
      csv: ({ role }) => role,
      cell: ({ role }) => role,
    },
    {
      title: 'Scopes',
      value: ({ scopes }) => scopes.length,
      csv: ({ scopes }) => scopes.join(' '),
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      title: 'Created',
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <When at={created_at} />,
    },
    {
      title: 'Expires',
      value: ({ expires_at }) => expires_at,
      cell: ({ expires_at }) => (expires_at === null ? 'never' : <When at={expires_at} />),
    },
    {
      title: 'Actions',
      cell: (token) => (
        <AllowedButton
          size="compact-sm"
          variant="default"
          reason={statusOf(token) === 'revoked' ? 'Already revoked.' : null}
          aria-label={`Revoke ${token.name}`}
          onClick={() => onRevoke(token)}
        >
          Revoke
        </AllowedButton>
      ),
    },
  ];
}

function Scopes({ scopes }: { scopes: readonly Scope[] }) {
  if (scopes.length === Object.keys(scopeWords).length) return 'all';
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Code key={scope}>{scope}</Code>
      ))}
    </Group>
  );
}

function RevokeToken({ token, onClose }: { token: Token; onClose: () => void }) {
  const revoke = useChange({
    act: async () => {
      await api.DELETE('/api/v1/tokens/{id}', { params: { path: { id: token.id } } });
    },
    done: `${token.name} was revoked.`,
    refresh: [tokensKey, ['session']],
  });
  return (
    <Confirm
      title="Revoke this token?"
      label="Revoke token"
      isBusy={revoke.isPending}
      onClose={onClose}
      onConfirm={() => revoke.mutate(undefined, { onSettled: onClose })}
    >
      {token.name} ({token.id}) stops working immediately. Everyone who signed in with it is signed out, which
      may include you.
    </Confirm>
  );
}
