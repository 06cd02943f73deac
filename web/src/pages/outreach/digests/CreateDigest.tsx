import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useScopeValues } from '../../../alerts/queries.ts';
import { api } from '../../../api/client.ts';
import { useSession } from '../../../api/session.ts';
import { ChannelChoice } from '../../../parts/ChannelChoice.tsx';
import { Choice } from '../../../ui/Choice.tsx';
import { FormDialog } from '../../../ui/FormDialog.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { errorOf, useChange } from '../../../ui/useChange.ts';
import { digestsKey, type Frequency } from './queries.ts';

export const frequencies = [
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
] as const;

export const everything = 'The whole organization';

const toMe = { value: 'me', label: 'Me' } as const;
const toOthers = { value: 'others', label: 'Others and channels' } as const;
type Receiver = 'me' | 'others';

export function CreateDigest({ onClose }: { onClose: () => void }) {
  const { data: session } = useSession();
  const canSendToOthers = useWhyNot()({ role: 'admin', scope: null }) === null;
  const receivers = [...(session?.member ? [toMe] : []), ...(canSendToOthers ? [toOthers] : [])];
  const [frequency, setFrequency] = useState<Frequency>('weekly');
  const [team, setTeam] = useState<string | null>(null);
  const [receiver, setReceiver] = useState<Receiver>(receivers[0]?.value ?? 'me');
  const [emails, setEmails] = useState('');
  const [channelIds, setChannelIds] = useState<string[]>([]);
  const create = useChange({
    act: async () => {
      const recipients = emails.split(/[\s,;]+/).filter(Boolean);
      const to = receiver === 'me' ? {} : { is_personal: false, recipients, channel_ids: channelIds };
      await api.POST('/api/v1/digests', { body: { frequency, team, ...to } });
    },
    done: 'Digest created.',
    refresh: [digestsKey],
    isErrorShown: true,
  });
  return (
    <FormDialog
      title="New digest"
      size="md"
      label="Create digest"
      change={create}
      fields={['recipients', 'team', 'channel_ids']}
      onClose={onClose}
    >
      <Choice label="How often" options={frequencies} value={frequency} onChange={setFrequency} />
      <TeamChoice team={team} onChange={setTeam} error={errorOf(create.error, 'team')} />
      <Choice label="Send it to" options={receivers} value={receiver} onChange={setReceiver} />
      {receiver === 'others' && (
        <>
          <TextInput
            label="Recipients"
            description="Email addresses, separated by commas."
            value={emails}
            error={errorOf(create.error, 'recipients')}
            onChange={(event) => setEmails(event.currentTarget.value)}
          />
          <ChannelChoice
            description="They are set up in Settings, Notifications."
            value={channelIds}
            onChange={setChannelIds}
            error={errorOf(create.error, 'channel_ids')}
            isForDigest
          />
        </>
      )}
    </FormDialog>
  );
}

type TeamProps = { team: string | null; onChange: (team: string | null) => void; error: string | null };

function TeamChoice({ team, onChange, error }: TeamProps) {
  const teams = useScopeValues('team').data ?? [];
  return (
    <Choice
      label="Costs of"
      none={everything}
      options={teams}
      value={team}
      error={error}
      onChange={onChange}
    />
  );
}
