import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useOrganizationId, usePublicUrl, useSession } from '../../api/session.ts';
import { CopyField } from '../../ui/CopyField.tsx';
import { Form, type FormState, type Item } from '../../ui/Form.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { AllowedButton, type Role, roleOptions } from '../../ui/rights.tsx';
import { Step, Steps } from '../../ui/Steps.tsx';
import { Note } from '../../ui/text.tsx';
import { changesOf, wordsIn } from '../../ui/typed.ts';
import { groupRolesIn, groupRolesText } from './groupRoles.ts';
import { type Preset, type PresetName, presets } from './providerPresets.tsx';
import { type Provider, providersKey } from './queries.ts';

/** Lists as typed. */
type Values = Pick<Provider, 'kind' | 'name' | 'issuer' | 'client_id' | 'groups_claim'> & {
  client_secret: string;
  allowed_domains: string;
  default_role: Role | null;
  group_roles: string;
};

const kinds = [
  { value: 'oidc', label: 'OpenID Connect' },
  { value: 'github', label: 'GitHub' },
] as const;

function valuesOf(provider: Provider | null, preset: Preset | null): Values {
  const { kind = 'oidc', issuer = '', title = '' } = preset ?? {};
  return {
    kind: provider?.kind ?? kind,
    name: provider?.name ?? (title === presets.other.title ? '' : title),
    issuer: provider?.issuer ?? issuer,
    client_id: provider?.client_id ?? '',
    client_secret: '',
    allowed_domains: provider?.allowed_domains.join(', ') ?? '',
    default_role: provider ? provider.default_role : 'viewer',
    groups_claim: provider?.groups_claim ?? 'groups',
    group_roles: groupRolesText(provider?.group_roles ?? []),
  };
}

function bodyOf({ client_secret: _, ...values }: Values) {
  return {
    ...values,
    allowed_domains: wordsIn(values.allowed_domains),
    group_roles: groupRolesIn(values.group_roles),
  };
}

type Props = { provider: Provider | null; preset?: Preset | null; onClose: () => void };

export function ProviderForm({ provider, preset = null, onClose }: Props) {
  const roles = roleOptions(useSession().data?.role ?? 'viewer');
  return (
    <Form
      title={provider ? 'Edit provider' : 'Add provider'}
      size="md"
      label={provider ? 'Save' : 'Add provider'}
      initial={valuesOf(provider, preset)}
      fields={(form) => [
        {
          title: 'Connection',
          parts: [
            // With a preset, the page before has shown it already.
            preset === null && <ProviderAddresses redirectLabel="Redirect URI" signOutLabel={null} />,
            ...clientFields(form, provider !== null, preset ?? presets.okta),
          ],
        },
        {
          title: 'Who may sign in',
          parts: [
            {
              name: 'allowed_domains',
              label: 'Allowed email domains',
              description: 'Their people become members at their first sign-in. Members need none.',
              placeholder: 'acme.com',
            },
            {
              name: 'default_role',
              kind: 'choice',
              label:
                form.values.group_roles.trim() === ''
                  ? 'Role at the first sign-in'
                  : 'Role without a group below',
              none: 'None: only people with a group below',
              options: roles,
            },
          ],
        },
        { title: 'Roles by group', parts: groupFields(form.values.kind === 'github') },
      ]}
      act={async (values) => {
        const body = bodyOf(values);
        const secret = values.client_secret;
        if (!provider) {
          await api.POST('/api/v1/identity-providers', { body: { ...body, client_secret: secret } });
          return;
        }
        await api.PUT('/api/v1/identity-providers/{id}', {
          params: { path: { id: provider.id } },
          body: {
            ...changesOf(bodyOf(valuesOf(provider, null)), body),
            ...(secret && { client_secret: secret }),
          },
        });
      }}
      done={provider ? 'Provider saved.' : 'Provider added.'}
      refresh={[providersKey]}
      onClose={onClose}
    />
  );
}

