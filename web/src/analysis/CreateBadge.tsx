import { Text } from '@mantine/core';
import { api } from '../api/client.ts';
import { Form, type Field } from '../ui/Form.tsx';
import { Created } from '../ui/SecretOnce.tsx';

const periods = [
  { value: 'month', label: 'This month' },
  { value: 'last_month', label: 'Last month' },
  { value: '30_days', label: 'Last 30 days' },
  { value: '7_days', label: 'Last 7 days' },
] as const;

const scopes = [
  { value: 'all', label: 'The whole organization' },
  { value: 'repository', label: 'A repository' },
  { value: 'team', label: 'A team' },
] as const;
type Period = (typeof periods)[number]['value'];

export const shareName: Field<{ name: string }> = {
  name: 'name',
  label: 'Name (optional)',
  description: 'For the list of share links. Visitors do not see it.',
  maxLength: 255,
  autoComplete: 'off',
};

const first = { scope: 'all', badge: '', period: 'month' as Period, label: '', name: '' };

/** Creates an image that shows one amount. It never expires, because the pages that show it stay online. */
export function CreateBadge({ onClose }: { onClose: () => void }) {
  return (
    <Form
      title="Create a badge"
      size="md"
      label="Create badge"
      initial={first}
      fields={({ values: { scope } }) => [
        <Text size="sm">
          Whoever sees a page with the badge sees this amount, until somebody revokes it.
        </Text>,
        { name: 'scope', kind: 'choice', label: 'Costs of', options: scopes },
        scope !== 'all' && {
          name: 'badge',
          label: scope === 'repository' ? 'Repository, such as acme/api' : 'Team',
          required: true,
          maxLength: 255,
        },
        { name: 'period', kind: 'choice', label: 'Period', options: periods },
        {
          name: 'label',
          label: 'Label',
          description: 'Text before the amount. Leave empty for a default such as CI this month.',
          maxLength: 60,
        },
        shareName,
      ]}
      act={async ({ name, period, label, scope, badge: value }) => {
        const badge = { period, ...(label && { label }), ...(scope !== 'all' && { [scope]: value }) };
        const body = { name: name || null, kind: 'badge' as const, badge, valid_days: null };
        return (await api.POST('/api/v1/share-links', { body })).data!.data;
      }}
      refresh={[['/api/v1/share-links']]}
      after={({ url, expires_at: at }) => (
        <Created
          title="Your badge"
          what="the Markdown of the badge"
          value={`![CI cost](${url})`}
          at={at}
          onClose={onClose}
        />
      )}
      onClose={onClose}
    />
  );
}
