import { Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useCommandLine } from '../../api/session.ts';
import { nameColumn } from '../../ui/cells.tsx';
import type { Column } from '../../ui/columns.ts';
import { Command } from '../../ui/Command.tsx';
import { count } from '../../ui/figures.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { ResourcePanel } from '../../ui/ResourcePanel.tsx';
import { AllowedButton, RightsNote, useWhyNot } from '../../ui/rights.tsx';
import type { RowActions } from '../../ui/rowActions.tsx';
import { useChange } from '../../ui/useChange.ts';
import { ConnectProvider, ProviderAddresses, ProviderForm } from './ProviderForm.tsx';
import type { Preset } from './providerPresets.tsx';
import { policyKey, policyQuery, providersKey, providersQuery, type Provider } from './queries.ts';

export function SingleSignOnPart() {
  const providers = useQuery(providersQuery);
  const [adding, setAdding] = useState<{ preset: Preset | null } | null>(null);
  const reason = useWhyNot()({ role: 'owner', scope: 'admin' });
  return (
    <Stack gap="lg">
      <RightsNote reason={reason} />
      <Loaded query={providers} height={480}>
        {(list) =>
          list.length === 0 ? (
            <ConnectProvider reason={reason} onAdd={(preset) => setAdding({ preset })} />
          ) : (
            <>
              <ResourcePanel
                label="Identity providers"
                query={providers}
                columns={columns}
                rowActions={actionsOf(reason)}
                minWidth={700}
                isOfPage
                actions={
                  <AllowedButton
                    size="compact-sm"
                    reason={reason}
                    onClick={() => setAdding({ preset: null })}
                  >
                    Add provider
                  </AllowedButton>
                }
                empty={{ title: 'No identity provider yet', text: null }}
              />
              <Panel title="Require single sign-on">
                <RequiredSwitch />
              </Panel>
              <Panel title="Addresses for your providers">
                <ProviderAddresses redirectLabel="Redirect URI" signOutLabel="After signing out" />
              </Panel>
            </>
          )
        }
      </Loaded>
      {adding && <ProviderForm provider={null} preset={adding.preset} onClose={() => setAdding(null)} />}
    </Stack>
  );
}

const columns: Column<Provider>[] = [
  nameColumn(
    'Provider',
    ({ name }) => name,
    ({ issuer }) => issuer,
  ),
  {
    title: 'Who signs in',
    isPlain: true,
    value: ({ allowed_domains: domains }) => domains.join(' '),
    cell: ({ allowed_domains: domains, default_role: role }) =>
      domains.length === 0
        ? 'Members only'
        : `Anyone at ${domains.join(', ')}, ${role === null ? 'if a group gives a role' : `as ${role}`}`,
    className: 'breaking',
  },
  {
    title: 'Groups',
    isPlain: true,
    value: ({ group_roles: groups }) => groups.length,
    cell: ({ group_roles: groups }) =>
      groups.length > 3
        ? `${count(groups.length)} groups have roles`
        : groups.map(({ group, role }) => `${group} as ${role}`).join(', ') || '–',
    className: 'breaking',
  },
];

function actionsOf(reason: string | null): RowActions<Provider> {
  const whyNot = ({ is_fixed: isFixed }: Provider) =>
    reason ?? (isFixed ? 'Environment variables of the server set it.' : null);
  return {
    of: ({ name }) => name,
    edit: { reason: whyNot, form: (provider, close) => <ProviderForm provider={provider} onClose={close} /> },
    remove: {
      verb: 'Remove',
      what: 'provider',
      reason: whyNot,
      text: ({ name }) =>
        `Everyone who signed in with ${name} is signed out, which may include you. They stay members.`,
      act: ({ id }) => api.DELETE('/api/v1/identity-providers/{id}', { params: { path: { id } } }),
      done: ({ name }) => `${name} was removed.`,
      refresh: [providersKey, ['session']],
    },
  };
}

function RequiredSwitch() {
  const { data } = useQuery(policyQuery);
  const commandLine = useCommandLine();
  const change = useChange({
    act: (required: boolean) =>
      api.PUT('/api/v1/sign-in-policy', { body: { single_sign_on_required: required } }),
    done: 'Saved.',
    refresh: [policyKey],
  });
  return (
    <>
      <Switch
        label="Members sign in by a provider only"
        description="Tokens and members’ links no longer sign in a browser. Tokens still work for the API."
        checked={data?.single_sign_on_required ?? false}
        disabled={!data || change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <Stack gap={6}>
        <Text size="sm">If the provider is down, this on the server still lets you in:</Text>
        <Command label="Command that signs in">{`${commandLine} sign-in`}</Command>
      </Stack>
    </>
  );
}
