import { Checkbox, Code, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Choice } from '../../ui/Choice.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { rolesUpTo, type Role } from '../../ui/rights.tsx';
import { SecretOnce } from '../../ui/SecretOnce.tsx';
import { faultOf, useChange } from '../../ui/useChange.ts';
import { membersQuery, tokensKey } from './queries.ts';
import { roleWords, scopeWords, type Scope } from './words.ts';

type Values = { name: string; role: Role; scopes: Scope[]; memberId: string | null; days: string };

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'A year' },
  { value: 'never', label: 'Never' },
];

const dayMilliseconds = 86_400_000;

function bodyOf({ name, role, scopes, memberId, days }: Values) {
  const expiresAt =
    days === 'never' ? null : new Date(Date.now() + Number(days) * dayMilliseconds).toISOString();
  return { name, role, scopes, member_id: memberId, expires_at: expiresAt };
}

/** Asks for a new token and shows it once. */
export function CreateToken({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState<Values>({
    name: '',
    role: 'viewer',
    scopes: ['costs:read'],
    memberId: null,
    days: '90',
  });
  const create = useChange({
    act: async () => (await api.POST('/api/v1/tokens', { body: bodyOf(values) })).data!.data,
    refresh: [tokensKey],
    isFaultShown: true,
  });
  if (create.data) {
    return (
      <SecretOnce title="The new token" what="the token" value={create.data.token} onKept={onClose}>
        Whoever has it may do what it may. Only its hash is kept here, so it cannot be shown again.
      </SecretOnce>
    );
  }
  return (
    <FormDialog
      title="New token"
      deed="Create"
      isDisabled={values.scopes.length === 0}
      isBusy={create.isPending}
      error={create.error}
      fields={['name', 'role', 'scopes', 'member_id', 'expires_at']}
      onSubmit={() => create.mutate(undefined)}
      onClose={onClose}
    >
      <TokenFields values={values} onChange={setValues} error={create.error} />
    </FormDialog>
  );
}

type FieldsProps = { values: Values; onChange: (values: Values) => void; error: Error | null };

function TokenFields({ values, onChange, error }: FieldsProps) {
  const { data: session } = useSession();
  const members = useQuery(membersQuery);
  return (
    <>
      <TextInput
        label="Name"
        description="What uses it."
        placeholder="CI report"
        required
        maxLength={255}
        data-autofocus
        value={values.name}
        onChange={(event) => onChange({ ...values, name: event.currentTarget.value })}
        error={faultOf(error, 'name')}
      />
      <Choice
        label="Whose it is"
        description="A member's token ends with the member, and never has more than the member's role."
        none="A service"
        options={(members.data ?? []).map(({ id, email }) => ({ value: id, label: email }))}
        value={values.memberId}
        onChange={(memberId) => onChange({ ...values, memberId })}
        error={faultOf(error, 'member_id')}
      />
      <Choice
        label="Role"
        description={roleWords[values.role]}
        options={rolesUpTo(session?.role ?? 'viewer')}
        value={values.role}
        onChange={(role) => onChange({ ...values, role })}
        error={faultOf(error, 'role')}
      />
      <ScopeChoice
        offered={session?.scopes ?? []}
        chosen={values.scopes}
        onChange={(scopes) => onChange({ ...values, scopes })}
        error={faultOf(error, 'scopes')}
      />
      <Choice
        label="Expires after"
        options={lifetimes}
        value={values.days}
        onChange={(days) => onChange({ ...values, days })}
        error={faultOf(error, 'expires_at')}
      />
    </>
  );
}

type ScopeProps = {
  offered: readonly Scope[];
  chosen: Scope[];
  onChange: (scopes: Scope[]) => void;
  error: string | null;
};

function ScopeChoice({ offered, chosen, onChange, error }: ScopeProps) {
  return (
    <Checkbox.Group
      label="Scopes"
      description="What it may do, if its role may. Nobody can pass on a scope that they have not."
      required
      value={chosen}
      onChange={(scopes) => onChange(scopes as Scope[])}
      error={error}
    >
      <Stack gap={8} mt="xs">
        {(Object.keys(scopeWords) as Scope[]).map((scope) => (
          <Checkbox
            key={scope}
            value={scope}
            disabled={!offered.includes(scope)}
            label={
              <>
                <Code>{scope}</Code> {scopeWords[scope]}
              </>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
