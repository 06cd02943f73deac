import { useScopeValues } from '../../../alerts/queries.ts';
import { api } from '../../../api/client.ts';
import { useSession } from '../../../api/session.ts';
import { ChannelChoice } from '../../../parts/ChannelChoice.tsx';
import { Form } from '../../../ui/Form.tsx';
import { useWhyNot } from '../../../ui/rights.tsx';
import { digestsKey, type Frequency } from './queries.ts';

export const frequencies = [
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
] as const;

export const everything = 'The whole organization';

const toMe = { value: 'me', label: 'Me' };
const toOthers = { value: 'others', label: 'Others and channels' };

export function CreateDigest({ onClose }: { onClose: () => void }) {
  const { data: session } = useSession();
  const { data: teams = [] } = useScopeValues('team');
  const canSendToOthers = useWhyNot()({ role: 'admin', scope: null }) === null;
  const receivers = [...(session?.member ? [toMe] : []), ...(canSendToOthers ? [toOthers] : [])];
  return (
    <Form
      title="New digest"
      size="md"
      label="Create digest"
      initial={{
        frequency: 'weekly' as Frequency,
        team: null as string | null,
        to: receivers[0]?.value ?? 'me',
        recipients: '',
        channel_ids: [] as string[],
      }}
      fields={({ values, input }) => [
        { name: 'frequency', kind: 'choice', label: 'How often', options: frequencies },
        { name: 'team', kind: 'choice', label: 'Costs of', none: everything, options: teams },
        { name: 'to', kind: 'choice', label: 'Send it to', options: receivers },
        ...(values.to === 'others'
          ? [
              {
                name: 'recipients',
                label: 'Recipients',
                description: 'Email addresses, separated by commas.',
              } as const,
              <ChannelChoice
                description="They are set up in Settings, Notifications."
                isForDigest
                {...input('channel_ids')}
              />,
            ]
          : []),
      ]}
      act={({ frequency, team, to, recipients, channel_ids }) => {
        const people = recipients.split(/[\s,;]+/).filter(Boolean);
        const others = to === 'me' ? {} : { is_personal: false, recipients: people, channel_ids };
        return api.POST('/api/v1/digests', { body: { frequency, team, ...others } });
      }}
      done="Digest created."
      refresh={[digestsKey]}
      onClose={onClose}
    />
  );
}
