import { Code, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { Empty } from '../../ui/Empty.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { AllowedButton, useWhyNot } from '../../ui/rights.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useChange } from '../../ui/useChange.ts';
import { useCreating } from '../../ui/useCreating.ts';
import { When } from '../../ui/When.tsx';
import { breaking, Columns, WideTable } from '../../ui/WideTable.tsx';
import { CreateToken } from './CreateToken.tsx';
import { membersQuery, tokensKey, tokensQuery, type Token } from './queries.ts';

export function TokensPart() {
  const tokens = useQuery(tokensQuery);
  const [isCreating, { open, close }] = useCreating();
  const [revoking, setRevoking] = useState<Token | null>(null);
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  return (
    <Panel
      title="Tokens"
      aside={
        <AllowedButton size="compact-md" reason={reason} onClick={open}>
          New token
        </AllowedButton>
      }
    >
      <Text size="sm" c="dimmed">
        Scripts send a token as <Code>Authorization: Bearer …</Code>. People sign in with one. Its role and
        its scopes together limit what it can do.
      </Text>
      <Loaded query={tokens} height={280}>
        {(list) =>
          list.length === 0 ? (
            <Empty title="No tokens yet">Create one token per script, with only the rights it needs.</Empty>
          ) : (
            <TokenTable tokens={list} onRevoke={setRevoking} />
          )
        }
      </Loaded>
      {isCreating && reason === null && <CreateToken onClose={close} />}
      {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(null)} />}
    </Panel>
  );
}

function statusOf({ revoked_at: revokedAt, expires_at: expiresAt }: Token): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt).getTime() <= Date.now() ? 'expired' : 'active';
}

type TableProps = { tokens: Token[]; onRevoke: (token: Token) => void };

function TokenTable({ tokens, onRevoke }: TableProps) {
  const members = useQuery(membersQuery);
  const nameOf = (id: string | null) =>
    id === null ? 'service account' : (members.data?.find((member) => member.id === id)?.email ?? id);
  return (
    <WideTable keepsLast label="Tokens" minWidth={900}>
      <Columns texts={['Token', 'Status', 'Role', 'Scopes', 'Created', 'Expires', 'Actions']} />
      <tbody>
        {tokens.map((token) => (
          <TokenRow key={token.id} token={token} holder={nameOf(token.member_id)} onRevoke={onRevoke} />
        ))}
      </tbody>
    </WideTable>
  );
}

type RowProps = { token: Token; holder: string; onRevoke: (token: Token) => void };

function TokenRow({ token, holder, onRevoke }: RowProps) {
  const status = statusOf(token);
  return (
    <tr style={{ verticalAlign: 'top' }}>
      <th scope="row" style={breaking}>
        <Stack gap={0}>
          <Text size="sm" fw={500}>
            {token.name}
          </Text>
          <Text size="sm" c="dimmed">
            {token.id} · {holder}
          </Text>
        </Stack>
      </th>
      <td>
        <StatusBadge status={status} />
      </td>
      <td>{token.role}</td>
      <td>
        <Group gap={4}>
          {token.scopes.map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </Group>
      </td>
      <td>
        <When at={token.created_at} />
      </td>
      <td>{token.expires_at === null ? 'never' : <When at={token.expires_at} />}</td>
      <td>
        <AllowedButton
          size="compact-sm"
          variant="default"
          reason={status === 'revoked' ? 'Already revoked.' : null}
          aria-label={`Revoke ${token.name}`}
          onClick={() => onRevoke(token)}
        >
          Revoke
        </AllowedButton>
      </td>
    </tr>
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
