import { Checkbox, Code, Radio, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { membersQuery, tokensKey, type Token } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { sentence } from '../../ui/figures.ts';
import { Form } from '../../ui/Form.tsx';
import { roleOptions, type Role } from '../../ui/rights.tsx';
import { SecretOnce } from '../../ui/SecretOnce.tsx';
import { roleWords, scopeGroups, scopeWords, tokenKinds, type Scope } from './words.ts';

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
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: 'never', label: 'Never' },
];

const dayMilliseconds = 86_400_000;

function expiryIn(days: string): string | null {
  return days === 'never' ? null : new Date(Date.now() + Number(days) * dayMilliseconds).toISOString();
}

type Props = { kind: Token['kind']; onClose: () => void };

export function CreateToken({ kind, onClose }: Props) {
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
