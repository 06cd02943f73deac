import { Fieldset, PasswordInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Choice } from '../../ui/Choice.tsx';
import { FormDialog } from '../../ui/FormDialog.tsx';
import { roleOptions, type Role } from '../../ui/rights.tsx';
import { errorOf, useChange } from '../../ui/useChange.ts';
import { ProviderAddresses } from './ConnectProvider.tsx';
import { groupRolesIn, groupRolesText, wordsIn } from './groupRoles.ts';
import { presets, type Preset } from './providerPresets.tsx';
import { providersKey, type Provider } from './queries.ts';

type Values = {
  kind: Provider['kind'];
  name: string;
  issuer: string;
  clientId: string;
  clientSecret: string;
  domains: string;
  role: Role | null;
  groupsClaim: string;
  groups: string;
};

const kinds = [
  { value: 'oidc', label: 'OpenID Connect' },
  { value: 'github', label: 'GitHub' },
] as const;

function valuesOf(provider: Provider | null, preset: Preset | null): Values {
  const common = { clientSecret: '' };
  if (!provider) {
    const empty = { clientId: '', domains: '', groups: '' };
    const { kind = 'oidc', issuer = '', title = '' } = preset ?? {};
    const name = title === presets.other.title ? '' : title;
    return { ...common, ...empty, kind, issuer, name, role: 'viewer', groupsClaim: 'groups' };
  }
  return {
    ...common,
    kind: provider.kind,
    name: provider.name,
    issuer: provider.issuer,
    clientId: provider.client_id,
    domains: provider.allowed_domains.join(', '),
    role: provider.default_role,
    groupsClaim: provider.groups_claim,
    groups: groupRolesText(provider.group_roles),
  };
}

function bodyOf({ kind, name, issuer, clientId, domains, role, groupsClaim, groups }: Values) {
  return {
    kind,
    name: name.trim(),
    issuer: issuer.trim(),
    client_id: clientId.trim(),
    allowed_domains: wordsIn(domains),
    default_role: role,
    groups_claim: groupsClaim.trim(),
    group_roles: groupRolesIn(groups),
  };
}

const fields = [
  'kind',
  'name',
  'issuer',
  'client_id',
  'client_secret',
  'allowed_domains',
  'default_role',
  'groups_claim',
  'group_roles',
];

type Props = { provider: Provider | null; preset?: Preset | null; onClose: () => void };

export function ProviderForm({ provider, preset = null, onClose }: Props) {
  const [values, setValues] = useState(() => valuesOf(provider, preset));
  const save = useChange({
    act: async () => {
      const body = bodyOf(values);
      const secret = values.clientSecret.trim();
      if (provider) {
        // Sends only changed fields, because someone else may have changed the others.
        const before: Record<string, unknown> = bodyOf(valuesOf(provider, null));
        const isChanged = ([name, value]: [string, unknown]) =>
          JSON.stringify(value) !== JSON.stringify(before[name]);
        const changed: Partial<typeof body> = Object.fromEntries(Object.entries(body).filter(isChanged));
        const changes = { ...changed, ...(secret && { client_secret: secret }) };
        await api.PUT('/api/v1/identity-providers/{id}', {
          params: { path: { id: provider.id } },
          body: changes,
        });
      } else await api.POST('/api/v1/identity-providers', { body: { ...body, client_secret: secret } });
    },
    done: provider ? 'Provider saved.' : 'Provider added.',
    refresh: [providersKey],
    isErrorShown: true,
  });
  return (
    <FormDialog
      title={provider ? 'Edit provider' : 'Add provider'}
      size="md"
      label={provider ? 'Save' : 'Add provider'}
      change={save}
      fields={fields}
      onClose={onClose}
    >
      <Fields title="Connection">
        {/* With a preset, the page before has shown it already. */}
        {preset === null && <ProviderAddresses redirectLabel="Redirect URI" signOutLabel={null} />}
        <ClientFields
          values={values}
          onChange={setValues}
          error={save.error}
          hasSecret={provider !== null}
          issuerExample={preset?.issuerExample ?? presets.okta.issuerExample}
        />
      </Fields>
      <Fields title="Who may sign in">
        <AccessFields values={values} onChange={setValues} error={save.error} />
      </Fields>
      <Fields title="Roles by group">
        <GroupFields values={values} onChange={setValues} error={save.error} />
      </Fields>
    </FormDialog>
  );
}

