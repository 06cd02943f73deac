import { Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { Choice } from '../ui/Choice.tsx';
import { FormDialog } from '../ui/FormDialog.tsx';
import { errorOf, useChange } from '../ui/useChange.ts';
import { Created } from './Created.tsx';
import { ShareName } from './ShareName.tsx';

const periods = [
  { value: 'month', label: 'This month' },
  { value: 'last_month', label: 'Last month' },
  { value: '30_days', label: 'Last 30 days' },
  { value: '7_days', label: 'Last 7 days' },
] as const;
type Period = (typeof periods)[number]['value'];

const scopes = [
  { value: 'all', label: 'The whole organization' },
  { value: 'repository', label: 'A repository' },
  { value: 'team', label: 'A team' },
] as const;
type Scope = (typeof scopes)[number]['value'];

/** Creates an image that shows one amount. It never expires, because the pages that show it stay online. */
export function CreateBadge({ onClose }: { onClose: () => void }) {
  const [period, setPeriod] = useState<Period>('month');
  const [scope, setScope] = useState<Scope>('all');
  const [value, setValue] = useState('');
  const [name, setName] = useState('');
  const [label, setLabel] = useState('');
  const create = useChange({
    act: async () => {
      const badge = { period, ...(label && { label }), ...(scope !== 'all' && { [scope]: value }) };
      const body = { name: name.trim() || null, kind: 'badge' as const, badge, valid_days: null };
      return (await api.POST('/api/v1/share-links', { body })).data!.data;
    },
    refresh: [['/api/v1/share-links']],
    isErrorShown: true,
  });
  if (create.data) {
    const { url, expires_at: at } = create.data;
    const markdown = `![CI cost](${url})`;
    return (
      <Created
        title="Your badge"
        what="the Markdown of the badge"
        value={markdown}
        at={at}
        onClose={onClose}
      />
    );
  }
  return (
    <FormDialog
      title="Create a badge"
      size="md"
      label="Create badge"
      change={create}
      fields={['badge', 'name']}
      onSubmit={() => create.mutate(undefined)}
      onClose={onClose}
    >
      <Text size="sm">Whoever sees a page with the badge sees this amount, until somebody revokes it.</Text>
      <Choice label="Costs of" options={scopes} value={scope} onChange={setScope} />
      {scope !== 'all' && (
        <TextInput
          label={scope === 'repository' ? 'Repository, such as acme/api' : 'Team'}
          required
          maxLength={255}
          value={value}
          error={errorOf(create.error, 'badge')}
          onChange={(event) => setValue(event.currentTarget.value)}
        />
      )}
      <Choice label="Period" options={periods} value={period} onChange={setPeriod} />
      <TextInput
        label="Label"
        description="Text before the amount. Leave empty for a default such as CI this month."
        maxLength={60}
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <ShareName value={name} onChange={setName} error={create.error} />
    </FormDialog>
  );
}