function clientFields(
  { values, change }: FormState<Values>,
  hasSecret: boolean,
  { issuerExample }: Preset,
): Item<Values>[] {
  const isGitHub = values.kind === 'github';
  return [
    {
      name: 'kind',
      kind: 'choice',
      label: 'Provider type',
      options: kinds,
      onChosen: (kind) => kind === 'github' && !values.issuer && change({ issuer: presets.github.issuer }),
    },
    {
      name: 'name',
      label: 'Name',
      description: 'On the button: “Continue with …”',
      required: true,
      maxLength: 255,
      'data-autofocus': true,
    },
    {
      name: 'issuer',
      label: isGitHub ? 'Address of GitHub' : 'Issuer',
      description: isGitHub ? 'Or of your GitHub Enterprise Server.' : `Such as ${issuerExample}`,
      required: true,
      maxLength: 500,
    },
    { name: 'client_id', label: 'Client ID', required: true, maxLength: 255, autoComplete: 'off' },
    {
      name: 'client_secret',
      kind: 'secret',
      label: 'Client secret',
      description: hasSecret
        ? 'Leave empty to keep the current one.'
        : 'We store it encrypted and never show it.',
      required: !hasSecret,
      maxLength: 1000,
      autoComplete: 'new-password',
    },
  ];
}

const groupFields = (isGitHub: boolean): Item<Values>[] => [
  {
    name: 'group_roles',
    kind: 'lines',
    label: isGitHub ? 'Roles of teams' : 'Roles of groups',
    description:
      'One per line. The highest role counts at every sign-in. Leave empty if admins give the roles.',
    placeholder: isGitHub ? 'acme/platform = admin' : 'ci-admins = admin',
    minRows: 2,
    maxRows: 8,
  },
  !isGitHub && { name: 'groups_claim', label: 'Claim with the groups', required: true, maxLength: 255 },
];

const names = Object.keys(presets) as PresetName[];

type ConnectProps = { reason: string | null; onAdd: (preset: Preset) => void };

/** Shown before there is a provider: where to register Runcost, and with which addresses. */
export function ConnectProvider({ reason, onAdd }: ConnectProps) {
  const [chosen, setChosen] = useState<PresetName>('okta');
  const preset: Preset = presets[chosen];
  const isOther = chosen === 'other';
  return (
    <Panel title="Connect an identity provider">
      <fieldset className="provider-choices">
        <legend>People sign in there instead of with tokens. Which one do you use?</legend>
        {names.map((name) => (
          <label key={name}>
            <input type="radio" name="provider" checked={name === chosen} onChange={() => setChosen(name)} />
            {presets[name].mark}
            <span>{presets[name].title}</span>
          </label>
        ))}
      </fieldset>
      <Steps>
        <Step title={`Register Runcost ${isOther ? 'at your provider' : `in ${preset.title}`}`}>
          <Note>{preset.where}</Note>
          <ProviderAddresses {...preset} />
        </Step>
        <Step title="Enter what it gives you">
          <Note>
            {preset.issuer === '' && `The issuer, such as ${preset.issuerExample}, `}
            {preset.issuer === '' ? 'and the' : 'The'} client ID and the client secret.
          </Note>
          <div>
            <AllowedButton reason={reason} onClick={() => onAdd(preset)}>
              Add provider
            </AllowedButton>
          </div>
        </Step>
      </Steps>
    </Panel>
  );
}

type AddressProps = Pick<Preset, 'redirectLabel' | 'signOutLabel'>;

/** The server sends these addresses to the provider, whatever host this page was opened at. */
export function ProviderAddresses({ redirectLabel, signOutLabel }: AddressProps) {
  const orgId = useOrganizationId();
  const { url } = usePublicUrl();
  return (
    <>
      <CopyField label={redirectLabel} what="the redirect URI" value={`${url}/sign-in/callback/${orgId}`} />
      {signOutLabel !== null && (
        <CopyField
          label={`${signOutLabel} (optional)`}
          what="the sign-out address"
          value={`${url}/sign-in`}
        />
      )}
    </>
  );
}
