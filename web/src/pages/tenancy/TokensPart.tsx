import { Badge, Button, Checkbox, Code, Group, Radio, Stack, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Caret } from '../../analysis/Caret.tsx';
import { api } from '../../api/client.ts';
import { membersQuery, type Token, tokensKey, tokensQuery } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { statusColumn, textColumn, timeColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { sentence } from '../../ui/figures.ts';
import { Form } from '../../ui/Form.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { type Role, roleColumn, roleOptions, useWhyNot } from '../../ui/rights.tsx';
import type { RowActions } from '../../ui/rowActions.tsx';
import { ActionMenu } from '../../ui/RowMenu.tsx';
import { SecretOnce } from '../../ui/SecretOnce.tsx';
import { Note, When } from '../../ui/text.tsx';
import { useCreating } from '../../ui/useCreating.ts';
import { inDays, roleWords, type Scope, scopeGroups, scopeWords, tokenKinds } from './words.ts';

type Kind = Token['kind'];

export function TokensPart() {
  const tokens = useQuery(tokensQuery);
  const members = useQuery(membersQuery);
  const [creating, setCreating] = useState<Kind | null>(null);
  const [isAsked, { close: dropAsked }] = useCreating();
  const reason = useWhyNot()({ role: 'admin', scope: 'admin' });
  const kind = creating ?? (isAsked ? 'service' : null);
  const holderOf = ({ member_id: id }: Token) => {
    if (id === null) return tokenKinds.service.title;
    const member = members.data?.find((each) => each.id === id);
    // Reserves the line until the name has loaded.
    return member ? (member.name ?? member.email) : members.isPending ? '\u00a0' : id;
  };
  return (
    <ResourcePanel
      label="Tokens"
      query={tokens}
      columns={columnsFor(holderOf)}
      rowActions={rowActions}
      minWidth={860}
      fileName="runcost-tokens"
      isOfPage
      actions={<NewToken reason={reason} onCreate={setCreating} />}
      empty={{
        title: 'No tokens yet',
        text: 'Create one token for each script or program, with only the rights it needs.',
      }}
    >
      {kind && reason === null && (
        <CreateToken
          kind={kind}
          onClose={() => {
            setCreating(null);
            dropAsked();
          }}
        />
      )}
    </ResourcePanel>
  );
}

function NewToken({ reason, onCreate }: { reason: string | null; onCreate: (kind: Kind) => void }) {
  if (reason !== null) return null;
  return (
    <ActionMenu
      width={320}
      target={(props) => (
        <Button {...props} size="compact-sm" rightSection={<Caret />}>
          New token
        </Button>
      )}
      items={(['personal', 'service'] as const).map((kind) => ({
        label: tokenKinds[kind].title,
        about: tokenKinds[kind].about,
        onClick: () => onCreate(kind),
      }))}
    />
  );
}

function statusOf({ revoked_at: revokedAt, expires_at: expiresAt }: Token): string {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && new Date(expiresAt).getTime() <= Date.now() ? 'expired' : 'active';
}

function columnsFor(holderOf: (token: Token) => string): Column<Token>[] {
  return [
    {
      title: 'Token',
      value: ({ name }) => name,
      cell: TokenName,
    },
    textColumn('Member', holderOf, { isPlain: true, className: 'token-member' }),
    statusColumn(statusOf),
    roleColumn,
    {
      title: 'Scopes',
      isPlain: true,
      value: ({ scopes }) => scopes.length,
      csv: ({ scopes }) => scopes.join(' '),
      cell: ({ scopes }) => <Scopes scopes={scopes} />,
    },
    timeColumn('Created', ({ created_at }) => created_at, { isHiddenOnPhones: true }),
    {
      title: 'Expires',
      value: ({ expires_at }) => expires_at,
      cell: (token) => (token.expires_at === null ? 'Never' : <Expiry token={token} at={token.expires_at} />),
    },
    timeColumn('Last used', ({ last_used_at }) => last_used_at, { none: 'Never' }),
  ];
}

function TokenName(token: Token) {
  return (
    <>
      <Text size="sm" fw={500}>
        {token.name}
      </Text>
      <Note size="xs" visibleFrom="sm" style={{ whiteSpace: 'nowrap' }}>
        {token.id}
      </Note>
      {token.expires_at === null && isRisky(token) && (
        <Text size="xs" className="token-risk">
          <IconAlertTriangle size={13} aria-hidden />
          {sentence(`an ${token.role} token should expire.`)}
        </Text>
      )}
    </>
  );
}

/** Whether anyone who finds this token can change everything until it expires or is revoked. */
function isRisky(token: Token): boolean {
  return statusOf(token) === 'active' && ['admin', 'owner'].includes(token.role);
}

const warnedMilliseconds = 7 * 86_400_000;

/** Warns as early as the email does. */
function Expiry({ token, at }: { token: Token; at: string }) {
  const isSoon = statusOf(token) === 'active' && new Date(at).getTime() - Date.now() <= warnedMilliseconds;
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

const rowActions: RowActions<Token> = {
  of: ({ name }) => name,
  remove: {
    verb: 'Revoke',
    what: 'token',
    reason: (token) => (statusOf(token) === 'revoked' ? 'Already revoked.' : null),
    text: ({ id, name }) =>
      `${name} (${id}) stops working immediately. Everyone who signed in with it is signed out, which may include you.`,
    act: ({ id }) => api.DELETE('/api/v1/tokens/{id}', { params: { path: { id } } }),
    done: ({ name }) => `${name} was revoked.`,
    refresh: [tokensKey, ['session']],
  },
};

type Values = {
  name: string;
  role: Role;
  /** Null means everything that the role allows. */
  scopes: Scope[] | null;
  member_id: string | null;
  /** Days. */
  expires_at: string;
};

const first: Values = {
  name: '',
  role: 'viewer',
  // The minimum; people add what they need.
  scopes: ['costs:read'],
  member_id: null,
  expires_at: '90',
};

const lifetimes = [
  ...[30, 90].map(inDays),
  { value: '365', label: 'In 1 year' },
  { value: 'never', label: 'Never' },
];

const dayMilliseconds = 86_400_000;

function expiryIn(days: string): string | null {
  return days === 'never' ? null : new Date(Date.now() + Number(days) * dayMilliseconds).toISOString();
}

type Props = { kind: Token['kind']; onClose: () => void };

function CreateToken({ kind, onClose }: Props) {
  const { data: session } = useSession();
  const { data: members = [] } = useQuery(membersQuery);
  const own = members.find(({ email }) => email === session?.member?.email)?.id ?? null;
  const offered = session?.scopes ?? [];
  const isPersonal = kind === 'personal';
  const holderOf = ({ member_id: id }: Values) => (isPersonal ? (id ?? own) : null);
  return (
    <Form
      title={`New ${tokenKinds[kind].title.toLowerCase()}`}
      label="Create token"
      initial={first}
      missing={(values) => {
        if (values.scopes?.length === 0) return 'Choose a scope first.';
        return isPersonal && holderOf(values) === null ? 'Choose a member first.' : null;
      }}
      fields={({ values, input }) => [
        {
          name: 'name',
          label: 'Name',
          placeholder: `What uses it, such as: ${isPersonal ? 'Laptop' : 'CI report'}`,
          required: true,
          maxLength: 255,
          'data-autofocus': true,
        },
        isPersonal && {
          name: 'member_id',
          kind: 'choice',
          label: 'Member',
          description:
            "The token never exceeds the member's role, and stops working when you remove the member.",
          none: 'Choose a member',
          options: members.map(({ id, name, email }) => ({
            value: id,
            label: name === null ? email : `${name} (${email})`,
          })),
          chosen: holderOf(values),
        },
        [
          { name: 'expires_at', kind: 'choice', label: 'Expires', options: lifetimes },
          { name: 'role', kind: 'choice', label: 'Role', options: roleOptions(session?.role ?? 'viewer') },
        ],
        <ScopeChoice role={values.role} offered={offered} {...input('scopes')} />,
      ]}
      act={async (values) => {
        const body = {
          ...values,
          scopes: values.scopes ?? offered,
          member_id: holderOf(values),
          expires_at: expiryIn(values.expires_at),
        };
        return (await api.POST('/api/v1/tokens', { body })).data!.data;
      }}
      refresh={[tokensKey]}
      after={({ token }) => (
        <SecretOnce title="New token" what="the token" value={token} onSaved={onClose}>
          Anyone with this token has its rights. We store only a hash, so we cannot show it again.
        </SecretOnce>
      )}
      onClose={onClose}
    />
  );
}

type ScopeProps = {
  role: Role;
  offered: readonly Scope[];
  value: Scope[] | null;
  onChange: (scopes: Scope[] | null) => void;
  error: string | null;
};

function ScopeChoice({ role, offered, value: chosen, onChange, error }: ScopeProps) {
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Rights"
        value={chosen === null ? 'role' : 'scopes'}
        onChange={(value) => onChange(value === 'role' ? null : ['costs:read'])}
      >
        <Stack gap="sm" mt={6}>
          <Radio value="role" label="All rights of the role" description={roleWords[role]} />
          <Radio value="scopes" label="Only some scopes" description="For a program that needs less." />
        </Stack>
      </Radio.Group>
      {chosen !== null && (
        <Checkbox.Group
          label="Scopes"
          description="You can only grant scopes you have."
          required
          value={chosen}
          onChange={(scopes) => onChange(scopes as Scope[])}
          error={error}
        >
          {scopeGroups.map(({ title, scopes }) => (
            <div key={title} role="group" aria-label={title}>
              <Text size="xs" fw={600} c="dimmed" mt="sm" mb={6} aria-hidden>
                {title}
              </Text>
              <div className="scope-choices">
                {scopes.map((scope) => (
                  <Checkbox
                    key={scope}
                    value={scope}
                    disabled={!offered.includes(scope)}
                    label={<Code>{scope}</Code>}
                    description={sentence(scopeWords[scope])}
                  />
                ))}
              </div>
            </div>
          ))}
        </Checkbox.Group>
      )}
    </Stack>
  );
}
