import { Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useOrganizationId, usePublicUrl } from '../../api/session.ts';
import { CopyField } from '../../ui/CopyField.tsx';
import { Note } from '../../ui/Note.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { AllowedButton } from '../../ui/rights.tsx';
import { presets, type Preset, type PresetName } from './providerPresets.tsx';

const names = Object.keys(presets) as PresetName[];

type Props = { reason: string | null; onAdd: (preset: Preset) => void };

/** Shown before there is a provider: where to register Runcost, and with which addresses. */
export function ConnectProvider({ reason, onAdd }: Props) {
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
      <ol className="numbered-steps">
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
      </ol>
    </Panel>
  );
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <li>
      <Stack gap="sm">
        <Text component="h3" size="sm" fw={600}>
          {title}
        </Text>
        {children}
      </Stack>
    </li>
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