function Fields({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Fieldset
      legend={title}
      variant="unstyled"
      styles={{ root: { padding: 0, margin: 0 }, legend: { padding: 0, fontWeight: 600 } }}
    >
      <Stack gap="sm" mt="xs">
        {children}
      </Stack>
    </Fieldset>
  );
}

type FieldsProps = { values: Values; onChange: (values: Values) => void; error: Error | null };

type ClientProps = FieldsProps & { hasSecret: boolean; issuerExample: string };

function ClientFields({ values, onChange, error, hasSecret, issuerExample }: ClientProps) {
  const isGitHub = values.kind === 'github';
  const chooseKind = (kind: Provider['kind']) => {
    const suggested = kind === 'github' && !values.issuer ? { issuer: 'https://github.com' } : {};
    onChange({ ...values, kind, ...suggested });
  };
  return (
    <>
      <Choice label="Provider type" options={kinds} value={values.kind} onChange={chooseKind} />
      <TextInput
        label="Name"
        description="On the button: “Continue with …”"
        required
        maxLength={255}
        data-autofocus
        value={values.name}
        onChange={(event) => onChange({ ...values, name: event.currentTarget.value })}
        error={errorOf(error, 'name')}
      />
      <TextInput
        label={isGitHub ? 'Address of GitHub' : 'Issuer'}
        description={isGitHub ? 'Or of your GitHub Enterprise Server.' : `Such as ${issuerExample}`}
        required
        maxLength={500}
        value={values.issuer}
        onChange={(event) => onChange({ ...values, issuer: event.currentTarget.value })}
        error={errorOf(error, 'issuer')}
      />
      <TextInput
        label="Client ID"
        required
        maxLength={255}
        autoComplete="off"
        value={values.clientId}
        onChange={(event) => onChange({ ...values, clientId: event.currentTarget.value })}
        error={errorOf(error, 'client_id')}
      />
      <PasswordInput
        label="Client secret"
        description={
          hasSecret ? 'Leave empty to keep the current one.' : 'We store it encrypted and never show it.'
        }
        required={!hasSecret}
        maxLength={1000}
        autoComplete="new-password"
        value={values.clientSecret}
        onChange={(event) => onChange({ ...values, clientSecret: event.currentTarget.value })}
        error={errorOf(error, 'client_secret')}
      />
    </>
  );
}

function AccessFields({ values, onChange, error }: FieldsProps) {
  const { data: session } = useSession();
  return (
    <>
      <TextInput
        label="Allowed email domains"
        description="Their people become members at their first sign-in. Members need none."
        placeholder="acme.com"
        value={values.domains}
        onChange={(event) => onChange({ ...values, domains: event.currentTarget.value })}
        error={errorOf(error, 'allowed_domains')}
      />
      <Choice
        label={values.groups.trim() === '' ? 'Role at the first sign-in' : 'Role without a group below'}
        none="None: only people with a group below"
        options={roleOptions(session?.role ?? 'viewer')}
        value={values.role}
        onChange={(role: Role | null) => onChange({ ...values, role })}
        error={errorOf(error, 'default_role')}
      />
    </>
  );
}

function GroupFields({ values, onChange, error }: FieldsProps) {
  const isGitHub = values.kind === 'github';
  return (
    <>
      <Textarea
        label={isGitHub ? 'Roles of teams' : 'Roles of groups'}
        description="One per line. The highest role counts at every sign-in. Leave empty if admins give the roles."
        placeholder={isGitHub ? 'acme/platform = admin' : 'ci-admins = admin'}
        autosize
        minRows={2}
        maxRows={8}
        value={values.groups}
        onChange={(event) => onChange({ ...values, groups: event.currentTarget.value })}
        error={errorOf(error, 'group_roles')}
      />
      {!isGitHub && (
        <TextInput
          label="Claim with the groups"
          required
          maxLength={255}
          value={values.groupsClaim}
          onChange={(event) => onChange({ ...values, groupsClaim: event.currentTarget.value })}
          error={errorOf(error, 'groups_claim')}
        />
      )}
    </>
  );
}
