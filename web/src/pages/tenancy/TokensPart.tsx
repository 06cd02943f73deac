import { Badge, Code, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { Column } from '../../ui/columns.ts';
import { Confirm } from '../../ui/Confirm.tsx';
import { sentence } from '../../ui/figures.ts';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { AllowedButton, rolesUpTo, useWhyNot } from '../../ui/rights.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { useChange } from '../../ui/useChange.ts';
import { useCreating } from '../../ui/useCreating.ts';
import { When } from '../../ui/When.tsx';
import { CreateToken } from './CreateToken.tsx';
import { membersQuery, tokensKey, tokensQuery, type Token } from './queries.ts';
import { scopeWords, tokenKinds, type Scope } from './words.ts';

type Kind = Token['kind'];

/** People's tokens apart from those of programs: the first end with their member. */
export function TokensPart() {
  const { isPending } = useQuery(tokensQuery);
  const [creating, setCreating] = useState<Kind | null>(null);
  const [isAsked, { close: dropAsked }] = useCreating();
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const kind = creating ?? (isAsked ? 'service' : null);
  const close = () => {
    setCreating(null);
    dropAsked();
  };
  return (
    <Stack gap="xl">
      {(['personal', 'service'] as const).map(
        (each) =>
          // Below the first list, whose length is not known before.
          (each === 'personal' || !isPending) && (
            <TokenList key={each} kind={each} reason={reason} onCreate={() => setCreating(each)} />
          ),
      )}
      {kind && reason === null && <CreateToken kind={kind} onClose={close} />}
    </Stack>
  );
}

type ListProps = { kind: Kind; reason: string | null; onCreate: () => void };

function TokenList({ kind, reason, onCreate }: ListProps) {
  const tokens = useQuery(tokensQuery);
  const [revoking, setRevoking] = useState<Token | null>(null);
  const members = useQuery(membersQuery);
  const holderOf = ({ member_id: id }: Token) =>
    id === null ? null : (members.data?.find((member) => member.id === id)?.email ?? id);
  const { title, about, empty } = tokenKinds[kind];
  return (
    <Stack gap={4}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <ResourcePanel
        label={title}
        query={tokens}
        rowsOf={(list) => list.filter((token) => token.kind === kind)}
        columns={columnsFor(holderOf, setRevoking)}
        keyOf={({ id }) => id}
        minWidth={900}
        fileName={`runcost-${kind}-tokens`}
        isQuiet
        lead={about}
        actions={
          <AllowedButton size="compact-sm" variant="default" reason={reason} onClick={onCreate}>
            {`New ${kind} token`}
          </AllowedButton>
        }
        empty={{ title: `No ${kind} tokens yet`, text: empty }}
      >
        {revoking && <RevokeToken token={revoking} onClose={() => setRevoking(null)} />}
      </ResourcePanel>
    </Stack>
  );
}

function statusOf({ revoked_at: revokedAt, expires_at: expiresAt }: Token): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt).getTime() <= Date.now() ? 'expired' : 'active';
}

function columnsFor(
  holderOf: (token: Token) => string | null,
  onRevoke: (token: Token) => void,
): Column<Token>[] {
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
          {holderOf(token) !== null && (
            <Text size="sm" c="dimmed">
              {holderOf(token)}
            </Text>
          )}
          <Text size="xs" c="dimmed">
            {token.id}
          </Text>
        </Stack>
      ),
    },
    {
      title: 'Status',
      value: statusOf,
      className: 'row-beside',
      cell: (token) => <StatusBadge status={statusOf(token)} />,
    },
    {
      title: 'Role',
      isPlain: true,
      value: ({ role }) => rolesUpTo(role).length,
      csv: ({ role }) => role,
      cell: ({ role }) => sentence(role),
    },
    {
      title: 'Scopes',
      isPlain: true,
      value: ({ scopes }) => scopes.length,
      csv: ({ scopes }) => scopes.join(' '),
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    {
      title: 'Created',
      isHiddenOnPhones: true,
      value: ({ created_at }) => created_at,
      cell: ({ created_at }) => <When at={created_at} />,
    },
    {
      title: 'Expires',
      value: ({ expires_at }) => expires_at,
      cell: (token) => (token.expires_at === null && !isRisky(token) ? 'Never' : <Expiry token={token} />),
    },
    {
      title: 'Last used',
      value: ({ last_used_at }) => last_used_at,
      cell: ({ last_used_at }) => (last_used_at === null ? 'Never' : <When at={last_used_at} />),
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

/** Whoever finds it can change everything, for ever. */
function isRisky(token: Token): boolean {
  return statusOf(token) === 'active' && ['admin', 'owner'].includes(token.role);
}

const warnedMilliseconds = 7 * 86_400_000;

/** The list warns as long before as the email does. */
function Expiry({ token }: { token: Token }) {
  const { expires_at: at } = token;
  const isSoon =
    at !== null && statusOf(token) === 'active' && new Date(at).getTime() - Date.now() <= warnedMilliseconds;
  if (at === null) {
    return (
      <>
        Never
        <Text size="xs" className="token-risk">
          <IconAlertTriangle size={13} aria-hidden />
          {sentence(`an ${token.role} token should expire.`)}
        </Text>
      </>
    );
  }
  return (
    <Group gap={6}>
      <When at={at} isRough />
      {isSoon && (
        <Badge color="yellow" variant="dot" tt="none" size="sm">
          Soon
        </Badge>
      )}
    </Group>
  );
}

function Scopes({ scopes }: { scopes: readonly Scope[] }) {
  if (scopes.length === Object.keys(scopeWords).length) return 'All scopes';
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
