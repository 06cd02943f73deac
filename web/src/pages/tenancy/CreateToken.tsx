import { Checkbox, Code, Radio, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { membersQuery, tokensKey, type Token } from '../../api/queries.ts';
import { useSession } from '../../api/session.ts';
import { Choice } from '../../ui/Choice.tsx';
import { sentence } from '../../ui/figures.ts';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { roleOptions, type Role } from '../../ui/rights.tsx';
import { SecretOnce } from '../../ui/SecretOnce.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { roleWords, scopeGroups, scopeWords, tokenKinds, type Scope } from './words.ts';

type Values = {
  name: string;
  role: Role;
  /** Null means everything that the role allows. */
  scopes: Scope[] | null;
  memberId: string | null;
  days: string;
};

const lifetimes = [
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: 'never', label: 'Never' },
];

const dayMilliseconds = 86_400_000;

function bodyOf({ name, role, scopes, memberId, days }: Values, offered: readonly Scope[]) {
  const expiresAt =
    days === 'never' ? null : new Date(Date.now() + Number(days) * dayMilliseconds).toISOString();
  return { name, role, scopes: scopes ?? [...offered], member_id: memberId, expires_at: expiresAt };
}

type Kind = Token['kind'];
type Props = { kind: Kind; onClose: () => void };

export function CreateToken({ kind, onClose }: Props) {
  const { data: session } = useSession();
  const members = useQuery(membersQuery);
  const own = members.data?.find(({ email }) => email === session?.member?.email)?.id ?? null;
  const [values, setValues] = useState<Values>({
    name: '',
    role: 'viewer',
    // The minimum; people add what they need.
    scopes: ['costs:read'],
    memberId: null,
    days: '90',
  });
  const chosen = kind === 'personal' ? { ...values, memberId: values.memberId ?? own } : values;
  const create = useChange({
    act: async () =>
      (await api.POST('/api/v1/tokens', { body: bodyOf(chosen, session?.scopes ?? []) })).data!.data,
    refresh: [tokensKey],
    isErrorShown: true,
  });
  if (create.data) {
    return (
      <SecretOnce title="New token" what="the token" value={create.data.token} onSaved={onClose}>
        Anyone with this token has its rights. We store only a hash, so we cannot show it again.
      </SecretOnce>
    );
  }
  const missing =
    values.scopes?.length === 0
      ? 'Choose a scope first.'
      : kind === 'personal' && chosen.memberId === null
        ? 'Choose a member first.'
        : null;
  return (
    <FormDialog
      title={`New ${tokenKinds[kind].title.toLowerCase()}`}
      label="Create token"
      missing={missing}
      change={create}
      fields={['name', 'role', 'scopes', 'member_id', 'expires_at']}
      onSubmit={() => create.mutate(undefined)}
      onClose={onClose}
    >
      <TokenFields kind={kind} values={chosen} onChange={setValues} error={create.error} />
    </FormDialog>
  );
}

type FieldsProps = {
  kind: Kind;
  values: Values;
  onChange: (values: Values) => void;
  error: Error | null;
};

function TokenFields({ kind, values, onChange, error }: FieldsProps) {
  const { data: session } = useSession();
  const members = useQuery(membersQuery);
  return (
    <>
      <TextInput
        label="Name"
        placeholder={
          kind === 'personal' ? 'What uses it, such as: Laptop' : 'What uses it, such as: CI report'
        }
        required
        maxLength={255}
        data-autofocus
        value={values.name}
        onChange={(event) => onChange({ ...values, name: event.currentTarget.value })}
        error={errorOf(error, 'name')}
      />
      {kind === 'personal' && (
        <Choice
          label="Member"
          description="The token never exceeds the member's role, and stops working when you remove the member."
          none="Choose a member"
          options={(members.data ?? []).map(({ id, name, email }) => ({
            value: id,
            label: name === null ? email : `${name} (${email})`,
          }))}
          value={values.memberId}
          onChange={(memberId) => onChange({ ...values, memberId })}
          error={errorOf(error, 'member_id')}
        />
      )}
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md">
        <Choice
          label="Expires"
          options={lifetimes}
          value={values.days}
          onChange={(days) => onChange({ ...values, days })}
          error={errorOf(error, 'expires_at')}
        />
        <Choice
          label="Role"
          options={roleOptions(session?.role ?? 'viewer')}
          value={values.role}
          onChange={(role) => onChange({ ...values, role })}
          error={errorOf(error, 'role')}
        />
      </SimpleGrid>
      <ScopeChoice
        role={values.role}
        offered={session?.scopes ?? []}
        chosen={values.scopes}
        onChange={(scopes) => onChange({ ...values, scopes })}
        error={errorOf(error, 'scopes')}
      />
    </>
  );
}

type ScopeProps = {
  role: Role;
  offered: readonly Scope[];
  chosen: Scope[] | null;
  onChange: (scopes: Scope[] | null) => void;
  error: string | null;
};

function ScopeChoice({ role, offered, chosen, onChange, error }: ScopeProps) {
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
